/* SPDX-License-Identifier: Apache-2.0 */
#include "count/bpf/observer_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "count/bpf/followed_spans.h"
#include "sys/block_device.h"
#include "sys/bpf/block/counts.h"
#include "sys/bpf/interrupts/counts.h"
#include "sys/bpf/kvm/counts.h"
#include "sys/interrupt.h"
#include "sys/kvm_exit_reasons.h"
#include "sys/system_call.h"

#define READ_AGAIN_NS (10 * NS_PER_SECOND)

/*
 * Names are given by drivers: what is not plain ASCII in them is not repeated to anybody, nor what
 * would have to be escaped in a label.
 */
static bool is_plain(char c)
{
    return c > ' ' && c <= '~' && c != '"' && c != '\\';
}

static void set_label(char label[BREAKDOWN_LABEL_BYTES], const char *name)
{
    size_t i = 0;

    for (; name[i] && i < BREAKDOWN_LABEL_BYTES - 1; i++)
        label[i] = is_plain(name[i]) ? name[i] : '_';
    label[i] = '\0';
}

/* Reads a name from sysfs. False: it has none, and the label is what stands for it. */
static bool read_name(int sysfs_fd, enum named what, uint64_t number,
                      char label[BREAKDOWN_LABEL_BYTES])
{
    char device[BLOCK_DEVICE_NAME_SIZE], devices[BREAKDOWN_LABEL_BYTES] = "";
    bool found;

    if (what == NAMED_DEVICE) {
        found = block_device_read_name(sysfs_fd, number, device);
        set_label(label, device);
        return found;
    }
    found = interrupt_devices(sysfs_fd, (uint32_t)number, devices, sizeof(devices)) == 0;
    set_label(label, found ? devices : "");
    return found;
}

static void name_from_sysfs(struct observer_sources *from, enum named what, uint64_t number,
                            char label[BREAKDOWN_LABEL_BYTES])
{
    const uint64_t mixed = (number ^ (uint64_t)what << 63) * UINT64_C(0x9e3779b97f4a7c15);
    struct known_name *known = &from->known[(mixed >> 32) % KNOWN_NAMES];
    const bool is_known = known->what == what && known->number == number;

    if (is_known && from->now_ns - known->read_ns < READ_AGAIN_NS) {
        memcpy(label, known->name, sizeof(known->name));
        return;
    }
    if (read_name(from->sysfs_fd, what, number, label)) {
        *known = (struct known_name){.what = what, .number = number, .read_ns = from->now_ns};
        memcpy(known->name, label, sizeof(known->name));
    } else if (is_known) {
        memcpy(label, known->name, sizeof(known->name));
    }
}

void observer_name_block(struct observer_sources *from, const struct keyed_key *key,
                         struct observed_key *ret_key)
{
    ret_key->kind = BREAKDOWN_BLOCK_IO;
    name_from_sysfs(from, NAMED_DEVICE, key->subject, ret_key->line.labels[0]);
    set_label(ret_key->line.labels[1], block_operation_name(key->detail));
}

static void set_number(char label[BREAKDOWN_LABEL_BYTES], uint64_t number)
{
    (void)snprintf(label, BREAKDOWN_LABEL_BYTES, "%" PRIu64, number);
}

/* CPUs are added up: the label has none of them. */
void observer_name_interrupt(struct observer_sources *from, const struct keyed_key *key,
                             struct observed_key *ret_key)
{
    struct breakdown_line *line = &ret_key->line;
    const uint32_t number = (uint32_t)key->subject;
    const char *vector;

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
    name_from_sysfs(from, NAMED_INTERRUPT, number, line->labels[1]);
}

void observer_name_kvm(struct observer_sources *from, const struct keyed_key *key,
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

void observer_name_tcp(struct observer_sources *from, const struct keyed_key *key,
                       struct observed_key *ret_key)
{
    (void)from;
    (void)key;
    ret_key->kind = BREAKDOWN_TCP;
}

void observer_name_span(struct observer_sources *from, const struct keyed_key *key,
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

void observer_name_system_call(struct observer_sources *from, const struct keyed_key *key,
                               struct observed_key *ret_key)
{
    const size_t call = (size_t)key->subject;
    struct breakdown_line *line = &ret_key->line;

    if (key->detail == SYSCALLS_TIMED) {
        ret_key->kind = BREAKDOWN_SYSTEM_CALL_TIMES;
        set_call_label(line->labels[0], call);
        set_label(line->labels[1], system_call_class((unsigned)call));
        return;
    }
    ret_key->kind = BREAKDOWN_SYSTEM_CALLS;
    if (from->calls->has_line[call])
        set_call_label(line->labels[0], call);
    else
        set_label(line->labels[0], BREAKDOWN_OTHER);
}
