/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Samples all CPUs and keeps what they do in a store, by functions. It belongs to one thread, which
 * gives it a turn some times a second.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "profile/annotation.h"
#include "profile/store.h"
#include "profile/targets.h"
#include "reader/object_reader.h"
#include "sys/bpf/profile/record.h"
#include "sys/bpf/refusal.h"
#include "sys/cpu_list.h"

/*
 * How long a sample waits at most for what its functions are named by: then it is in the store,
 * with the next turn.
 */
#define SAMPLER_PATIENCE_NS (10 * NS_PER_SECOND)

struct sampler;

/* Everything is borrowed for the life of the sampler, but for the sizes. */
struct sampler_setup {
    struct profile_store *store;
    struct profile_targets *targets;
    struct object_reader *reader;
    int procfs_fd;
    size_t n_cpus;      /* one more than the highest number of a CPU that can be there */
    unsigned rate_hz;   /* 1 to 999 */
    size_t table_bytes; /* what the tables of all files may take in the kernel */
    size_t cgroups;     /* that may have samples of their own at once */
    size_t processes;   /* that may be in groups */
    bool is_v1;         /* cgroups are those of the cgroup v1 hierarchy of perf_event */
};

/*
 * Loads the program, and has the targets told apart. It samples nothing yet. 0, or -errno; then
 * *ret_refusal says why, if it was the kernel that refused it.
 */
int sampler_new(const struct sampler_setup *setup, struct sampler **ret_sampler,
                enum bpf_refusal *ret_refusal);
struct sampler *sampler_free(struct sampler *sampler);
DEFINE_AUTO(sampler, struct sampler *, sampler_free)

/*
 * Samples these CPUs from here on, and no others. They begin apart from each other, within one
 * period, so that their interrupts do not meet; the call takes as long. 0, or -errno of the last
 * one that could not be sampled.
 */
int sampler_set_cpus(struct sampler *sampler, const struct cpu_list *cpus);

/*
 * Takes what was sampled, learns what processes have mapped, reads files. 0; -EPIPE: the reader has
 * ended; -errno.
 */
int sampler_turn(struct sampler *sampler);

/*
 * How long it may be until the next turn: a fifth of a second, which leaves little to be told late;
 * less where processes map so much that the kernel's room for telling of it may run out, and a
 * hundredth while something is recorded.
 */
uint64_t sampler_wait_ns(const struct sampler *sampler);

/*
 * Becomes readable when a file was read: then a turn is worth while. -1: none is being read.
 * Borrowed until the next turn.
 */
int sampler_fd(const struct sampler *sampler);

/*
 * Has the function of these places listed, and its samples counted for its instructions. What is
 * returned is borrowed from the sampler until its next turn. 0; -EINPROGRESS: it is being read, and
 * is to be asked for again after a turn; -ENXIO: where its code is, is not known any more; what
 * code_desk_ask() returns; -EOPNOTSUPP: libcapstone is not there; -ENOMEM.
 */
int sampler_annotate(struct sampler *sampler, const struct profile_places *places,
                     struct annotation **ret_annotation);

/*
 * A recording: other events than the sampler's own call the program, those of one target that
 * somebody asked for, and their samples are kept apart. There is one at a time. 0; -EBUSY: there is
 * one already; -ENOMEM. most_nodes: as in recorded_new().
 */
int sampler_begin_recording(struct sampler *sampler, const struct profile_recording *how,
                            size_t most_nodes);

/* The program that its events are to call, as of profile_program_recorder_fd(). Borrowed. */
int sampler_recorder_fd(const struct sampler *sampler, bool is_of_software);

/* What a recording comes to. */
struct sampler_recorded {
    struct profile_tree *tree; /* owned by who gets it */
    uint64_t samples, lost;    /* those lost found no room in the ring */
    uint64_t stacks[PROFILE_OUTCOME_COUNT_];
};

/*
 * Says that no more samples come. Then it is asked after each turn whether all are in, and named;
 * it takes no longer than some ten seconds. 0: it is over, and there may be another one; -EAGAIN:
 * not yet; -ENOENT: there is no recording; -ENOMEM: it is over, and lost.
 */
int sampler_end_recording(struct sampler *sampler, struct sampler_recorded *ret_recorded);

/* The same at once, with what is known now. A turn right before it takes in the last samples. */
int sampler_cut_recording(struct sampler *sampler, struct sampler_recorded *ret_recorded);

/*
 * The path of a program or library whose tables are not used, since it is too large, took too long,
 * or was more than the reader survived: the first one since the last call. The caller frees it.
 * NULL: there was none, or no memory.
 */
char *sampler_take_refused(struct sampler *sampler, enum object_outcome *ret_outcome);

struct sampler_figures {
    uint64_t samples; /* that are in the store */
    uint64_t lost;    /* that found no room in the ring */
    uint64_t waiting; /* that wait now for a file to be read */
    uint64_t stacks[PROFILE_OUTCOME_COUNT_];
    uint64_t program_ns;    /* what the program in the kernel took */
    uint64_t reader_cpu_ns; /* what the process took that reads files */
    uint64_t jobs[OBJECT_OUTCOME_COUNT_];
    uint64_t files_read, files_awaited, files_refused, files_missing, files_kept;
    uint64_t processes, mappings;
    /* Times that there was none. */
    uint64_t processes_without_room, files_without_room, tables_without_room, maps_without_room;
    uint64_t table_bytes; /* in use of the tables in the kernel */
    uint64_t bytes;       /* what is kept of files and of processes */
};

void sampler_figures(const struct sampler *sampler, struct sampler_figures *ret_figures);

/* The words for how stacks end: "complete", "truncated", … */
const char *profile_outcome_name(enum profile_outcome outcome);
