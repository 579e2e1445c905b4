/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What tests of the latencies of processes share: the real program with some slots for latencies,
 * and meters that are read. Skipped where bpf cannot be loaded.
 */
#include "count/bpf/real_bpf.h"

#include <assert.h>

#include "count/bpf/latency_meter.h"

struct fixture {
    struct mechanism *bpf;
    struct cpu_list *cpus;
    struct event_groups *groups;
    struct sample *sample;
};

static_assert(offsetof(struct fixture, bpf) == 0, "need_bpf() looks there");

static inline int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    const struct switch_program_size size = {.n_slots = SWITCH_PROGRAM_FIRST + 3,
                                             .n_lanes = BPF_GROUP_LANES(1),
                                             .n_watched = 16,
                                             .n_latency_slots = SWITCH_PROGRAM_FIRST + 3};

    f->cpus = read_online_cpus();
    assert_int_equal(event_groups_new(SCOPE_PROCESS, NULL, 0, &f->groups), 0);
    f->sample = sample_new(f->groups);
    f->bpf = make_real_bpf(f->cpus, size);
    if (f->bpf && !mechanism_bpf_has_latencies(f->bpf)) {
        print_message("skipped: the kernel has no stamps\n");
        f->bpf = mechanism_free(f->bpf);
    }
    if (f->bpf)
        mechanism_bpf_place_cpus(f->bpf, open("/sys", O_RDONLY | O_DIRECTORY | O_CLOEXEC), f->cpus);
    *state = f;
    return 0;
}

static inline int tear_down(void **state)
{
    struct fixture *f = *state;

    free_real_bpf(f->bpf);
    (void)event_groups_free(f->groups);
    (void)sample_free(f->sample);
    (void)cpu_list_free(f->cpus);
    free(f);
    return 0;
}

static inline struct latency_meter *open_meter(struct fixture *f, const pid_t *processes, size_t n,
                                               enum scope_inherit inherit)
{
    const struct scope scope = {.kind = SCOPE_PROCESS,
                                .cgroup_fd = -1,
                                .cpus = f->cpus,
                                .tasks = processes,
                                .n_tasks = n,
                                .inherit = inherit,
                                .process = scope_process_id(processes[0], 1)};
    struct latency_meter *meter;

    assert_int_equal(latency_meter_new(f->bpf, &scope, &meter), 0);
    mechanism_refresh(f->bpf);
    return meter;
}

static inline const struct latencies *read_meter(struct fixture *f, struct latency_meter *meter)
{
    mechanism_refresh(f->bpf);
    sample_clear(f->sample);
    latency_meter_read(meter, f->sample);
    assert_true(f->sample->has_latencies);
    return &f->sample->latencies;
}

static inline uint64_t count_of(const struct latencies *latencies,
                                enum latency_distribution distribution)
{
    const struct latency_layout *layout = &latency_layouts[distribution];
    uint64_t n = 0;

    for (size_t i = 0; i < layout->n; i++)
        n += latencies->buckets[layout->first + i];
    return n;
}

/* How many were longer than 2^exponent s. */
static inline uint64_t count_above(const struct latencies *latencies,
                                   enum latency_distribution distribution, int exponent)
{
    const struct latency_layout *layout = &latency_layouts[distribution];
    uint64_t n = 0;

    for (size_t i = 0; i < layout->n; i++)
        if (layout->exponent + (int)i > exponent)
            n += latencies->buckets[layout->first + i];
    return n;
}
