/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Stands for the program in the kernel that samples, as far as it is told whose samples are whose.
 * It takes the place of sys/bpf/profile in the test that includes it.
 */

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "sys/bpf/profile/program.h"

#define FAKE_MOST 64

struct profile_program {
    struct {
        uint64_t id;
        uint32_t number; /* 0: the place is free */
    } cgroups[FAKE_MOST];
    struct {
        pid_t pid;
        uint32_t number; /* 0: the place is free */
        bool children;
    } watched[FAKE_MOST];
    size_t room;  /* how many cgroups, and how many processes, there may be; at most FAKE_MOST */
    size_t calls; /* how often it was told of a process */
};

static inline uint32_t fake_cgroup(const struct profile_program *program, uint64_t id)
{
    for (size_t i = 0; i < FAKE_MOST; i++)
        if (program->cgroups[i].number && program->cgroups[i].id == id)
            return program->cgroups[i].number;
    return 0;
}

static inline uint32_t fake_process(const struct profile_program *program, pid_t pid)
{
    for (size_t i = 0; i < FAKE_MOST; i++)
        if (program->watched[i].number && program->watched[i].pid == pid)
            return program->watched[i].number;
    return 0;
}

int profile_program_set_cgroup(struct profile_program *program, uint64_t cgroup, uint32_t number)
{
    size_t place = program->room;

    for (size_t i = program->room; i-- > 0;)
        if (!program->cgroups[i].number && place == program->room)
            place = i;
    for (size_t i = 0; i < program->room; i++)
        if (program->cgroups[i].number && program->cgroups[i].id == cgroup)
            place = i;
    if (place == program->room)
        return -E2BIG;
    program->cgroups[place].id = cgroup;
    program->cgroups[place].number = number;
    return 0;
}

void profile_program_clear_cgroup(struct profile_program *program, uint64_t cgroup)
{
    for (size_t i = 0; i < program->room; i++)
        if (program->cgroups[i].id == cgroup)
            program->cgroups[i].number = 0;
}

int profile_program_watch(struct profile_program *program, pid_t pid, uint32_t number,
                          bool children)
{
    size_t place = program->room;

    program->calls++;
    for (size_t i = program->room; i-- > 0;)
        if (!program->watched[i].number && place == program->room)
            place = i;
    for (size_t i = 0; i < program->room; i++)
        if (program->watched[i].number && program->watched[i].pid == pid)
            place = i;
    if (place == program->room)
        return -E2BIG;
    program->watched[place].pid = pid;
    program->watched[place].number = number;
    program->watched[place].children = children;
    return 0;
}

void profile_program_unwatch(struct profile_program *program, pid_t pid, uint32_t number)
{
    for (size_t i = 0; i < program->room; i++)
        if (program->watched[i].pid == pid && program->watched[i].number == number)
            program->watched[i].number = 0;
}
