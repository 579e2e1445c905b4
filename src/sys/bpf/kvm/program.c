/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/bpf/kvm/program.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>

#include "sys/bpf/keyed_loading.h"
#include "sys/bpf/kvm/find_layout.h"
#include "sys/bpf/loading.h"

#include <kvm.skel.h>

/* There are 2^12 places for exits that have not ended, 24 bytes each. */
#define STAMP_BITS 12

struct kvm_program {
    const struct switch_program *of; /* until it is loaded */
    size_t entries;
    enum bpf_refusal refusal; /* what was found out about the machine; _NONE: nothing */
    struct kvm_bpf *skeleton;
    struct keyed_table *table;
};

static int prepare(struct kvm_program *program, const struct kvm_layout *layout)
{
    struct kvm_bpf *skeleton = program->skeleton;
    bool v1;
    int r = bpf_prepare_keyed(skeleton->obj, program->of, program->entries, &v1);

    if (r < 0)
        return r;
    skeleton->rodata->layout = *layout;
    skeleton->rodata->is_v1 = v1;
    skeleton->rodata->stamp_bits = STAMP_BITS;
    return bpf_map__set_max_entries(skeleton->maps.stamps, UINT32_C(1) << STAMP_BITS);
}

static int attach(struct kvm_program *program)
{
    if (!kvm_exit_is_seen()) {
        program->refusal = BPF_REFUSAL_NO_TRACEFS;
        return -ENOENT;
    }
    return kvm_bpf__attach(program->skeleton);
}

static int load(void *loaded)
{
    struct kvm_program *program = loaded;
    struct kvm_layout layout;
    int r;

    program->refusal = kvm_layout_find(&layout);
    if (program->refusal != BPF_REFUSAL_NONE)
        return -ENODEV;
    program->skeleton = kvm_bpf__open();
    if (!program->skeleton)
        return -errno;
    r = prepare(program, &layout);
    if (r >= 0)
        r = kvm_bpf__load(program->skeleton);
    if (r >= 0)
        r = keyed_table_new(bpf_keyed_map(program->skeleton->obj), &program->table);
    return r >= 0 ? attach(program) : r;
}

int kvm_program_load(const struct switch_program *of, size_t entries,
                     struct kvm_program **ret_program, enum bpf_refusal *ret_refusal)
{
    AUTO(kvm_program) struct kvm_program *program = calloc(1, sizeof(*program));
    int r;

    if (!program) {
        *ret_refusal = BPF_REFUSAL_NO_MEMORY;
        return -ENOMEM;
    }
    program->of = of;
    program->entries = entries;
    r = bpf_load_quietly(load, program, ret_refusal);
    if (r < 0) {
        if (program->refusal != BPF_REFUSAL_NONE)
            *ret_refusal = program->refusal;
        return r;
    }
    *ret_program = TAKE(program);
    return 0;
}

struct kvm_program *kvm_program_free(struct kvm_program *program)
{
    if (!program)
        return NULL;
    (void)keyed_table_free(program->table);
    kvm_bpf__destroy(program->skeleton);
    free(program);
    return NULL;
}

struct keyed_table *kvm_program_table(const struct kvm_program *program)
{
    return program->table;
}

uint64_t kvm_program_lost(const struct kvm_program *program)
{
    return __atomic_load_n(&program->skeleton->bss->n_lost, __ATOMIC_RELAXED);
}
