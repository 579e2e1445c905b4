/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/bpf/kvm/program.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sys/bpf/keyed_loading.h"
#include "sys/bpf/kvm/layout.h"
#include "sys/bpf/loading.h"
#include "sys/tracefs.h"

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

/* The types of the kernel, and those of KVM, which are the same where it is no module. */
struct types {
    struct btf *kernel, *kvm;
};

static void types_done(const struct types *types)
{
    if (types->kvm != types->kernel)
        btf__free(types->kvm);
    btf__free(types->kernel);
}

static const struct btf_type *resolve(const struct btf *btf, __u32 id)
{
    const struct btf_type *type = btf__type_by_id(btf, id);

    while (type && (btf_is_mod(type) || btf_is_typedef(type)))
        type = btf__type_by_id(btf, type->type);
    return type;
}

/* The type of what a tracepoint calls; NULL: there is none. */
static const struct btf_type *find_hook(const struct btf *btf, const char *name)
{
    const int id = btf__find_by_name_kind(btf, name, BTF_KIND_TYPEDEF);
    const struct btf_type *type = id > 0 ? resolve(btf, (__u32)id) : NULL;

    type = type && btf_is_ptr(type) ? resolve(btf, type->type) : NULL;
    return type && btf_is_func_proto(type) ? type : NULL;
}

/* The offset (bytes) of a member; 0: there is none, or it is the first, which we never want. */
static __u32 offset_of(const struct btf *btf, const char *structure, const char *member)
{
    const int id = btf__find_by_name_kind(btf, structure, BTF_KIND_STRUCT);
    const struct btf_type *type = id > 0 ? btf__type_by_id(btf, (__u32)id) : NULL;
    const int n = type ? btf_vlen(type) : 0;

    for (int i = 0; i < n; i++)
        if (strcmp(btf__name_by_offset(btf, btf_members(type)[i].name_off), member) == 0)
            return btf_member_bit_offset(type, (__u32)i) / 8;
    return 0;
}

/* Where the number of the vCPU is: kvm_entry tells the vCPU, or its number, or an address. */
static __u32 find_vcpu(const struct btf *btf, const struct btf_type *on_entry)
{
    const struct btf_type *first =
        btf_vlen(on_entry) >= 2 ? resolve(btf, btf_params(on_entry)[1].type) : NULL;

    if (first && btf_is_ptr(first))
        return offset_of(btf, "kvm_vcpu", "vcpu_id");
    return first && first->size == sizeof(__u32) ? KVM_VCPU_ARGUMENT : KVM_VCPU_UNTOLD;
}

/* Where everything is. Whether the program knows this KVM. */
static bool find_layout(const struct btf *btf, struct kvm_layout *ret_layout)
{
    static const char record[] = "trace_event_raw_kvm_exit";
    const struct btf_type *on_entry = find_hook(btf, "btf_trace_kvm_entry");
    struct kvm_layout layout = {.reason = offset_of(btf, record, "exit_reason"),
                                .second = offset_of(btf, record, "isa")};

    if (!layout.reason)
        layout = (struct kvm_layout){.reason = offset_of(btf, record, "ret"),
                                     .second = offset_of(btf, record, "esr_ec"),
                                     .is_arm64 = true};
    if (!on_entry || !layout.reason || !layout.second)
        return false;
    layout.vcpu = find_vcpu(btf, on_entry);
    *ret_layout = layout;
    return true;
}

static enum bpf_refusal look_at_kvm(struct kvm_layout *ret_layout)
{
    __attribute__((cleanup(types_done))) struct types types = {.kernel = btf__load_vmlinux_btf()};

    if (!types.kernel)
        return BPF_REFUSAL_NO_BTF;
    types.kvm = find_hook(types.kernel, "btf_trace_kvm_exit")
                    ? types.kernel
                    : btf__load_module_btf("kvm", types.kernel);
    if (!types.kvm)
        return BPF_REFUSAL_NO_BTF;
    return find_layout(types.kvm, ret_layout) ? BPF_REFUSAL_NONE : BPF_REFUSAL_NO_HOOK;
}

static int prepare(struct kvm_program *program)
{
    struct kvm_bpf *skeleton = program->skeleton;
    struct kvm_layout layout;
    bool v1;
    int r = bpf_prepare_keyed(skeleton->obj, program->of, program->entries, &v1);

    if (r < 0)
        return r;
    program->refusal = look_at_kvm(&layout);
    if (program->refusal != BPF_REFUSAL_NONE)
        return -ENODEV;
    skeleton->rodata->layout = layout;
    skeleton->rodata->is_v1 = v1;
    skeleton->rodata->stamp_bits = STAMP_BITS;
    return bpf_map__set_max_entries(skeleton->maps.stamps, UINT32_C(1) << STAMP_BITS);
}

/* The kernel has a number for the exit, by which it is asked for; it stands in tracefs. */
static bool can_see_exit(void)
{
    AUTO_CLOSE int sysfs_fd = open("/sys", O_PATH | O_DIRECTORY | O_CLOEXEC);
    AUTO_CLOSE int tracefs_fd = tracefs_open(sysfs_fd);

    return tracefs_fd >= 0 && faccessat(tracefs_fd, "events/kvm/kvm_exit/id", R_OK, 0) == 0;
}

static int attach(struct kvm_program *program)
{
    if (!can_see_exit()) {
        program->refusal = BPF_REFUSAL_NO_TRACEFS;
        return -ENOENT;
    }
    return kvm_bpf__attach(program->skeleton);
}

/* It is asked first, since it is asked again and again where there is none: types take long. */
static bool is_there(void)
{
    return access("/sys/module/kvm", F_OK) == 0;
}

static int load(void *loaded)
{
    struct kvm_program *program = loaded;
    int r;

    if (!is_there()) {
        program->refusal = BPF_REFUSAL_NO_KVM;
        return -ENODEV;
    }
    program->skeleton = kvm_bpf__open();
    if (!program->skeleton)
        return -errno;
    r = prepare(program);
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
