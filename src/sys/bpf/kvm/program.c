/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/bpf/kvm/program.h"

#include <bpf/libbpf.h>
#include <errno.h>

#include "sys/bpf/keyed_loading.h"
#include "sys/bpf/kvm/find_layout.h"

#include <kvm.skel.h>

/* There are 2^12 places for exits that have not ended, 24 bytes each. */
#define STAMP_BITS 12

static int open_kvm(struct keyed_object *object)
{
    struct kvm_layout layout;
    struct kvm_bpf *skeleton;
    int r;

    object->refusal = kvm_layout_find(&layout);
    if (object->refusal != BPF_REFUSAL_NONE)
        return -ENODEV;
    skeleton = kvm_bpf__open();
    if (!skeleton)
        return -errno;
    keyed_opened(object, skeleton, skeleton->skeleton, skeleton->obj, &skeleton->bss->n_lost);
    r = bpf_prepare_keyed(skeleton->obj, object->of, object->program.table,
                          &skeleton->rodata->is_v1);
    if (r < 0)
        return r;
    skeleton->rodata->layout = layout;
    return bpf_set_places(skeleton->maps.stamps, STAMP_BITS, &skeleton->rodata->stamp_bits);
}

static int ask_for_exit(struct keyed_object *object)
{
    object->refusal = kvm_exit_is_seen() ? BPF_REFUSAL_NONE : BPF_REFUSAL_NO_TRACEFS;
    return object->refusal == BPF_REFUSAL_NONE ? 0 : -ENOENT;
}

/* KVM is asked for first, again and again where there is none: a table takes long to make. */
int kvm_program_load(const struct switch_program *of, size_t entries,
                     struct keyed_program **ret_program, enum bpf_refusal *ret_refusal)
{
    static const struct keyed_loader loader = {.open = open_kvm, .connect = ask_for_exit};

    if (!kvm_is_loaded()) {
        *ret_refusal = BPF_REFUSAL_NO_KVM;
        return -ENODEV;
    }
    return keyed_object_load(&loader, of, entries, ret_program, ret_refusal);
}
