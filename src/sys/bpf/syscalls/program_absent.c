/* SPDX-License-Identifier: Apache-2.0 */

/* Stands for program.c where libbpf, clang or bpftool was not there to build that with. */
#include "sys/bpf/syscalls/program.h"

#include <errno.h>

int syscalls_program_load(const struct switch_program *of, size_t entries,
                          struct keyed_program **ret_program, enum bpf_refusal *ret_refusal)
{
    (void)of, (void)entries, (void)ret_program;
    *ret_refusal = BPF_REFUSAL_NOT_BUILT;
    return -EOPNOTSUPP;
}

int syscalls_program_time(struct keyed_program *program, const struct syscalls_timing *timing,
                          enum bpf_refusal *ret_refusal)
{
    (void)program, (void)timing;
    *ret_refusal = BPF_REFUSAL_NOT_BUILT;
    return -EOPNOTSUPP;
}
