/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Processes that procfs does not show: the mount options hidepid and gid of proc(5). Who may trace
 * a process sees it all the same: one's own, and with CAP_SYS_PTRACE all.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct hidepid {
    bool hides;      /* processes of other users are not shown, or not told of */
    bool from_group; /* from members of `group` too: hidepid=ptraceable */
    gid_t group;     /* gid=; root's where none is given */
};

/*
 * What a line of mountinfo (proc(5)) says of the mount of that number. False, and the output
 * untouched, where it is of another, or not of procfs.
 */
bool hidepid_parse(const char *line, uint64_t mount, struct hidepid *ret_hidepid);

/* How this procfs was mounted; hides nothing where that cannot be told. */
struct hidepid hidepid_read(int procfs_fd);

/* Whether it hides processes of others from us, with the capabilities and groups that we have. */
bool hidepid_hides_from_us(int procfs_fd);
