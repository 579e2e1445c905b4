/* SPDX-License-Identifier: Apache-2.0 */

/* Stands for program.c where libbpf, clang or bpftool was not there to build that with. */
#include "sys/bpf/profile/program.h"

#include <errno.h>

int profile_program_load(const struct profile_program_size *size,
                         struct profile_program **ret_program, enum bpf_refusal *ret_refusal)
{
    (void)size, (void)ret_program;
    *ret_refusal = BPF_REFUSAL_NOT_BUILT;
    return -EOPNOTSUPP;
}

struct profile_program *profile_program_free(struct profile_program *program)
{
    (void)program;
    return NULL;
}

/* No program can be loaded, and so none of the following is ever called. */

struct profile_arrays profile_program_arrays(const struct profile_program *program)
{
    (void)program;
    return (struct profile_arrays){0};
}

int profile_program_set_process(struct profile_program *program, pid_t pid,
                                const struct profile_process *process)
{
    (void)program, (void)pid, (void)process;
    return -EOPNOTSUPP;
}

void profile_program_clear_process(struct profile_program *program, pid_t pid)
{
    (void)program, (void)pid;
}

bool profile_program_find_process(const struct profile_program *program, pid_t pid,
                                  struct profile_process *ret_process)
{
    (void)program, (void)pid, (void)ret_process;
    return false;
}

int profile_program_visit(struct profile_program *program,
                          void (*visit)(void *context, pid_t pid,
                                        const struct profile_process *process),
                          void *context)
{
    (void)program, (void)visit, (void)context;
    return -EOPNOTSUPP;
}

int profile_program_set_cgroup(struct profile_program *program, uint64_t cgroup, uint32_t number)
{
    (void)program, (void)cgroup, (void)number;
    return -EOPNOTSUPP;
}

void profile_program_clear_cgroup(struct profile_program *program, uint64_t cgroup)
{
    (void)program, (void)cgroup;
}

int profile_program_watch(struct profile_program *program, pid_t pid, uint32_t number,
                          bool children)
{
    (void)program, (void)pid, (void)number, (void)children;
    return -EOPNOTSUPP;
}

void profile_program_unwatch(struct profile_program *program, pid_t pid, uint32_t number)
{
    (void)program, (void)pid, (void)number;
}

int profile_program_begin_cpu(struct profile_program *program, size_t cpu, unsigned rate_hz)
{
    (void)program, (void)cpu, (void)rate_hz;
    return -EOPNOTSUPP;
}

void profile_program_end_cpu(struct profile_program *program, size_t cpu)
{
    (void)program, (void)cpu;
}

bool profile_program_samples_cpu(const struct profile_program *program, size_t cpu)
{
    (void)program, (void)cpu;
    return false;
}

bool profile_program_next_mapped(struct profile_program *program, struct profile_mapped *ret_mapped,
                                 bool *ret_lost)
{
    (void)program, (void)ret_mapped, (void)ret_lost;
    return false;
}

int profile_program_read(struct profile_program *program,
                         int (*take)(void *context, const struct profile_sample *sample),
                         void *context)
{
    (void)program, (void)take, (void)context;
    return -EOPNOTSUPP;
}

size_t profile_program_read_lost(struct profile_program *program,
                                 struct profile_lost ret_lost[static PROFILE_LOST_MOST])
{
    (void)program, (void)ret_lost;
    return 0;
}

void profile_program_begin_recording(struct profile_program *program,
                                     const struct profile_recording *recording)
{
    (void)program, (void)recording;
}

int profile_program_recorder_fd(const struct profile_program *program, bool is_of_software)
{
    (void)program, (void)is_of_software;
    return -EOPNOTSUPP;
}

struct profile_program_figures profile_program_figures(const struct profile_program *program)
{
    (void)program;
    return (struct profile_program_figures){0};
}

int profile_program_list_mappings(struct profile_program *program, pid_t pid,
                                  int (*take)(void *context, const struct profile_vma *vma),
                                  void *context)
{
    (void)program, (void)pid, (void)take, (void)context;
    return -EOPNOTSUPP;
}

int profile_program_symbol(struct profile_program *program, uint64_t address,
                           char ret_symbol[static PROFILE_SYMBOL_SIZE])
{
    (void)program, (void)address, (void)ret_symbol;
    return -EOPNOTSUPP;
}
