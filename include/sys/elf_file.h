/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Opens a program or library on which a probe is to be put, and looks at nothing in it.
 *
 * The kernel looks up the file once more when a probe is opened. If another file had the path by
 * then, after an update or because somebody wants to do harm, the probe would be put at this offset
 * of that file, perhaps in the midst of an instruction. So the kernel is given the file that was
 * looked at, by its descriptor. Symbolic links on the way are followed if root or our own user made
 * them.
 */

#include <stdint.h>

#include "sys/trusted_path.h"

/* Which file it is, wherever its path leads to later. */
struct elf_identity {
    uint64_t device;
    uint64_t inode;
};

/* Why a file or a place in it cannot be used. A negative value is an errno: it cannot be read. */
enum elf_outcome {
    ELF_FOUND,
    ELF_FOREIGN_LINK, /* a symbolic link of another user is on the way to it */
    ELF_PROCESS_LINK, /* a link to what another process sees ("/proc/7/root") is on the way to it */
    ELF_NO_FILE,      /* it is no regular file */
    ELF_NO_PROGRAM,   /* it is no program or library of this machine, or a damaged one */
    ELF_TOO_LARGE,    /* a table of it is larger than we read */
    ELF_MISSING,      /* it has no such function or marker */
    ELF_AMBIGUOUS,    /* it has several of this name */
    ELF_INDIRECT,     /* the function is chosen when the program starts (IFUNC) */
    ELF_BEYOND,       /* the function ends before this offset */
    ELF_NOT_EXECUTABLE, /* the place is not in what is executed */
};

/*
 * Opens a file. ELF_FOUND: the caller closes *ret_fd. ELF_FOREIGN_LINK: *ret_doubt tells which.
 * Another outcome, or -errno.
 */
int elf_file_open(const char *path, int *ret_fd, struct elf_identity *ret_identity,
                  struct path_doubt *ret_doubt);
