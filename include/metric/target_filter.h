/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Names of targets as people and programs write them in the arguments of a request:
 *
 *     cgroup:/system.slice/nginx.service    the kind, a colon, the value of its label `cgroup`
 *     process:nginx                         its label `groupname`
 *     cpu:0                                 its label `cpu`
 *     uncore:uncore_imc_0,1                 several labels: their values, with commas between
 *     machine                               a target without labels is its kind alone
 *
 * The kind is the word behind "pmu_" in the names of the target's families. Values stand as they
 * are on /metrics; who puts them into a URL encodes them by its rules.
 */

#include <stdbool.h>

#include "base/text.h"
#include "target/identity.h"

struct target_filter {
    const char *kind; /* it ends at the colon; borrowed from the text that was parsed */
    size_t kind_length;
    const char *value; /* what follows the colon; "" for a target without labels */
};

/* The form of the text, for people. */
#define TARGET_FILTER_EXPECTED "machine, cgroup:PATH, process:NAME, cpu:NUMBER or uncore:PMU,SOCKET"

/* Borrows the text. Returns 0, or -EINVAL if it does not have the form or the kind is unknown. */
int target_filter_parse(const char *text, struct target_filter *ret_filter);

/*
 * Whether this is the name of the target with these labels, which is one of the plan with this
 * prefix ("pmu_cgroup_").
 */
bool target_filter_matches(const struct target_filter *filter, const char *prefix,
                           const struct label *labels, size_t n_labels);

/* Appends the name of the target, which target_filter_parse() reads. */
void target_filter_write(const char *prefix, const struct label *labels, size_t n_labels,
                         struct text *text);
