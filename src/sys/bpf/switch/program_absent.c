/* SPDX-License-Identifier: Apache-2.0 */

/* Stands for program.c where libbpf, clang or bpftool was not there to build that with. */
#include "sys/bpf/switch/program.h"

#include <errno.h>

int switch_program_load(const struct switch_program_size *size, struct switch_program **ret_program,
                        enum bpf_refusal *ret_refusal)
{
    (void)size;
    (void)ret_program;
    *ret_refusal = BPF_REFUSAL_NOT_BUILT;
    return -EOPNOTSUPP;
}

struct switch_program *switch_program_free(struct switch_program *program)
{
    (void)program;
    return NULL;
}

/* No program can be loaded, and so none of the following is ever called. */

int switch_program_attach_last(struct switch_program *program)
{
    (void)program;
    return -EOPNOTSUPP;
}

uint64_t *switch_program_cell(const struct switch_program *program, size_t cpu, size_t slot)
{
    (void)program, (void)cpu, (void)slot;
    return NULL;
}

void switch_program_place_event(struct switch_program *program, size_t event, size_t value,
                                size_t times, enum switch_event_kind kind)
{
    (void)program, (void)event, (void)value, (void)times, (void)kind;
}

void switch_program_set_n_events(struct switch_program *program, size_t n_events)
{
    (void)program, (void)n_events;
}

int switch_program_set_event(struct switch_program *program, size_t cpu, size_t event, int fd,
                             const struct switch_program_reading *base)
{
    (void)program, (void)cpu, (void)event, (void)fd, (void)base;
    return -EOPNOTSUPP;
}

int switch_program_set_slot(struct switch_program *program, uint64_t cgroup, size_t slot)
{
    (void)program, (void)cgroup, (void)slot;
    return -EOPNOTSUPP;
}

int switch_program_clear_slot(struct switch_program *program, uint64_t cgroup)
{
    (void)program, (void)cgroup;
    return -EOPNOTSUPP;
}

void switch_program_set_watching(struct switch_program *program, bool watching)
{
    (void)program, (void)watching;
}

int switch_program_watch(struct switch_program *program, pid_t process, size_t slot, bool children)
{
    (void)program, (void)process, (void)slot, (void)children;
    return -EOPNOTSUPP;
}

void switch_program_unwatch(struct switch_program *program, pid_t process, size_t slot)
{
    (void)program, (void)process, (void)slot;
}

void switch_program_unwatch_slot(struct switch_program *program, size_t slot)
{
    (void)program, (void)slot;
}

uint64_t switch_program_unfollowed(const struct switch_program *program)
{
    (void)program;
    return 0;
}

pid_t switch_program_own_number(const struct switch_program *program)
{
    (void)program;
    return -EOPNOTSUPP;
}

int switch_program_refresh(struct switch_program *program, size_t cpu)
{
    (void)program, (void)cpu;
    return -EOPNOTSUPP;
}

void switch_program_begin_cpu(struct switch_program *program, size_t cpu)
{
    (void)program, (void)cpu;
}

struct switch_doubt switch_program_doubt(const struct switch_program *program)
{
    (void)program;
    return (struct switch_doubt){0};
}

void switch_program_place_cpu(struct switch_program *program, size_t cpu, unsigned core,
                              unsigned llc, unsigned node)
{
    (void)program, (void)cpu, (void)core, (void)llc, (void)node;
}

bool switch_program_has_latencies(const struct switch_program *program)
{
    (void)program;
    return false;
}

struct switch_program_latency *switch_program_latencies(const struct switch_program *program)
{
    (void)program;
    return NULL;
}

uint64_t switch_program_unknown_latencies(const struct switch_program *program)
{
    (void)program;
    return 0;
}

int switch_program_maps(const struct switch_program *program, struct switch_program_maps *ret_maps)
{
    (void)program, (void)ret_maps;
    return -EOPNOTSUPP;
}
