/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Who a target is, in labels: what tells its series apart, and what only
 * describes it (the *_info metric). Immutable and counted by reference, so that
 * a snapshot that is being written shares it with the collector. References may
 * be taken and dropped by any thread.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"

struct label {
    const char *name;  /* static */
    const char *value; /* clean UTF-8, not escaped; belongs to the identity */
};

struct identity; /* labels in the order in which they are written */

/* Copies the values. Returns NULL if there is no memory. */
struct identity *identity_new(const struct label *labels, size_t n_labels, const struct label *info,
                              size_t n_info);
struct identity *identity_ref(struct identity *identity);
struct identity *identity_unref(struct identity *identity); /* takes NULL, returns NULL */
DEFINE_AUTO(identity, struct identity *, identity_unref)

/* cgroup="/system.slice/nginx.service": what every series of the target carries. */
const struct label *identity_labels(const struct identity *identity, size_t *ret_n);

/*
 * Whether the target is the one with these labels: it has each of them, by name and value, in any
 * order, and no other. No two of `labels` have the same name. Without labels it is the machine. The
 * info labels do not count.
 */
bool identity_has_labels(const struct identity *identity, const struct label *labels,
                         size_t n_labels);

/* What pmu_*_info carries beside them (parent, unit, slice, …). None: no info series. */
const struct label *identity_info(const struct identity *identity, size_t *ret_n);
