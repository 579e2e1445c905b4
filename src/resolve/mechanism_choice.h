/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * By which mechanism cgroups and processes are counted here, and why: the same answer for who
 * counts and for who only asks.
 */

#include "config/config.h"
#include "count/bpf/self_test.h"

/* What is known of this machine, whatever the configuration. All 0: nothing yet. */
struct mechanism_verdict {
    bool is_final;        /* else it is worth while to ask again */
    bool hides;           /* bpf counts what direct counts, but too much is in doubt */
    bool is_open;         /* the self-test could not run: nothing speaks against bpf */
    const char *distrust; /* why not bpf; NULL: it counts what direct counts. Static */
    struct self_test test;
};

struct mechanism_decision {
    bool bpf;                        /* else direct, for whatever is counted */
    struct switch_program_size size; /* of bpf */
    const char *reason;              /* why so. Static */
};

/*
 * Has the mechanism that is to be used and direct count the same, for some milliseconds, at most
 * some seconds. bpf: NULL: it was refused.
 */
struct mechanism_verdict mechanism_judge(const struct perf_ops *ops, int sysfs_fd,
                                         struct mechanism *bpf, enum bpf_refusal refusal);

/* That bpf is left, since too much of what it counts is in doubt: not for ever. */
struct mechanism_verdict mechanism_verdict_of_doubt(void);

/* Whether the configuration leaves it to the machine at all. */
bool mechanism_is_open(const struct config *config, bool has_cgroups);

/*
 * verdict: all 0: what is to be tried. has_cgroups: there is a file system of
 * them; v1: it is of the v1 hierarchy.
 */
struct mechanism_decision mechanism_decide(const struct config *config, int sysfs_fd,
                                           bool has_cgroups, bool v1,
                                           const struct mechanism_verdict *verdict);

/*
 * What this machine would do, asked as the service does, with a self-test where that is needed.
 * Takes some milliseconds, at most some seconds. v1: of the cgroups, as above.
 */
struct mechanism_decision mechanism_foresee(const struct config *config, int sysfs_fd,
                                            bool has_cgroups, bool v1);
