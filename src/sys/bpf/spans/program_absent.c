/* SPDX-License-Identifier: Apache-2.0 */

/* Stands for program.c where libbpf, clang or bpftool was not there to build that with. */
#include "sys/bpf/spans/program.h"

#include <errno.h>

int spans_program_load(const struct switch_program *of, size_t entries,
                       struct keyed_program **ret_program, enum bpf_refusal *ret_refusal)
{
    (void)of, (void)entries, (void)ret_program;
    *ret_refusal = BPF_REFUSAL_NOT_BUILT;
    return -EOPNOTSUPP;
}

/* No table can be made, and so none of the following is ever called. */

int spans_program_add(struct keyed_program *spans, size_t number,
                      const struct span_event events[SPAN_SIDES], enum bpf_refusal *ret_refusal)
{
    (void)spans, (void)number, (void)events;
    *ret_refusal = BPF_REFUSAL_NOT_BUILT;
    return -EOPNOTSUPP;
}

void spans_program_remove(struct keyed_program *spans, size_t number)
{
    (void)spans, (void)number;
}

int spans_program_descriptor(const struct keyed_program *spans, size_t number, enum span_side side)
{
    (void)spans, (void)number, (void)side;
    return -1;
}
