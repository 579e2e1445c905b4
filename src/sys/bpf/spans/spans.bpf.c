/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */

/*
 * Counts a span: how long it took from one event to another one of the same key
 * (sys/bpf/spans/program.h). There is a program for each side and each kind of event, of which two
 * are loaded. They are attached to perf events. The kernel runs those of a tracepoint with the
 * record that the event would have, and lets other counters of the same tracepoint have the hit
 * only if the program returns 1.
 */
#include "sys/bpf/spans/begins.bpf.h"

/* What bpf_probe_read_kernel() takes of a record, where the field may have 1, 2, 4 or 8 bytes. */
static __always_inline __u64 field_of(const void *record, __u32 offset, __u32 size)
{
    __u64 field = 0;

    if (size == 1)
        (void)bpf_probe_read_kernel(&field, 1, record + offset);
    else if (size == 2)
        (void)bpf_probe_read_kernel(&field, 2, record + offset);
    else if (size == 4)
        (void)bpf_probe_read_kernel(&field, 4, record + offset);
    else
        (void)bpf_probe_read_kernel(&field, 8, record + offset);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    field >>= 8 * (8 - size);
#endif
    return field;
}

/* The running thread. The idle tasks of all CPUs have one number: there it is the CPU. */
static __always_inline __u64 thread_key(void)
{
    const __u32 thread = (__u32)bpf_get_current_pid_tgid();

    return thread ? thread : ~(__u64)bpf_get_smp_processor_id();
}

static __always_inline __u64 key_of(const void *record, __u32 offset, __u32 size)
{
    return size ? field_of(record, offset, size) : thread_key();
}

SEC("tracepoint")
int begin_of_tracepoint(void *record)
{
    remember_begin(key_of(record, begin_offset, begin_size));
    return 1;
}

SEC("kprobe")
int begin_of_probe(void *registers)
{
    remember_begin(thread_key());
    return 1;
}

/* otherwise: as for keyed_cell_of(). */
static __noinline void count(__u32 slot, __u32 otherwise, __u64 ns)
{
    struct keyed_cell *cell = keyed_cell_of(slot, otherwise, 0, number);

    if (cell)
        keyed_note(cell, SPAN_DURATION, (__u32)keyed_bucket(ns, SPAN_FIRST_EXPONENT), ns);
}

static __always_inline void end_at(__u64 key)
{
    const __u64 now = bpf_ktime_get_ns();
    struct begin begin;
    __u32 watched_slot;

    if (!take_begin(key, &begin))
        return;
    begin.ns = now > begin.ns ? now - begin.ns : 0;
    count(slot_of_id(begin.owner), SWITCH_SLOT_REST, begin.ns);
    watched_slot = slot_of_process(begin.process);
    if (watched_slot != SWITCH_SLOT_NONE)
        count(watched_slot, SWITCH_SLOT_NONE, begin.ns);
}

SEC("tracepoint")
int end_of_tracepoint(void *record)
{
    end_at(key_of(record, end_offset, end_size));
    return 1;
}

SEC("kprobe")
int end_of_probe(void *registers)
{
    end_at(thread_key());
    return 1;
}

char LICENSE[] SEC("license") = "GPL";
