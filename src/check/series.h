/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * How many series a configuration makes, and what they cost a Prometheus that scrapes them. It is
 * the most that there can be: distributions, and what is counted by key, have the series of what
 * has been observed, which is often fewer.
 */

#include <stddef.h>
#include <stdint.h>

#include "check/report.h"

/*
 * What a sample takes on the disk of a Prometheus, after compression. Its documentation says 1 to 2
 * bytes. Of two live exporters that were scraped every 2 s for half an hour, samples took 1.4
 * bytes, and 1.6 with the index.
 */
#define CHECK_BYTES_PER_SAMPLE 1.5

struct check_series_row {
    const char *what; /* "machine", "cpus", "cgroups", "processes", or a PMU's name; borrowed */
    size_t rule;      /* counted from 1; 0: it is of no rule */
    size_t n_targets; /* sockets, for a PMU */
    size_t each;      /* series of one target, at most */
};

struct check_series {
    struct check_series_row *rows;
    size_t n_rows;
    size_t n_own; /* the exporter's own, about */
    size_t n_all; /* of targets, which are `limit` at most, and the exporter's own */
    size_t limit; /* limits.series */
};

struct check_series_request {
    size_t targets_each; /* so many of each rule are supposed; SIZE_MAX: those that it takes now */
    uint64_t scrape_interval_ns;
};

/*
 * Finds the series of what was decided (result->undecided is 0). 0 or -errno: the machine cannot be
 * asked. check_series_done() in every case.
 */
int check_series_find(const struct check_result *result, const struct check_series_request *request,
                      struct check_series *ret_series);
void check_series_done(struct check_series *series);

double check_series_samples_per_second(const struct check_series *series,
                                       const struct check_series_request *request);
double check_series_bytes_a_day(const struct check_series *series,
                                const struct check_series_request *request);

/* Prints a table, and what it costs. */
void check_print_series(const struct check_series *series,
                        const struct check_series_request *request);
