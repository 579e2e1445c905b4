/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/bpf/schedule/program.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>

#include "sys/bpf/schedule/layout.h"
#include "sys/bpf/tracepoint.h"
#include "sys/bpf/values.h"

#include <schedule.skel.h>

struct schedule_program {
    size_t n_cpus;
    struct schedule_bpf *skeleton;
    struct schedule_cpu *cpus; /* mapped; NULL: not yet */
    struct ring_buffer *ring;
    int (*take)(void *context, const struct schedule_record *record); /* of the present reading */
    void *context;
};

/* libbpf would print each failure at length. We say what it means (sys/bpf/refusal.h). */
static int be_quiet(enum libbpf_print_level level, const char *format, va_list arguments)
{
    (void)level;
    (void)format;
    (void)arguments;
    return 0;
}

static size_t ring_bytes(size_t wanted)
{
    size_t bytes = SCHEDULE_RING_LEAST;

    while (bytes < wanted && bytes < SCHEDULE_RING_MOST)
        bytes *= 2;
    return bytes;
}

static int set_wish(struct schedule_bpf *skeleton, const struct schedule_wish *wish)
{
    int r = bpf_map__set_max_entries(skeleton->maps.ring, (uint32_t)ring_bytes(wish->ring_bytes));

    skeleton->rodata->scope = wish->cgroup      ? SCHEDULE_OF_CGROUP
                              : wish->processes ? SCHEDULE_OF_PROCESSES
                                                : SCHEDULE_OF_MACHINE;
    skeleton->rodata->wanted_cgroup = wish->cgroup;
    skeleton->rodata->is_v1 = wish->is_v1;
    /* the state of the task that goes, behind `preempt` and both tasks */
    skeleton->rodata->tells_state = bpf_tracepoint_arguments("sched_switch") >= 4;
    bpf_program__set_autoattach(skeleton->progs.on_begin, false);
    if (r >= 0)
        r = bpf_map__set_max_entries(skeleton->maps.cpus, (uint32_t)wish->n_cpus);
    if (r >= 0 && wish->n_processes > bpf_map__max_entries(skeleton->maps.processes) / 2)
        r = bpf_map__set_max_entries(skeleton->maps.processes, 2 * (uint32_t)wish->n_processes);
    return r;
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

static int load(struct schedule_program *program, const struct schedule_wish *wish)
{
    int r;

    program->skeleton = schedule_bpf__open();
    if (!program->skeleton)
        return -errno;
    r = set_wish(program->skeleton, wish);
    if (r >= 0)
        r = schedule_bpf__load(program->skeleton);
    if (r >= 0)
        r = enter_processes(program->skeleton, wish);
    if (r >= 0)
        r = open_memory(program);
    return r >= 0 ? schedule_bpf__attach(program->skeleton) : r;
}

int schedule_program_load(const struct schedule_wish *wish, struct schedule_program **ret_program,
                          enum bpf_refusal *ret_refusal)
{
    AUTO(schedule_program) struct schedule_program *program = calloc(1, sizeof(*program));
    libbpf_print_fn_t before;
    int r;

    if (!program) {
        *ret_refusal = BPF_REFUSAL_NO_MEMORY;
        return -ENOMEM;
    }
    program->n_cpus = wish->n_cpus;
    before = libbpf_set_print(be_quiet);
    r = load(program, wish);
    (void)libbpf_set_print(before);
    if (r < 0) {
        *ret_refusal = bpf_refusal_find(r);
        return r;
    }
    *ret_program = TAKE(program);
    return 0;
}

struct schedule_program *schedule_program_free(struct schedule_program *program)
{
    if (!program)
        return NULL;
    ring_buffer__free(program->ring);
    if (program->skeleton)
        bpf_values_unmap(program->skeleton->maps.cpus, program->cpus);
    schedule_bpf__destroy(program->skeleton);
    free(program);
    return NULL;
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
    uint64_t n = 0;

    for (size_t cpu = 0; cpu < program->n_cpus; cpu++)
        n += __atomic_load_n(&program->cpus[cpu].n_lost, __ATOMIC_RELAXED);
    return n;
}
