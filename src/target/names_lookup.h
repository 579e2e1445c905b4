/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Looks for what the programs of the host call a cgroup. This may wait for a disk. */

#include "target/names.h"
#include "target/state_files.h"

/* Who is asked. */
enum name_source {
    NAMES_OF_KUBERNETES = 1 << 0,
    NAMES_OF_CONTAINERS = 1 << 1,
    NAMES_OF_MACHINES = 1 << 2,
    NAMES_OF_BATCH = 1 << 3,
};

/* Where is looked; descriptors are borrowed. */
struct name_host {
    int root_fd;   /* the root of the host's files; -1: it cannot be opened, and paths alone tell */
    int procfs_fd; /* -1: there is none */
    struct object_reader *reader;  /* of state files (target/state_reader.h); NULL: none is read */
    struct state_refusal *refusal; /* what is to be told of them */
};

/* Whether the process' numbers in the cgroup have to be read, so that its directory is needed. */
bool names_need_directory(const char *path);

/*
 * Adds the names of the cgroup with this path. `sources`: of enum name_source. `cgroup_fd`: its
 * directory, or -1. Returns whether some that it should have are not there yet: kubelet makes its
 * links after a container has begun, and libvirt its file.
 */
bool names_look_up(const struct name_host *host, unsigned sources, const char *path, int cgroup_fd,
                   struct names *names);
