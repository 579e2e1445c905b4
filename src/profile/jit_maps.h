/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Functions that were made at run time, by the maps that runtimes write for perf(1):
 * /tmp/perf-PID.map in the file system of the process. A map is read again when code without a name
 * was sampled, at most every ten seconds. It is believed only if it is the process's user who has
 * written it, and names nothing but code of that process.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "profile/object_table.h"
#include "profile/store.h"
#include "reader/object_reader.h"

struct jit_maps;

/* The store is borrowed. NULL: no memory. */
struct jit_maps *jit_maps_new(struct profile_store *store, int procfs_fd);
struct jit_maps *jit_maps_free(struct jit_maps *maps);
DEFINE_AUTO(jit_maps, struct jit_maps *, jit_maps_free)

/* Where a sample has met code that was made at run time. */
struct jit_place {
    pid_t pid;
    uint64_t memory, address;
    uint64_t time_ns; /* CLOCK_MONOTONIC, of the sample */
};

/*
 * The function that is there; one without a name where there is no map, or where the map has none,
 * which was read after the sample. False: the map is being asked for, or will be in some seconds.
 */
bool jit_maps_function(struct jit_maps *maps, const struct jit_place *place, uint64_t now_ns,
                       uint32_t *ret_function);

/* Opens the next map to be read; the caller closes job->fd. False: there is none. */
bool jit_maps_next_job(struct jit_maps *maps, uint64_t now_ns, struct object_job *ret_job);
void jit_maps_take(struct jit_maps *maps, const struct object_result *result, uint64_t now_ns);

/* Forgets what was not asked for since a while. */
void jit_maps_sweep(struct jit_maps *maps, uint64_t now_ns);

/* How often a map found no room, or lost it to smaller ones. */
uint64_t jit_maps_without_room(const struct jit_maps *maps);

/* What is kept, in bytes: 8 MiB at most, beside what is known of the processes. */
size_t jit_maps_bytes(const struct jit_maps *maps);
