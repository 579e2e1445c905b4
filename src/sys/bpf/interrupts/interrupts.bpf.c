/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */

/*
 * How many softirqs and interrupts (irq) each CPU handles, and how long that takes.
 *
 * Each CPU has a stamp for the softirq and one for the handler of an interrupt that it runs. They
 * are apart, because an interrupt may come while a softirq runs: the time of the softirq goes on
 * meanwhile. Nothing else is nested: while a CPU handles a softirq it begins no other, and handlers
 * run with interrupts disabled. A handler that enables them, or a kernel with PREEMPT_RT, may break
 * that rule, so a stamp also has what it is of: if that is not what ends, it is counted, and its
 * time is lost.
 */
#include "sys/bpf/keyed.bpf.h"

#include <bpf/bpf_tracing.h>

#include "sys/bpf/interrupts/counts.h"

struct stamp {
    __u64 since;   /* ns; 0: nothing has begun since the program was attached */
    __u64 subject; /* what began */
};

/* What a CPU runs, by kind. It fills a cache line of its own. */
struct running {
    struct stamp stamps[2];
    __u64 unused[4];
};

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __type(key, __u32);
    __type(value, struct running);
    __uint(max_entries, 1);
} cpus SEC(".maps"); /* by number of the CPU */

struct irqaction;

static __always_inline void begin(__u32 kind, __u32 subject)
{
    const __u32 cpu = bpf_get_smp_processor_id();
    struct running *running = bpf_map_lookup_elem(&cpus, &cpu);

    if (running)
        running->stamps[kind] = (struct stamp){.since = bpf_ktime_get_ns(), .subject = subject};
}

/* How long it took, if it is known when it began. */
static __always_inline void note(struct keyed_cell *cell, const struct stamp *stamp, __u32 subject)
{
    const __u64 took = bpf_ktime_get_ns() - stamp->since;

    if (stamp->subject == subject)
        keyed_note(cell, 0, (__u32)keyed_bucket(took, INTERRUPTS_FIRST_EXPONENT), took);
    else
        note_loss();
}

static __always_inline void end(__u32 kind, __u32 subject)
{
    const __u32 cpu = bpf_get_smp_processor_id(), detail = INTERRUPTS_DETAIL(kind, cpu);
    struct running *running = bpf_map_lookup_elem(&cpus, &cpu);
    struct keyed_cell *cell = keyed_cell_of(SWITCH_SLOT_REST, SWITCH_SLOT_NONE, detail, subject);

    if (!cell)
        return;
    if (!running) {
        note_loss();
        return;
    }
    keyed_add(cell, INTERRUPTS_TALLY, 1);
    if (running->stamps[kind].since)
        note(cell, &running->stamps[kind], subject);
    running->stamps[kind].since = 0;
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(on_softirq_entry, unsigned int vector)
{
    begin(INTERRUPTS_SOFTIRQ, vector);
    return 0;
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(on_softirq_exit, unsigned int vector)
{
    end(INTERRUPTS_SOFTIRQ, vector);
    return 0;
}

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(on_handler_entry, int irq, struct irqaction *action)
{
    begin(INTERRUPTS_HARDIRQ, (__u32)irq);
    return 0;
}

SEC("tp_btf/irq_handler_exit")
int BPF_PROG(on_handler_exit, int irq, struct irqaction *action, int result)
{
    end(INTERRUPTS_HARDIRQ, (__u32)irq);
    return 0;
}

char LICENSE[] SEC("license") = "GPL";
