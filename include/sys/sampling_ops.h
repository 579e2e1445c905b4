/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Opens events that sample beside that they count: each time that one has counted a period, it
 * calls a program in the kernel. The period is such that there are so many calls a second while the
 * event happens (perf_event_open(2), `freq`), for each CPU or thread that it is opened for. What
 * counts by these operations, as a mechanism does, does not notice.
 */

#include "sys/perf_event.h"

struct sampling_ops {
    struct perf_ops ops; /* of the running kernel; its context is this object */
    int program_fd;      /* a program of type perf_event; borrowed */
    unsigned rate_hz;
};

void sampling_ops_init(struct sampling_ops *sampling, int program_fd, unsigned rate_hz);
