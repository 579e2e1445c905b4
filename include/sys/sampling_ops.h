/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Opens events that sample beside that they count: each time that one has counted a period, it
 * calls a program in the kernel. The period is such that there are so many calls a second while the
 * event happens (perf_event_open(2), `freq`), for each CPU or thread that it is opened for: of
 * events of software, but for clocks, up to 10,000 (sys/bpf/profile/thinning.bpf.h says why). What
 * counts by these operations, as a mechanism does, does not notice.
 */

#include "sys/perf_event.h"

/* Programs of type perf_event. */
struct sampling_programs {
    int fd;          /* of events of PMUs, and of clocks */
    int software_fd; /* of other events of software, which get more calls than the rate */
};

struct sampling_ops {
    struct perf_ops ops; /* of the running kernel; its context is this object */
    struct sampling_programs programs;
    unsigned rate_hz;
};

/* The programs are borrowed. */
void sampling_ops_init(struct sampling_ops *sampling, const struct sampling_programs *programs,
                       unsigned rate_hz);
