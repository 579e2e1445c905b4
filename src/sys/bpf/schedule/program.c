/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/bpf/schedule/program.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "sys/bpf/block/hooks.h"
#include "sys/bpf/kvm/find_layout.h"
#include "sys/bpf/loading.h"
#include "sys/bpf/schedule/layout.h"
#include "sys/bpf/tracepoint.h"
#include "sys/bpf/values.h"

#include <schedule.skel.h>

/* Requests on their way that can be remembered, for each CPU and at most: a queue of most devices
 * holds as many. And places for exits that have not ended: 2^12. */
#define REQUESTS_OF_A_CPU 1024
#define REQUESTS_MOST     65536
#define STAMP_BITS        12

struct schedule_program {
    const struct schedule_wish *wish; /* until it is loaded */
    size_t n_cpus;
    enum bpf_refusal refusals[SCHEDULE_PARTS];
    struct kvm_layout layout; /* where exits are not refused */
    struct schedule_bpf *skeleton;
    struct schedule_cpu *cpus; /* mapped; NULL: not yet */
    struct ring_buffer *ring;
    int (*take)(void *context, const struct schedule_record *record); /* of the present reading */
    void *context;
};

static size_t ring_bytes(size_t wanted)
{
    size_t bytes = SCHEDULE_RING_LEAST;

    while (bytes < wanted && bytes < SCHEDULE_RING_MOST)
        bytes *= 2;
    return bytes;
}

static bool has(const struct schedule_program *program, enum schedule_part part)
{
    return program->refusals[part] == BPF_REFUSAL_NONE;
}

static int set_sizes(const struct schedule_program *program)
{
    const struct schedule_bpf *skeleton = program->skeleton;
    const struct schedule_wish *wish = program->wish;
    const size_t n_requests = wish->n_cpus * REQUESTS_OF_A_CPU;
    int r = bpf_map__set_max_entries(skeleton->maps.ring, (uint32_t)ring_bytes(wish->ring_bytes));

    if (r >= 0)
        r = bpf_map__set_max_entries(skeleton->maps.cpus, (uint32_t)wish->n_cpus);
    if (r >= 0 && wish->n_processes > bpf_map__max_entries(skeleton->maps.processes) / 2)
        r = bpf_map__set_max_entries(skeleton->maps.processes, 2 * (uint32_t)wish->n_processes);
    if (r >= 0 && has(program, SCHEDULE_PART_REQUESTS))
        r = bpf_map__set_max_entries(skeleton->maps.requests, n_requests < REQUESTS_MOST
                                                                  ? (uint32_t)n_requests
                                                                  : REQUESTS_MOST);
    if (r >= 0 && has(program, SCHEDULE_PART_EXITS))
        r = bpf_map__set_max_entries(skeleton->maps.stamps, UINT32_C(1) << STAMP_BITS);
    return r;
}

/* Leaves out what is refused. */
static void choose_parts(const struct schedule_program *program)
{
    const struct schedule_bpf *skeleton = program->skeleton;
    const bool requests = has(program, SCHEDULE_PART_REQUESTS);
    const bool exits = has(program, SCHEDULE_PART_EXITS);

    (void)bpf_program__set_autoload(skeleton->progs.on_insert, requests);
    (void)bpf_program__set_autoload(skeleton->progs.on_issue, requests);
    (void)bpf_program__set_autoload(skeleton->progs.on_complete, requests);
    (void)bpf_program__set_autoload(skeleton->progs.on_exit, exits);
    (void)bpf_program__set_autoload(skeleton->progs.on_entry, exits);
    bpf_program__set_autoattach(skeleton->progs.on_begin, false);
}

static void set_wish(const struct schedule_program *program)
{
    struct schedule_bpf *skeleton = program->skeleton;
    const struct schedule_wish *wish = program->wish;

    skeleton->rodata->scope = wish->cgroup      ? SCHEDULE_OF_CGROUP
                              : wish->processes ? SCHEDULE_OF_PROCESSES
                                                : SCHEDULE_OF_MACHINE;
    skeleton->rodata->wanted_cgroup = wish->cgroup;
    skeleton->rodata->is_v1 = wish->is_v1;
    /* the state of the task that goes, behind `preempt` and both tasks */
    skeleton->rodata->tells_state = bpf_tracepoint_arguments("sched_switch") >= 4;
    skeleton->rodata->layout = program->layout;
    skeleton->rodata->stamp_bits = has(program, SCHEDULE_PART_EXITS) ? STAMP_BITS : 1;
}

static int enter_processes(const struct schedule_bpf *skeleton, const struct schedule_wish *wish)
{
    const uint32_t yes = 1;

    for (size_t i = 0; i < wish->n_processes; i++) {
        const uint32_t pid = (uint32_t)wish->processes[i];

        if (bpf_map_update_elem(bpf_map__fd(skeleton->maps.processes), &pid, &yes, BPF_ANY) < 0)
            return -errno;
    }
    return 0;
}

static int take_record(void *context, void *data, size_t size)
{
    const struct schedule_program *program = context;

    return size >= sizeof(struct schedule_record) ? program->take(program->context, data) : 0;
}

static int open_memory(struct schedule_program *program)
{
    program->cpus = bpf_values_map(program->skeleton->maps.cpus);
    if (!program->cpus)
        return -errno;
    program->ring =
        ring_buffer__new(bpf_map__fd(program->skeleton->maps.ring), take_record, program, NULL);
    return program->ring ? 0 : -errno;
}

