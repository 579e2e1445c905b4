/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/bpf/block/program.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>

#include "sys/bpf/block/hooks.h"
#include "sys/bpf/keyed_loading.h"

#include <block.skel.h>

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

/*
 * A type that this kernel has no more (enum req_opf, until 6.0) libbpf 1.1 looks for in all modules
 * as well, which takes CAP_SYS_ADMIN. It does not where it is told which file has the types.
 */
static int open_block(struct keyed_object *object)
{
    const struct bpf_object_open_opts options = {.sz = sizeof(options),
                                                 .btf_custom_path = "/sys/kernel/btf/vmlinux"};
    struct block_bpf *skeleton = block_bpf__open_opts(&options);
    int r;

    if (!skeleton)
        return -errno;
    keyed_opened(object, skeleton, skeleton->skeleton, skeleton->obj, &skeleton->bss->n_lost);
    r = bpf_prepare_keyed(skeleton->obj, object->of, object->program.table,
                          &skeleton->rodata->is_v1);
    if (r < 0)
        return r;
    return bpf_set_places(skeleton->maps.stamps, stamp_bits(), &skeleton->rodata->stamp_bits);
}

int block_program_load(const struct switch_program *of, size_t entries,
                       struct keyed_program **ret_program, enum bpf_refusal *ret_refusal)
{
    static const struct keyed_loader loader = {.open = open_block, .has_hooks = block_has_hooks};

    return keyed_object_load(&loader, of, entries, ret_program, ret_refusal);
}
