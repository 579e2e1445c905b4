/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* One counting of the target, from the opening of its counters to the last figures. */

#include <stdio.h>

#include "count/cpu_usage.h"
#include "count/mechanism.h"
#include "event/resolver.h"
#include "run/target.h"
#include "tool/stat/keep.h"
#include "tool/stat/report.h"
#include "tool/stat/wait.h"
#include "tool/stat/wanted.h"

struct stat_run {
    const struct stat_options *options;
    struct run_machine machine;
    struct event_resolver *resolver;
    struct stat_wanted wanted;
    struct run_wish wish;
    struct run_uncores uncores;
    struct mechanism *mechanism;
    struct run_target target;
    struct workload workload;
    struct workload_origin origin;
    struct wait wait;

    struct figure *figures; /* [row][event]; made with the first run */
    int *cpus;              /* [row] */
    struct report report;
    struct cpu_usage usage; /* of -a: the kernel's accounting */
    struct stat_keep *keep; /* of --run; NULL: nothing is kept */

    FILE *output;
    bool has_colour;
    bool is_output_lost; /* nobody can read what is written; nothing more is */
    int output_error;    /* -errno of a write that failed, unless the reader has just gone; 0 */
};

/*
 * Counts once. Returns 0; -errno, with a message for the user in *ret_message. The status of a
 * command that could not be started is that of a shell in *ret_status (126, 127), else that of the
 * command, or 0.
 */
int stat_run_once(struct stat_run *run, int *ret_status, struct text *ret_message);

/* Writes a text to the output. */
void stat_run_write(struct stat_run *run, const struct text *text);

/* Shows the figures of all runs. 0 or -ENOMEM. */
int stat_run_show(struct stat_run *run);
