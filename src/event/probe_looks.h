/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Whether what a probe is to be put on is there, and if not, why, and what comes nearest. */

#include "event/probe.h"
#include "reader/object_reader.h"
#include "sys/elf_file.h"

struct probe_found {
    uint64_t position;  /* config2: in bytes from the beginning of the file, or of the function */
    uint64_t semaphore; /* where the file has the semaphore of a USDT probe; 0: it has none */
    struct elf_identity identity; /* of the file; zeroes for the kernel */
    int fd;                       /* the file, which the caller closes; -1: the kernel */
};

/*
 * *ret_why is what people are told: the place is not there, or cannot be used. The caller frees it.
 * NULL: it is there, and *ret_found has it. Returns 0 or -ENOMEM.
 *
 * The path is looked up in our own mount namespace, below our own root directory, as the kernel
 * does when the probe is opened. A program is known by its inode: so processes of other namespaces
 * and of containers are counted if it is this file that they run, whatever it is called there.
 *
 * The file is opened here, and a worker of `reader` looks into it. NULL: that has never come to
 * life, and no program can be looked into.
 */
int probe_look_into_file(struct object_reader *reader, enum probe_kind kind,
                         const struct probe_place *place, struct probe_found *ret_found,
                         char **ret_why);

/* A kernel whose list of functions cannot be read is taken to have the function. */
int probe_look_into_kernel(const struct probe_place *place, struct probe_found *ret_found,
                           char **ret_why);
