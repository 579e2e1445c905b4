/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the kernel says that a class of targets can count. */

#include "resolve/resolution.h"

/* Groups that a predecessor has open in some scope. */
struct open_groups {
    const struct event_group **groups;
    size_t n;
};

/*
 * Asks the kernel what a class can count, and takes the answer over; only while no counter set of
 * the class exists. A group that is open already goes on with what it counts, whatever the kernel
 * says to newcomers now. Where the kernel cannot tell (no descriptors are left), the class becomes
 * `unsure`, and all that may be counted is taken as counted. 0 or -ENOMEM.
 */
int resolution_probe(struct resolution *resolution, size_t class_index, const struct perf_ops *ops,
                     const struct scope *scope, const struct open_groups *open);

/*
 * Whether the kernel would now let a class count more than it does, or, if the class is unsure,
 * something else. 1, 0, or -errno where the kernel cannot tell.
 */
int resolution_can_grow(struct resolution *resolution, size_t class_index,
                        const struct perf_ops *ops, const struct scope *scope);
