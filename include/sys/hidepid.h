/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Processes that procfs does not show, by its mount options hidepid and gid (proc(5)). Whoever may
 * trace a process sees it all the same: a user sees his own processes, and with CAP_SYS_PTRACE all.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct hidepid {
    bool hides;      /* processes of other users, or what is known of them, are not shown */
    bool from_group; /* they are not shown to members of `group` either (hidepid=ptraceable) */
    gid_t group;     /* gid=; 0, root's group, where it is not given */
};

/*
 * Parses a line of mountinfo (proc(5)). False, with the output untouched: the line is not about the
 * mount of this number, or that is no procfs.
 */
bool hidepid_parse(const char *line, uint64_t mount, struct hidepid *ret_hidepid);

/* How this procfs was mounted. Where that is not known, it is taken to hide nothing. */
struct hidepid hidepid_read(int procfs_fd);

/* Whether procfs hides processes of others from us, given our capabilities and groups. */
bool hidepid_hides_from_us(int procfs_fd);
