/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Distributions of latency of one target, as /api/v1/targets tells them, and what they amount to.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* More buckets than any distribution has. */
#define DISTRIBUTION_BUCKETS 64

enum distribution_index {
    DISTRIBUTION_RUN_QUEUE,
    DISTRIBUTION_ON_CPU,
    DISTRIBUTION_OFF_CPU_INTERRUPTIBLE,
    DISTRIBUTION_OFF_CPU_UNINTERRUPTIBLE,
    DISTRIBUTION_BLOCK_IO_READ,
    DISTRIBUTION_BLOCK_IO_WRITE,
    DISTRIBUTION_BLOCK_IO_OTHER,
    DISTRIBUTION_BLOCK_IO_QUEUE,
    DISTRIBUTION_COUNT_,
};

struct distribution_name {
    const char *kind;   /* as --kind has it: "off_cpu" */
    const char *label;  /* that tells it from others of its family; NULL: it is alone */
    const char *value;  /* of the label */
    const char *family; /* what stands behind "pmu_cgroup_" in /metrics */
    const char *title;
};

extern const struct distribution_name distribution_names[DISTRIBUTION_COUNT_];

struct distribution {
    bool is_there;                       /* the target has it */
    size_t n;                            /* how many buckets */
    double limits[DISTRIBUTION_BUCKETS]; /* in seconds, ascending; the last is INFINITY */
    double counts[DISTRIBUTION_BUCKETS]; /* what each counts for itself */
    double sum;                          /* of all durations, in seconds */
};

struct distributions {
    double began; /* when the exporter began, in seconds since 1970 */
    double taken; /* when they were read, in seconds of CLOCK_MONOTONIC */
    struct distribution all[DISTRIBUTION_COUNT_];
};

/* Appends the path of the API that asks for the distributions of a target. */
void distributions_append_path(struct text *path, const char *target);

/* Takes an answer apart. What was not observed yet counts as 0. 0, or -EPROTO. */
int distributions_read(const json_t *answer, struct distributions *ret_distributions);

bool distributions_has_any(const struct distributions *distributions);

/*
 * Takes what was counted earlier from what was counted later. -ESTALE: it is not the same exporter,
 * or the target has begun again meanwhile.
 */
int distributions_subtract(struct distributions *later, const struct distributions *earlier);

double distribution_count(const struct distribution *distribution);

/*
 * Returns the quantile, as histogram_quantile() of Prometheus does: what is in a bucket is taken
 * for evenly spread, and in the last one for as long as the limit below it. NAN: nothing was
 * counted.
 */
double distribution_quantile(const struct distribution *distribution, double share);
