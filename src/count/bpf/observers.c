/* SPDX-License-Identifier: Apache-2.0 */
#include "count/bpf/observers.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "count/bpf/followed_spans.h"
#include "count/bpf/observer_names.h"
#include "sys/bpf/block/program.h"
#include "sys/bpf/interrupts/program.h"
#include "sys/bpf/kvm/program.h"
#include "sys/bpf/spans/program.h"
#include "sys/bpf/syscalls/program.h"
#include "sys/bpf/tcp/program.h"

/* How many keys a program has room for: at least so many, and some for each slot. */
#define LEAST_ENTRIES    4096
#define ENTRIES_PER_SLOT 4

#define RETRY_NS (60 * NS_PER_SECOND)

static const struct {
    enum latency_kind kind;
    keyed_program_load *load;
    observer_name *name;
} programs[] = {
    {LATENCY_KIND_BLOCK_IO, block_program_load, observer_name_block},
    {LATENCY_KIND_INTERRUPTS, interrupts_program_load, observer_name_interrupt},
    {LATENCY_KIND_KVM, kvm_program_load, observer_name_kvm},
    {LATENCY_KIND_TCP, tcp_program_load, observer_name_tcp},
    {LATENCY_KIND_SPANS, spans_program_load, observer_name_span},
    {LATENCY_KIND_SYSTEM_CALLS, syscalls_program_load, observer_name_system_call},
};

#define N_PROGRAMS ARRAY_SIZE(programs)

struct observer {
    struct keyed_program *program; /* NULL: it is not wanted, or cannot be loaded */
    enum bpf_refusal refusal;
};

/* What was counted for a slot. */
struct observed_slot {
    struct breakdowns *counted; /* NULL: nothing that was not taken */
    bool is_given_up;           /* its cells are still to be removed */
};

struct observers {
    struct observers_setup setup;
    struct observer_sources sources;
    struct observer observers[N_PROGRAMS];
    struct followed_spans *spans;
    uint64_t lost_before; /* by programs that have ended */
    uint64_t retry_ns;    /* CLOCK_MONOTONIC: when what may come later is tried again */
    struct call_lines calls;
    bool any_given_up;
    struct breakdowns machine;
    struct observed_slot slots[];
};

/* What is read at the moment. */
struct reading {
    struct observers *observers;
    observer_name *name;
};

struct observers *observers_new(const struct observers_setup *setup)
{
    struct observers *observers =
        calloc(1, sizeof(*observers) + setup->n_slots * sizeof(*observers->slots));

    if (!observers)
        return NULL;
    observers->setup = *setup;
    observers->spans = followed_spans_new(setup->ops);
    observers->sources.sysfs_fd = setup->sysfs_fd;
    observers->sources.spans = observers->spans;
    observers->sources.calls = &observers->calls;
    return observers->spans ? observers : observers_free(observers);
}

static void end(struct observers *observers, size_t i)
{
    struct observer *observer = &observers->observers[i];

    if (observer->program) {
        observers->lost_before += keyed_program_lost(observer->program);
        observer->program = keyed_program_free(observer->program);
    }
    observer->refusal = BPF_REFUSAL_NONE;
}

static void drop(struct observers *observers, size_t slot)
{
    struct observed_slot *observed = &observers->slots[slot];

    if (observed->counted)
        breakdowns_clear(observed->counted);
    free(TAKE(observed->counted));
}

struct observers *observers_free(struct observers *observers)
{
    if (!observers)
        return NULL;
    (void)followed_spans_free(observers->spans);
    for (size_t i = 0; i < N_PROGRAMS; i++)
        end(observers, i);
    for (size_t slot = 0; slot < observers->setup.n_slots; slot++)
        drop(observers, slot);
    breakdowns_clear(&observers->machine);
    free(observers);
    return NULL;
}

