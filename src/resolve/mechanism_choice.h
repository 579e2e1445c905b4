/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * By which mechanism cgroups and processes are counted here, and why. The service, which counts,
 * and `check config`, which only tells, both ask mechanism_choose(), and so get the same answer.
 */

#include "config/config.h"
#include "count/bpf/self_test.h"
#include "sys/cgroup_root.h"

/*
 * What is known about bpf on this machine, whatever the configuration. All zero: nothing is known
 * yet, and bpf is worth a try.
 */
struct mechanism_verdict {
    bool is_final;          /* testing again would give the same result */
    bool hides;             /* bpf counts what direct counts, but too much is in doubt */
    bool is_open;           /* the self-test could not run: nothing speaks against bpf */
    bool refuses_latencies; /* the kernel takes the program only without them */
    const char *distrust;   /* why bpf is not used; NULL: nothing is wrong with it. Static */
    struct self_test test;
};

/*
 * The verdict for leaving bpf since too much of what it counted was in doubt. It holds until the
 * caller forgets it, to try bpf again in quieter times.
 */
struct mechanism_verdict mechanism_verdict_of_doubt(void);

/* What the choice depends on. Everything is borrowed. */
struct mechanism_question {
    const struct config *config;
    int sysfs_fd;
    int procfs_fd; /* -1: there is no procfs; processes cannot be counted by bpf then */
    const struct cgroup_root *root; /* its fd is -1 where there are no cgroups */
    struct mechanism *running;      /* the bpf mechanism that counts now; NULL: none does */
    struct switch_program_size running_size; /* how large that one is */
    bool lacks_descriptors; /* the limit of open files has no room for a bpf mechanism */
    uint64_t most_bytes;    /* what a bpf mechanism may take of the kernel; 0: no limit is known */
};

/* The reason then. Static. */
const char *mechanism_lacks_descriptors(void);

/* Why a mechanism of this size would be too large for the memory that there is; NULL: it is not. */
const char *mechanism_lacks_memory(const struct mechanism_question *question,
                                   const struct switch_program_size *size);

struct mechanism_choice {
    struct mechanism *bpf; /* the running one, or a new one, which is the caller's; NULL: direct */
    struct switch_program_size size; /* how large bpf is */
    const char *reason;              /* why it is this mechanism. Static */
    bool is_left_to_machine;         /* the configuration did not decide it alone */
    bool lacks_memory;               /* the reason is mechanism_lacks_memory() */
    bool is_tested;                  /* the self-test was tried now: *verdict is new */
};

/*
 * Chooses. A bpf mechanism that runs and is large enough is kept; else a new one is made, and, as
 * long as the verdict is not final, tested: that takes some milliseconds, at most some seconds.
 * Where procfs is that of another PID namespace than the initial one, which the BPF program sees,
 * the new mechanism does not count processes (counts_processes is false). *verdict is brought up to
 * date.
 */
struct mechanism_choice mechanism_choose(const struct mechanism_question *question,
                                         struct mechanism_verdict *verdict);

/*
 * Whether this mechanism counts targets of a kind, with one set of counters on each CPU that all of
 * them share. bpf: NULL: there is none, and direct counts each target with counters of its own.
 */
static inline bool mechanism_is_shared(const struct mechanism *bpf, enum scope_kind kind)
{
    return bpf && (kind != SCOPE_PROCESS || bpf->counts_processes);
}
