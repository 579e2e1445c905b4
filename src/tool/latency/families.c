/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/latency/families.h"

#include <string.h>

const struct latency_family latency_families[LATENCY_FAMILIES] = {
    {"run_queue", "scheduler", NULL, NULL, "run_queue_latency_seconds", "waits for a CPU", NULL},
    {"on_cpu", "scheduler", NULL, NULL, "on_cpu_seconds", "times on a CPU", NULL},
    {"off_cpu", "scheduler", "state", "interruptible", "off_cpu_seconds", "blocked (interruptible)",
     NULL},
    {"off_cpu", "scheduler", "state", "uninterruptible", "off_cpu_seconds",
     "blocked (uninterruptible)", NULL},
    {"block_io", "block_io", "op", "read", "block_io_latency_seconds",
     "requests to block devices (reads)", NULL},
    {"block_io", "block_io", "op", "write", "block_io_latency_seconds",
     "requests to block devices (writes)", NULL},
    {"block_io", "block_io", "op", "other", "block_io_latency_seconds",
     "requests to block devices (others)", NULL},
    {"block_io", "block_io", NULL, NULL, "block_io_queue_seconds",
     "requests in the queue of a block device", NULL},
    {"interrupts", "interrupts", "vector", NULL, "softirq_seconds", "softirqs", NULL},
    {"interrupts", "interrupts", "irq", NULL, "hardirq_seconds", "handlers of interrupts", NULL},
    {"kvm", "kvm", "reason", NULL, "kvm_exit_seconds", "exits of guests", NULL},
    {"kvm", "kvm", "reason", NULL, "kvm_exits_total", "exits", "guests"},
    {"kvm", "kvm", "vcpu", NULL, "kvm_entries_total", "entries", "guests"},
    {"tcp", "tcp", NULL, NULL, "tcp_connect_seconds", "connections of TCP", NULL},
    {"tcp", "tcp", NULL, NULL, "tcp_connects_total", "connected", "TCP"},
    {"tcp", "tcp", NULL, NULL, "tcp_connect_errors_total", "failed", "TCP"},
    {"tcp", "tcp", NULL, NULL, "tcp_retransmits_total", "retransmits", "TCP"},
    {"system_calls", "system_calls", "call", NULL, "system_call_seconds", "system calls", NULL},
    {"system_calls", "system_calls", "call", NULL, "system_calls_total", "calls", "system calls"},
    {"system_calls", "system_calls", "call", NULL, "system_call_errors_total", "errors",
     "system calls"},
    {"spans", "spans", "span", NULL, "span_seconds", "spans", NULL},
};

bool latency_family_is_timed(const struct latency_family *family)
{
    return strcmp(family->name, "system_call_seconds") == 0;
}

const struct latency_family *latency_family_of_kind(const char *kind)
{
    for (size_t i = 0; i < LATENCY_FAMILIES; i++)
        if (strcmp(latency_families[i].kind, kind) == 0)
            return &latency_families[i];
    return NULL;
}
