/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/bpf/interrupts/program.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>

#include "sys/bpf/keyed_loading.h"
#include "sys/bpf/loading.h"
#include "sys/bpf/tracepoint.h"

#include <interrupts.skel.h>

static const char *const hooks[] = {"softirq_entry", "softirq_exit", "irq_handler_entry",
                                    "irq_handler_exit"};

/* The vectors of softirqs are 10, and of interrupts a CPU handles some. */
#define ENTRIES_PER_CPU 32

struct interrupts_program {
    const struct switch_program *of; /* until it is loaded */
    size_t entries;
    struct interrupts_bpf *skeleton;
    struct keyed_table *table;
};

static int prepare(struct interrupts_program *program)
{
    struct interrupts_bpf *skeleton = program->skeleton;
    const int n_cpus = libbpf_num_possible_cpus();
    int r = n_cpus < 0 ? n_cpus : bpf_map__set_max_entries(skeleton->maps.cpus, (uint32_t)n_cpus);
    size_t entries = program->entries;

    if (r < 0)
        return r;
    if (entries < (size_t)n_cpus * ENTRIES_PER_CPU)
        entries = (size_t)n_cpus * ENTRIES_PER_CPU;
    return bpf_map__set_max_entries(skeleton->maps.keyed, (uint32_t)entries);
}

static int load(void *loaded)
{
    struct interrupts_program *program = loaded;
    int r;

    program->skeleton = interrupts_bpf__open();
    if (!program->skeleton)
        return -errno;
    r = prepare(program);
    if (r >= 0)
        r = interrupts_bpf__load(program->skeleton);
    if (r >= 0)
        r = keyed_table_new(bpf_keyed_map(program->skeleton->obj), &program->table);
    return r >= 0 ? interrupts_bpf__attach(program->skeleton) : r;
}

int interrupts_program_load(const struct switch_program *of, size_t entries,
                            struct interrupts_program **ret_program, enum bpf_refusal *ret_refusal)
{
    AUTO(interrupts_program) struct interrupts_program *program = calloc(1, sizeof(*program));
    int r;

    if (!program) {
        *ret_refusal = BPF_REFUSAL_NO_MEMORY;
        return -ENOMEM;
    }
    program->of = of;
    program->entries = entries;
    r = bpf_load_quietly(load, program, ret_refusal);
    if (r < 0) {
        if (r == -ESRCH && !bpf_tracepoints_exist(hooks, ARRAY_SIZE(hooks)))
            *ret_refusal = BPF_REFUSAL_NO_HOOK;
        return r;
    }
    *ret_program = TAKE(program);
    return 0;
}

struct interrupts_program *interrupts_program_free(struct interrupts_program *program)
{
    if (!program)
        return NULL;
    (void)keyed_table_free(program->table);
    interrupts_bpf__destroy(program->skeleton);
    free(program);
    return NULL;
}

struct keyed_table *interrupts_program_table(const struct interrupts_program *program)
{
    return program->table;
}

uint64_t interrupts_program_lost(const struct interrupts_program *program)
{
    return __atomic_load_n(&program->skeleton->bss->n_lost, __ATOMIC_RELAXED);
}
