/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/bpf/kvm/find_layout.h"

#include <bpf/btf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "sys/tracefs.h"

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

/* Where everything is, by the types that sysfs shows. */
static enum bpf_refusal look_at_types(struct kvm_layout *ret_layout)
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

/* The kernel has a number for the exit, by which it is asked for; it stands in tracefs. */
bool kvm_exit_is_seen(void)
{
    AUTO_CLOSE int sysfs_fd = open("/sys", O_PATH | O_DIRECTORY | O_CLOEXEC);
    AUTO_CLOSE int tracefs_fd = tracefs_open(sysfs_fd);

    return tracefs_fd >= 0 && faccessat(tracefs_fd, "events/kvm/kvm_exit/id", R_OK, 0) == 0;
}

bool kvm_is_loaded(void)
{
    return access("/sys/module/kvm", F_OK) == 0;
}

enum bpf_refusal kvm_layout_find(struct kvm_layout *ret_layout)
{
    return kvm_is_loaded() ? look_at_types(ret_layout) : BPF_REFUSAL_NO_KVM;
}
