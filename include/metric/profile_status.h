/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What the sampling of stacks tells of itself. Who samples does it on a thread of its own and
 * leaves the numbers in a slot, from which each snapshot gets a copy.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "reader/object_reader.h"
#include "sys/bpf/profile/record.h"

/* What is a number is of the time since the start of the exporter, or of now. */
struct profile_status {
    bool wanted;                             /* the configuration asks for samples */
    const char *reason;                      /* why nothing is sampled; NULL: it is. Static */
    double rate_hz;                          /* samples a second of each CPU */
    uint64_t samples;                        /* that were taken */
    uint64_t lost;                           /* that found no room on their way from the kernel */
    uint64_t stacks[PROFILE_OUTCOME_COUNT_]; /* how far they were unwound */
    uint64_t jobs[OBJECT_OUTCOME_COUNT_];    /* files that were to be read */
    uint64_t files_read, files_awaited, files_refused, files_missing, files_kept; /* now */
    uint64_t table_bytes; /* in use of the tables in the kernel */
    uint64_t kept_bytes;  /* of samples, names, files and processes */
    uint64_t folded_samples;
    uint64_t dropped_slices;
    uint64_t processes_without_room; /* times that one found none for what it has mapped */
    uint64_t files_without_room;     /* times that a program or library found none */
    uint64_t tables_without_room;    /* times that what was read of one found none */
    uint64_t maps_without_room;      /* times that a map of compiled functions found none */
    uint64_t processes;              /* whose mappings are known now */
    uint64_t program_ns, sampler_cpu_ns, reader_cpu_ns;
};

struct profile_status_slot;
struct profile_status_slot *profile_status_slot_new(void); /* NULL: no memory */
struct profile_status_slot *profile_status_slot_free(struct profile_status_slot *slot);
DEFINE_AUTO(profile_status_slot, struct profile_status_slot *, profile_status_slot_free)

/* Both may be called by any thread. In a new slot nothing is wanted. */
void profile_status_slot_set(struct profile_status_slot *slot, const struct profile_status *status);
struct profile_status profile_status_slot_get(struct profile_status_slot *slot);