/* A program that is loaded was not refused, whatever came of an earlier attempt. */
static void load(struct observers *observers, size_t i)
{
    struct observer *observer = &observers->observers[i];
    size_t entries = observers->setup.n_slots * ENTRIES_PER_SLOT;

    if (entries < LEAST_ENTRIES)
        entries = LEAST_ENTRIES;
    if (programs[i].load(observers->setup.program, entries, &observer->program,
                         &observer->refusal) >= 0)
        observer->refusal = BPF_REFUSAL_NONE;
}

/* The module of KVM may be loaded at any time. To look for it takes little. */
static void try_again(struct observers *observers)
{
    const uint64_t now_ns = clock_monotonic_ns();

    if (now_ns < observers->retry_ns)
        return;
    observers->retry_ns = now_ns + RETRY_NS;
    for (size_t i = 0; i < N_PROGRAMS; i++)
        if (observers->observers[i].refusal == BPF_REFUSAL_NO_KVM)
            load(observers, i);
}

/* What has no program to follow it is not held open either. */
void observers_want(struct observers *observers, unsigned kinds)
{
    if (!(kinds & LATENCY_KIND_SPANS))
        followed_spans_keep(observers->spans, NULL, NULL, 0);
    for (size_t i = 0; i < N_PROGRAMS; i++) {
        struct observer *observer = &observers->observers[i];

        if (!(kinds & programs[i].kind))
            end(observers, i);
        else if (!observer->program)
            load(observers, i);
    }
}

const char *observers_reason(const struct observers *observers, enum latency_kind kind)
{
    for (size_t i = 0; i < N_PROGRAMS; i++)
        if (programs[i].kind == kind && observers->observers[i].refusal != BPF_REFUSAL_NONE)
            return bpf_refusal_text(observers->observers[i].refusal);
    return NULL;
}

static void fill_numbers(enum breakdown_kind kind, const struct keyed_delta *delta,
                         uint64_t *numbers)
{
    const struct breakdown_shape *shape = &breakdown_shapes[kind];

    memcpy(numbers, delta->tallies, shape->n_tallies * sizeof(*numbers));
    for (size_t i = 0; i < shape->n_distributions; i++) {
        uint64_t *buckets = &numbers[breakdown_first_bucket(kind, i)];

        memcpy(buckets, delta->buckets[i], sizeof(delta->buckets[i]));
        buckets[KEYED_BUCKETS] = delta->sums_ns[i];
    }
}

/* Without memory what was counted is lost for this target. */
static void add_to(struct breakdowns *breakdowns, const struct observed_key *key,
                   const uint64_t *numbers)
{
    if (!breakdowns->of[key->kind])
        breakdowns->of[key->kind] = breakdown_new(key->kind);
    if (breakdowns->of[key->kind])
        (void)breakdown_add(breakdowns->of[key->kind], &key->line, numbers);
}

/* Whether what the slot is charged is not charged to a cgroup, too. */
static bool is_of_machine(const struct observers *observers, size_t slot)
{
    return slot == SWITCH_PROGRAM_REST ||
           !(bpf_slots_id(observers->setup.slots, slot) & BPF_PROCESS_ID);
}

/* Adds to a slot and to all that contain it, and to the machine, of which processes are a part. */
static void charge(struct observers *observers, size_t slot, const struct observed_key *key,
                   const uint64_t *numbers)
{
    const struct bpf_slots *slots = observers->setup.slots;
    const bool of_machine = is_of_machine(observers, slot);

    for (; slot != SWITCH_PROGRAM_REST; slot = bpf_slots_parent(slots, slot)) {
        struct observed_slot *observed = &observers->slots[slot];

        if (!observed->counted)
            observed->counted = calloc(1, sizeof(*observed->counted));
        if (observed->counted)
            add_to(observed->counted, key, numbers);
    }
    if (of_machine)
        add_to(&observers->machine, key, numbers);
}

