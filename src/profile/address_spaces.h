/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What processes have mapped, as the program in the kernel needs it to unwind. A process is looked
 * at when it has been sampled, or has mapped something. Lists of mappings are shared by those that
 * a process has started, so a list is free when no process has it any more.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/known_files.h"
#include "sys/bpf/profile/program.h"

struct address_spaces;

/* program and files are borrowed. n: mappings that there is room for. NULL: no memory. */
struct address_spaces *address_spaces_new(struct profile_program *program,
                                          struct known_files *files, size_t n, int procfs_fd);
struct address_spaces *address_spaces_free(struct address_spaces *spaces);
DEFINE_AUTO(address_spaces, struct address_spaces *, address_spaces_free)

/* Files that a process had mapped at places where they are no more. */
#define SPACE_LOST_MOST 32

struct space_change {
    size_t n_lost; /* more than SPACE_LOST_MOST: all of its files count as lost */
    uint32_t lost[SPACE_LOST_MOST];
};

/*
 * Looks at a process. 0; -ESRCH: it has ended; -ENOSPC: there is no room for its mappings;
 * -EOPNOTSUPP: this kernel can show only all processes; -errno. On failure it is not known any
 * more, and all of its files count as lost.
 */
int address_spaces_look(struct address_spaces *spaces, pid_t pid, struct space_change *ret_change);

/* Looks at all processes. 0 or -errno. */
int address_spaces_look_at_all(struct address_spaces *spaces);

/* What is at an address. */
enum space_part { SPACE_NOTHING, SPACE_FILE, SPACE_ANONYMOUS };

/*
 * What a process with this memory has at an address, as it was seen last; of a file also its number
 * and the place in it.
 */
enum space_part address_spaces_find(const struct address_spaces *spaces, pid_t pid, uint64_t memory,
                                    uint64_t address, uint32_t *ret_file, uint32_t *ret_place);

struct space_sweep {
    void (*look_again)(void *context, pid_t pid); /* a file of it may find a number now */
    void *context;
    uint64_t now_ns;
};

/* Frees lists that no process has any more, entries of processes that have ended, and files that
 * nobody has mapped. Walks that began before the last look must be over. */
void address_spaces_sweep(struct address_spaces *spaces, const struct space_sweep *sweep);

struct address_spaces_figures {
    size_t processes, mappings;
    uint64_t without_room; /* looks that found no room, since the start */
};

void address_spaces_figures(const struct address_spaces *spaces,
                            struct address_spaces_figures *ret_figures);
