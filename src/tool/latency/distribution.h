/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Distributions of latency of one target, and what is counted of it by key, as /api/v1/targets
 * tells them, and what they amount to.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "tool/latency/families.h"

/* More buckets than any distribution has. */
#define DISTRIBUTION_BUCKETS 64

/* The most labels of a key. */
#define DISTRIBUTION_LABELS 2

struct distribution_label {
    char *name, *value; /* NULL: there is no such label, nor one behind it */
};

/* A distribution; or a count, which is one bucket without a limit. */
struct distribution {
    const struct latency_family *family;
    struct distribution_label labels[DISTRIBUTION_LABELS];
    size_t n;                            /* how many buckets */
    double limits[DISTRIBUTION_BUCKETS]; /* in seconds, ascending; the last is INFINITY */
    double counts[DISTRIBUTION_BUCKETS]; /* what each counts for itself */
    double sum;                          /* of all durations, in seconds */
};

struct distributions {
    double began;  /* when the exporter began, in seconds since 1970 */
    double taken;  /* when they were read, in seconds of CLOCK_MONOTONIC */
    bool is_there; /* the target has some of what was asked for, if not yet of any key */
    int one_in;    /* of so many system calls one is timed; 0: it is not known, or there are none */
    struct distribution *all;
    size_t n;
};

void distributions_done(struct distributions *distributions);

static inline void cleanup_distributions(struct distributions *distributions)
{
    distributions_done(distributions);
}
#define AUTO_DISTRIBUTIONS __attribute__((cleanup(cleanup_distributions)))

/* Appends the path of the API that asks for a kind of distributions of a target; NULL: for all. */
void distributions_append_path(struct text *path, const char *target, const char *kind);

/* Takes an answer apart. What was not observed yet counts as 0. 0, -EPROTO or -ENOMEM. */
int distributions_read(const json_t *answer, struct distributions *ret_distributions);

/* The distribution of a family and with these labels; NULL: there is none. */
struct distribution *distributions_find(const struct distributions *distributions,
                                        const struct latency_family *family,
                                        const struct distribution_label *labels);

/*
 * Takes what was counted earlier from what was counted later, and puts all in the order in which
 * they are shown: by family, and the keys of one by how much they have counted. -ESTALE: it is not
 * the same exporter, or the target has begun again meanwhile.
 */
int distributions_subtract(struct distributions *later, const struct distributions *earlier);

double distribution_count(const struct distribution *distribution);

/* Whether it is shown: where the keys are many, those that have counted nothing are not. */
bool distribution_is_shown(const struct distribution *distribution);

/*
 * Returns the quantile, as histogram_quantile() of Prometheus does: what is in a bucket is taken
 * for evenly spread, and in the last one for as long as the limit below it. NAN: nothing was
 * counted.
 */
double distribution_quantile(const struct distribution *distribution, double share);