static void take_delta(void *context, const struct keyed_key *key, const struct keyed_delta *delta)
{
    const struct reading *reading = context;
    struct observers *observers = reading->observers;
    const struct observers_setup *setup = &observers->setup;
    const size_t slot = key->slot < setup->n_slots ? key->slot : SWITCH_PROGRAM_REST;
    uint64_t numbers[KEYED_TALLIES + KEYED_DISTRIBUTIONS * (KEYED_BUCKETS + 1)];
    struct observed_key observed = {0};

    reading->name(&observers->sources, key, &observed);
    if (observed.kind == BREAKDOWN_SYSTEM_CALLS && is_of_machine(observers, slot))
        call_lines_note(&observers->calls, (size_t)key->subject, delta->tallies[SYSCALLS_CALLS]);
    fill_numbers(observed.kind, delta, numbers);
    charge(observers, slot, &observed, numbers);
}

void observers_read(struct observers *observers)
{
    try_again(observers);
    observers->sources.now_ns = clock_monotonic_ns();
    for (size_t i = 0; i < N_PROGRAMS; i++)
        if (observers->observers[i].program)
            keyed_table_read(keyed_program_table(observers->observers[i].program), take_delta,
                             &(struct reading){observers, programs[i].name});
    call_lines_promote(&observers->calls, observers->sources.now_ns);
}

/* The program of a kind; NULL: it is not wanted, or cannot be loaded. */
static struct keyed_program *find_program(const struct observers *observers, enum latency_kind kind)
{
    for (size_t i = 0; i < N_PROGRAMS; i++)
        if (programs[i].kind == kind)
            return observers->observers[i].program;
    return NULL;
}

/* What a span has counted is read before its number is given to another one. */
void observers_follow(struct observers *observers, const struct span *spans, size_t n_spans,
                      const struct cpu_list *cpus, const char **ret_reasons)
{
    struct keyed_program *program = find_program(observers, LATENCY_KIND_SPANS);
    const char *reason = observers_reason(observers, LATENCY_KIND_SPANS);

    observers_read(observers);
    followed_spans_keep(observers->spans, program, spans, n_spans);
    for (size_t i = 0; i < n_spans; i++)
        ret_reasons[i] =
            program ? followed_spans_add(observers->spans, program, &spans[i], cpus) : reason;
}

const char *observers_time_calls(struct observers *observers, const struct syscalls_timing *timing)
{
    struct keyed_program *program = find_program(observers, LATENCY_KIND_SYSTEM_CALLS);
    enum bpf_refusal refusal;

    if (!program)
        return observers_reason(observers, LATENCY_KIND_SYSTEM_CALLS);
    return syscalls_program_time(program, timing, &refusal) < 0 ? bpf_refusal_text(refusal) : NULL;
}

void observers_give_up(struct observers *observers, size_t slot)
{
    drop(observers, slot);
    observers->slots[slot].is_given_up = true;
    observers->any_given_up = true;
}

static bool is_given_up(const void *context, uint32_t slot)
{
    const struct observers *observers = context;

    return slot < observers->setup.n_slots && observers->slots[slot].is_given_up;
}

/* A cell that could not be removed keeps its count, from which the slot's next target goes on. */
void observers_forget(struct observers *observers)
{
    if (!observers->any_given_up)
        return;
    for (size_t i = 0; i < N_PROGRAMS; i++)
        if (observers->observers[i].program)
            (void)keyed_table_forget(keyed_program_table(observers->observers[i].program),
                                     is_given_up, observers);
    for (size_t slot = 0; slot < observers->setup.n_slots; slot++)
        observers->slots[slot].is_given_up = false;
    observers->any_given_up = false;
}

struct breakdowns observers_take(struct observers *observers, size_t slot)
{
    struct breakdowns *from =
        slot == SWITCH_PROGRAM_REST ? &observers->machine : observers->slots[slot].counted;
    struct breakdowns taken = {0};

    if (!from)
        return taken;
    taken = *from;
    *from = (struct breakdowns){0};
    if (slot != SWITCH_PROGRAM_REST)
        free(TAKE(observers->slots[slot].counted));
    return taken;
}

uint64_t observers_lost(const struct observers *observers)
{
    uint64_t lost = observers->lost_before;

    for (size_t i = 0; i < N_PROGRAMS; i++)
        if (observers->observers[i].program)
            lost += keyed_program_lost(observers->observers[i].program);
    return lost;
}
