/* SPDX-License-Identifier: Apache-2.0 */

/* Stands for program.c where libbpf, clang or bpftool was not there to build that with. */
#include "sys/bpf/schedule/program.h"

#include <errno.h>

int schedule_program_load(const struct schedule_wish *wish, struct schedule_program **ret_program,
                          enum bpf_refusal *ret_refusal)
{
    (void)wish;
    (void)ret_program;
    *ret_refusal = BPF_REFUSAL_NOT_BUILT;
    return -EOPNOTSUPP;
}

struct schedule_program *schedule_program_free(struct schedule_program *program)
{
    (void)program;
    return NULL;
}

/* No program can be loaded, and so none of the following is ever called. */

enum bpf_refusal schedule_program_refusal(const struct schedule_program *program,
                                          enum schedule_part part)
{
    (void)program, (void)part;
    return BPF_REFUSAL_NOT_BUILT;
}

pid_t schedule_program_own_number(const struct schedule_program *program)
{
    (void)program;
    return -EOPNOTSUPP;
}

void schedule_program_begin(struct schedule_program *program)
{
    (void)program;
}

void schedule_program_end(struct schedule_program *program)
{
    (void)program;
}

int schedule_program_read(struct schedule_program *program,
                          int (*take)(void *context, const struct schedule_record *record),
                          void *context)
{
    (void)program, (void)take, (void)context;
    return -EOPNOTSUPP;
}

uint32_t schedule_program_untold(const struct schedule_program *program, size_t cpu)
{
    (void)program, (void)cpu;
    return 0;
}

uint64_t schedule_program_lost(const struct schedule_program *program)
{
    (void)program;
    return 0;
}
