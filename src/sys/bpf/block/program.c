/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/bpf/block/program.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>

#include "sys/bpf/keyed_loading.h"
#include "sys/bpf/loading.h"
#include "sys/bpf/tracepoint.h"

#include <block.skel.h>

struct block_program {
    const struct switch_program *of; /* until it is loaded */
    size_t entries;
    struct block_bpf *skeleton;
    struct keyed_table *table;
};

/*
 * Places for requests on their way: 1024 for each CPU, which is what a queue of most devices holds,
 * up to 65536. Four of them are together.
 */
static uint32_t stamp_bits(void)
{
    const int n_cpus = libbpf_num_possible_cpus();
    uint32_t bits = 10;

    while (bits < 14 && 1 << (bits - 8) < n_cpus)
        bits++;
    return bits;
}

static int set_sizes(struct block_program *program)
{
    struct block_bpf *skeleton = program->skeleton;
    bool v1;
    int r = bpf_prepare_keyed(skeleton->obj, program->of, program->entries, &v1);

    if (r < 0)
        return r;
    skeleton->rodata->is_v1 = v1;
    skeleton->rodata->stamp_bits = stamp_bits();
    return bpf_map__set_max_entries(skeleton->maps.stamps, UINT32_C(1) << stamp_bits());
}

static int load(void *loaded)
{
    struct block_program *program = loaded;
    int r;

    program->skeleton = block_bpf__open();
    if (!program->skeleton)
        return -errno;
    r = set_sizes(program);
    if (r >= 0)
        r = block_bpf__load(program->skeleton);
    if (r >= 0)
        r = keyed_table_new(bpf_keyed_map(program->skeleton->obj), &program->table);
    return r >= 0 ? block_bpf__attach(program->skeleton) : r;
}

/*
 * Whether the tracepoints are there, with the arguments that they have since Linux 5.11 and
 * 5.10.137: before, the queue stood before the request.
 */
static bool has_hooks(void)
{
    return bpf_tracepoint_arguments("block_rq_insert") == 1 &&
           bpf_tracepoint_arguments("block_rq_issue") == 1 &&
           bpf_tracepoint_arguments("block_rq_complete") == 3;
}

/* Whether that is what a refusal may come from: there is no function, or it has other types. */
static bool may_be_hooks(enum bpf_refusal refusal)
{
    return refusal == BPF_REFUSAL_OLD_KERNEL || refusal == BPF_REFUSAL_FORBIDDEN;
}

int block_program_load(const struct switch_program *of, size_t entries,
                       struct block_program **ret_program, enum bpf_refusal *ret_refusal)
{
    AUTO(block_program) struct block_program *program = calloc(1, sizeof(*program));
    int r;

    if (!program) {
        *ret_refusal = BPF_REFUSAL_NO_MEMORY;
        return -ENOMEM;
    }
    program->of = of;
    program->entries = entries;
    r = bpf_load_quietly(load, program, ret_refusal);
    if (r < 0) {
        if (may_be_hooks(*ret_refusal) && !has_hooks())
            *ret_refusal = BPF_REFUSAL_NO_HOOK;
        return r;
    }
    *ret_program = TAKE(program);
    return 0;
}

struct block_program *block_program_free(struct block_program *program)
{
    if (!program)
        return NULL;
    (void)keyed_table_free(program->table);
    block_bpf__destroy(program->skeleton);
    free(program);
    return NULL;
}

struct keyed_table *block_program_table(const struct block_program *program)
{
    return program->table;
}

uint64_t block_program_lost(const struct block_program *program)
{
    return __atomic_load_n(&program->skeleton->bss->n_lost, __ATOMIC_RELAXED);
}
