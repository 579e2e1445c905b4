/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What `stat` waits for while it counts: the end of an interval, of the time that was given, of the
 * target, or a signal.
 */

#include <stdbool.h>
#include <stdint.h>

#include "run/target.h"
#include "tool/stat/options.h"
#include "tool/workload.h"

enum wait_outcome {
    WAIT_INTERVAL, /* an interval is over */
    WAIT_ENDED,    /* counting is over */
};

struct wait {
    int signal_fd;    /* SIGINT, SIGTERM, SIGHUP and SIGCHLD arrive here */
    int procfs_fd;    /* borrowed */
    uint64_t next_ns; /* CLOCK_MONOTONIC: the end of the interval; 0: there are none */
    uint64_t end_ns;  /* CLOCK_MONOTONIC: the end of the time that was given; 0: no end */
    int end_signal;   /* the signal that wants us to end; 0: none has come */
    bool is_timed_out;
};

/*
 * Takes signals over: from here on they arrive at the wait. ret_before: the mask as it was. 0 or
 * -errno.
 */
int wait_init(struct wait *wait, int procfs_fd, sigset_t *ret_before);
void wait_done(struct wait *wait);

/* Begins to wait for a run that has been started now. */
void wait_begin(struct wait *wait, const struct stat_options *options, uint64_t now_ns);

/*
 * Waits. The ends of intervals stand at multiples of the interval from the beginning, however late
 * one of them is noticed. A signal that was sent to us alone is passed on to the command; one of
 * the terminal has reached it already. Counting goes on until the command has ended; without a
 * command it ends with the target.
 */
enum wait_outcome wait_for(struct wait *wait, const struct stat_options *options,
                           const struct run_target *target, struct workload *workload);
