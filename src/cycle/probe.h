/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Asking the kernel what can be counted. */

#include <stdbool.h>
#include <stdint.h>

struct collector;

struct prober {
    uint64_t again_at_ns; /* CLOCK_MONOTONIC when the kernel is asked again for what is missing */
    bool found_more; /* the kernel would count more now; false again once the owner has asked */
};

/*
 * Asks what can be counted, for every class that has groups, and divides the counters of the PMU;
 * before there are entries. Logs what cannot be counted. predecessor: what it has open goes on, and
 * what its log said is not said again; or NULL. 0 or -errno.
 */
int collector_probe(struct collector *collector, const struct collector *predecessor);

/* Asks again, once a minute, for what cannot be counted now. */
void collector_probe_again(struct collector *collector, uint64_t now_ns);