static void unload(struct schedule_program *program)
{
    ring_buffer__free(program->ring);
    if (program->skeleton)
        bpf_values_unmap(program->skeleton->maps.cpus, program->cpus);
    schedule_bpf__destroy(program->skeleton);
    program->ring = NULL;
    program->cpus = NULL;
    program->skeleton = NULL;
}

static int load(void *loaded)
{
    struct schedule_program *program = loaded;
    int r;

    unload(program);
    program->skeleton = schedule_bpf__open();
    if (!program->skeleton)
        return -errno;
    set_wish(program);
    choose_parts(program);
    r = set_sizes(program);
    if (r >= 0)
        r = schedule_bpf__load(program->skeleton);
    if (r >= 0)
        r = enter_processes(program->skeleton, program->wish);
    if (r >= 0)
        r = open_memory(program);
    return r >= 0 ? schedule_bpf__attach(program->skeleton) : r;
}

/* What this machine has no hooks for. */
static void find_parts(struct schedule_program *program)
{
    program->refusals[SCHEDULE_PART_REQUESTS] =
        block_has_hooks() ? BPF_REFUSAL_NONE : BPF_REFUSAL_NO_HOOK;
    program->refusals[SCHEDULE_PART_EXITS] = kvm_layout_find(&program->layout);
    if (has(program, SCHEDULE_PART_EXITS) && !kvm_exit_is_seen())
        program->refusals[SCHEDULE_PART_EXITS] = BPF_REFUSAL_NO_TRACEFS;
}

/* Loads it with as much as the kernel accepts: all, or without one part, or without any. */
static int load_parts(struct schedule_program *program, enum bpf_refusal *ret_refusal)
{
    enum bpf_refusal found[SCHEDULE_PARTS], refusal = BPF_REFUSAL_NONE;
    int r;

    memcpy(found, program->refusals, sizeof(found));
    r = bpf_load_quietly(load, program, &refusal);
    *ret_refusal = refusal;
    for (unsigned left_out = 1; r < 0 && left_out < 1U << SCHEDULE_PARTS; left_out++) {
        bool is_new = true;

        for (unsigned part = 0; part < SCHEDULE_PARTS; part++) {
            const bool is_out = left_out >> part & 1;

            program->refusals[part] = is_out ? refusal : found[part];
            is_new = is_new && (!is_out || found[part] == BPF_REFUSAL_NONE);
        }
        if (is_new)
            r = bpf_load_quietly(load, program, ret_refusal);
    }
    return r;
}

int schedule_program_load(const struct schedule_wish *wish, struct schedule_program **ret_program,
                          enum bpf_refusal *ret_refusal)
{
    AUTO(schedule_program) struct schedule_program *program = calloc(1, sizeof(*program));
    int r;

    if (!program) {
        *ret_refusal = BPF_REFUSAL_NO_MEMORY;
        return -ENOMEM;
    }
    program->wish = wish;
    program->n_cpus = wish->n_cpus;
    find_parts(program);
    r = load_parts(program, ret_refusal);
    if (r < 0)
        return r;
    program->wish = NULL;
    *ret_program = TAKE(program);
    return 0;
}

struct schedule_program *schedule_program_free(struct schedule_program *program)
{
    if (!program)
        return NULL;
    unload(program);
    free(program);
    return NULL;
}

enum bpf_refusal schedule_program_refusal(const struct schedule_program *program,
                                          enum schedule_part part)
{
    return program->refusals[part];
}

pid_t schedule_program_own_number(const struct schedule_program *program)
{
    LIBBPF_OPTS(bpf_test_run_opts, options);
    const int r =
        bpf_prog_test_run_opts(bpf_program__fd(program->skeleton->progs.on_begin), &options);

    return r < 0 ? r : (pid_t)options.retval;
}

void schedule_program_begin(struct schedule_program *program)
{
    const int fd = bpf_program__fd(program->skeleton->progs.on_begin);

    program->skeleton->bss->began_ns = clock_monotonic_ns();
    __atomic_store_n(&program->skeleton->bss->is_on, 1, __ATOMIC_RELEASE);
    for (size_t cpu = 0; cpu < program->n_cpus; cpu++) {
        LIBBPF_OPTS(bpf_test_run_opts, options, .flags = BPF_F_TEST_RUN_ON_CPU,
                    .cpu = (uint32_t)cpu);

        (void)bpf_prog_test_run_opts(fd, &options); /* fails for a CPU that is not online */
    }
}

void schedule_program_end(struct schedule_program *program)
{
    __atomic_store_n(&program->skeleton->bss->is_on, 0, __ATOMIC_RELEASE);
    schedule_bpf__detach(program->skeleton);
}

int schedule_program_read(struct schedule_program *program,
                          int (*take)(void *context, const struct schedule_record *record),
                          void *context)
{
    int r;

    program->take = take;
    program->context = context;
    r = ring_buffer__consume(program->ring);
    return r < 0 ? r : 0;
}

uint32_t schedule_program_untold(const struct schedule_program *program, size_t cpu)
{
    return __atomic_load_n(&program->cpus[cpu].pending, __ATOMIC_RELAXED);
}

uint64_t schedule_program_lost(const struct schedule_program *program)
{
    uint64_t n = __atomic_load_n(&program->skeleton->bss->n_lost, __ATOMIC_RELAXED);

    for (size_t cpu = 0; cpu < program->n_cpus; cpu++)
        n += __atomic_load_n(&program->cpus[cpu].n_lost, __ATOMIC_RELAXED);
    return n;
}
