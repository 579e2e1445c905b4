/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/bpf/tracepoint.h"

#include <bpf/btf.h>
#include <stdio.h>

/*
 * The kernel has a type for what a tracepoint calls: typedef void (*btf_trace_NAME)(void *, ...).
 * The first argument is not the tracepoint's.
 */
static const struct btf_type *find_function(const struct btf *btf, const char *name)
{
    const struct btf_type *type;
    char full[128];
    int id;

    (void)snprintf(full, sizeof(full), "btf_trace_%s", name);
    id = btf__find_by_name_kind(btf, full, BTF_KIND_TYPEDEF);
    type = id > 0 ? btf__type_by_id(btf, (__u32)id) : NULL;
    type = type ? btf__type_by_id(btf, type->type) : NULL;
    type = type && btf_is_ptr(type) ? btf__type_by_id(btf, type->type) : NULL;
    return type && btf_is_func_proto(type) ? type : NULL;
}

int bpf_tracepoint_arguments(const char *name)
{
    struct btf *btf = btf__load_vmlinux_btf();
    const struct btf_type *function = btf ? find_function(btf, name) : NULL;
    const int n = function ? (int)btf_vlen(function) - 1 : -1;

    btf__free(btf);
    return n;
}

bool bpf_tracepoints_exist(const char *const names[], size_t n)
{
    struct btf *btf = btf__load_vmlinux_btf();
    bool exist = btf;

    for (size_t i = 0; i < n && exist; i++)
        exist = find_function(btf, names[i]);
    btf__free(btf);
    return exist;
}
