/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Who a target is, in labels. Some labels tell its series from those of other targets; others only
 * describe it, in the *_info metric. An identity is immutable and counted by reference, because the
 * server may still write a snapshot with it while the collector goes on. Any thread may take and
 * drop references.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"

struct label {
    const char *name;  /* static */
    const char *value; /* clean UTF-8, not escaped; belongs to the identity */
};

struct identity;

/* Makes an identity with copies of the values. It keeps the order of the labels. NULL if there is
 * no memory. */
struct identity *identity_new(const struct label *labels, size_t n_labels, const struct label *info,
                              size_t n_info);
struct identity *identity_ref(struct identity *identity);
struct identity *identity_unref(struct identity *identity); /* takes NULL, returns NULL */
DEFINE_AUTO(identity, struct identity *, identity_unref)

/* The labels that each series of the target has: cgroup="/system.slice/nginx.service". */
const struct label *identity_labels(const struct identity *identity, size_t *ret_n);

/*
 * Whether the target is the one with these labels: it has each of them, by name and value, in any
 * order, and no other. No two of `labels` have the same name. Without labels it is the machine. The
 * info labels do not count.
 */
bool identity_has_labels(const struct identity *identity, const struct label *labels,
                         size_t n_labels);

/*
 * The labels that pmu_*_info has beside them (parent, unit, slice and so on). A target without any
 * has no such series.
 */
const struct label *identity_info(const struct identity *identity, size_t *ret_n);
