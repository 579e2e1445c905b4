/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/bpf/syscalls/program.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sys/bpf/keyed_loading.h"
#include "sys/bpf/loading.h"
#include "sys/bpf/tracepoint.h"
#include "sys/bpf/values.h"
#include "sys/system_call.h"

#include <syscalls.skel.h>

struct syscalls_program {
    const struct switch_program *of; /* until it is loaded */
    size_t entries;
    struct syscalls_bpf *skeleton;
    struct keyed_table *table;
    struct keyed_place *places; /* mapped; NULL: not yet */
};

/* Notes which calls return twice: in the process that has made a new one, and in the new one. */
static void set_forks(uint8_t returns_twice[SYSCALLS_NUMBERS])
{
    static const char *const forks[] = {"fork", "vfork", "clone", "clone3"};

    for (unsigned number = 0; number < SYSCALLS_NUMBERS; number++) {
        const char *name = system_call_name(number);

        for (size_t i = 0; name && i < ARRAY_SIZE(forks); i++)
            if (strcmp(name, forks[i]) == 0)
                returns_twice[number] = 1;
    }
}

static int set_sizes(struct syscalls_program *program, int n_cpus)
{
    struct syscalls_bpf *skeleton = program->skeleton;
    bool v1;
    int r = bpf_prepare_keyed(skeleton->obj, program->of, program->entries, &v1);

    if (r >= 0)
        r = bpf_map__set_max_entries(skeleton->maps.last, (uint32_t)n_cpus);
    if (r >= 0)
        r = bpf_map__set_max_entries(skeleton->maps.places, (uint32_t)n_cpus);
    if (r < 0)
        return r;
    skeleton->rodata->is_v1 = v1;
    set_forks((uint8_t *)skeleton->rodata->returns_twice);
    return 0;
}

static int make_table(struct syscalls_program *program, size_t n_cpus)
{
    const struct syscalls_bpf *skeleton = program->skeleton;
    int r = keyed_table_new(bpf_keyed_map(skeleton->obj), &program->table);

    if (r < 0)
        return r;
    program->places = bpf_values_map(skeleton->maps.places);
    if (!program->places)
        return -errno;
    return keyed_table_add_places(program->table, program->places, n_cpus * KEYED_PLACES);
}

static int load(void *loaded)
{
    struct syscalls_program *program = loaded;
    const int n_cpus = libbpf_num_possible_cpus();
    int r = n_cpus;

    if (r < 0)
        return r;
    program->skeleton = syscalls_bpf__open();
    if (!program->skeleton)
        return -errno;
    r = set_sizes(program, n_cpus);
    if (r >= 0)
        r = syscalls_bpf__load(program->skeleton);
    if (r >= 0)
        r = make_table(program, (size_t)n_cpus);
    return r >= 0 ? syscalls_bpf__attach(program->skeleton) : r;
}

/* Whether that is what a refusal may come from: there is no function of the tracepoint. */
static bool may_be_hooks(enum bpf_refusal refusal)
{
    return refusal == BPF_REFUSAL_OLD_KERNEL || refusal == BPF_REFUSAL_FORBIDDEN;
}

int syscalls_program_load(const struct switch_program *of, size_t entries,
                          struct syscalls_program **ret_program, enum bpf_refusal *ret_refusal)
{
    AUTO(syscalls_program) struct syscalls_program *program = calloc(1, sizeof(*program));
    int r;

    if (!program) {
        *ret_refusal = BPF_REFUSAL_NO_MEMORY;
        return -ENOMEM;
    }
    program->of = of;
    program->entries = entries;
    r = bpf_load_quietly(load, program, ret_refusal);
    if (r < 0) {
        if (may_be_hooks(*ret_refusal) && bpf_tracepoint_arguments("sys_exit") != 2)
            *ret_refusal = BPF_REFUSAL_NO_HOOK;
        return r;
    }
    *ret_program = TAKE(program);
    return 0;
}

struct syscalls_program *syscalls_program_free(struct syscalls_program *program)
{
    if (!program)
        return NULL;
    (void)keyed_table_free(program->table);
    bpf_values_unmap(program->skeleton->maps.places, program->places);
    syscalls_bpf__destroy(program->skeleton);
    free(program);
    return NULL;
}

struct keyed_table *syscalls_program_table(const struct syscalls_program *program)
{
    return program->table;
}

uint64_t syscalls_program_lost(const struct syscalls_program *program)
{
    return __atomic_load_n(&program->skeleton->bss->n_lost, __ATOMIC_RELAXED);
}
