/* SPDX-License-Identifier: Apache-2.0 */
#include "count/bpf/observer_names.h"

#include <inttypes.h>
#include <stdio.h>

#include "count/bpf/followed_spans.h"
#include "sys/block_device.h"
#include "sys/bpf/block/counts.h"
#include "sys/bpf/interrupts/counts.h"
#include "sys/bpf/kvm/counts.h"
#include "sys/interrupt.h"
#include "sys/kvm_exit_reasons.h"
#include "sys/system_call.h"

/* Names are given by drivers: what is not plain ASCII in them is not repeated to anybody. */
static void set_label(char label[BREAKDOWN_LABEL_BYTES], const char *name)
{
    size_t i = 0;

    for (; name[i] && i < BREAKDOWN_LABEL_BYTES - 1; i++)
        label[i] = name[i] > ' ' && name[i] <= '~' ? name[i] : '_';
    label[i] = '\0';
}

static const char *const operations[BLOCK_OPERATIONS] = {
    [BLOCK_READ] = "read",   [BLOCK_WRITE] = "write", [BLOCK_DISCARD] = "discard",
    [BLOCK_FLUSH] = "flush", [BLOCK_OTHER] = "other",
};

void observer_name_block(const struct observer_sources *from, const struct keyed_key *key,
                         struct observed_key *ret_key)
{
    char name[BLOCK_DEVICE_NAME_SIZE];

    ret_key->kind = BREAKDOWN_BLOCK_IO;
    (void)block_device_read_name(from->sysfs_fd, key->subject, name);
    set_label(ret_key->line.labels[0], name);
    set_label(ret_key->line.labels[1],
              operations[key->detail < BLOCK_OPERATIONS ? key->detail : BLOCK_OTHER]);
}

static void set_number(char label[BREAKDOWN_LABEL_BYTES], uint64_t number)
{
    (void)snprintf(label, BREAKDOWN_LABEL_BYTES, "%" PRIu64, number);
}

/* CPUs are added up: the label has none of them. */
void observer_name_interrupt(const struct observer_sources *from, const struct keyed_key *key,
                             struct observed_key *ret_key)
{
    struct breakdown_line *line = &ret_key->line;
    const uint32_t number = (uint32_t)key->subject;
    const char *vector;
    char devices[BREAKDOWN_LABEL_BYTES];

    if (INTERRUPTS_KIND(key->detail) == INTERRUPTS_SOFTIRQ) {
        ret_key->kind = BREAKDOWN_SOFTIRQS;
        vector = softirq_name(number);
        if (vector)
            set_label(line->labels[0], vector);
        else
            set_number(line->labels[0], number);
        return;
    }
    ret_key->kind = BREAKDOWN_HARDIRQS;
    set_number(line->labels[0], number);
    if (interrupt_devices(from->sysfs_fd, number, devices, sizeof(devices)) == 0)
        set_label(line->labels[1], devices);
}

void observer_name_kvm(const struct observer_sources *from, const struct keyed_key *key,
                       struct observed_key *ret_key)
{
    struct breakdown_line *line = &ret_key->line;
    char reason[KVM_EXIT_REASON_SIZE];

    (void)from;
    if (key->detail == KVM_EXIT) {
        ret_key->kind = BREAKDOWN_KVM_EXITS;
        kvm_exit_reason_name((uint32_t)(key->subject >> 32), (uint32_t)key->subject, reason);
        set_label(line->labels[0], reason);
        return;
    }
    ret_key->kind = BREAKDOWN_KVM_ENTRIES;
    if (key->subject == KVM_VCPU_UNKNOWN)
        set_label(line->labels[0], "unknown");
    else
        set_number(line->labels[0], key->subject);
}

void observer_name_tcp(const struct observer_sources *from, const struct keyed_key *key,
                       struct observed_key *ret_key)
{
    (void)from;
    (void)key;
    ret_key->kind = BREAKDOWN_TCP;
}

void observer_name_span(const struct observer_sources *from, const struct keyed_key *key,
                        struct observed_key *ret_key)
{
    ret_key->kind = BREAKDOWN_SPANS;
    set_label(ret_key->line.labels[0], followed_spans_name(from->spans, key->subject));
}

static void set_call_label(char label[BREAKDOWN_LABEL_BYTES], size_t call)
{
    const char *name = system_call_name((unsigned)call);

    if (call == SYSCALLS_UNKNOWN)
        name = "unknown";
    else if (call == SYSCALLS_COMPAT)
        name = "compat";
    if (name)
        set_label(label, name);
    else
        (void)snprintf(label, BREAKDOWN_LABEL_BYTES, "unknown_%zu", call);
}

void observer_name_system_call(const struct observer_sources *from, const struct keyed_key *key,
                               struct observed_key *ret_key)
{
    const size_t call = (size_t)key->subject;

    ret_key->kind = BREAKDOWN_SYSTEM_CALLS;
    if (from->calls->has_line[call])
        set_call_label(ret_key->line.labels[0], call);
    else
        set_label(ret_key->line.labels[0], BREAKDOWN_OTHER);
}
