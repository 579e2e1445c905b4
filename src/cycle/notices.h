/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the log says of targets: once, when it begins to be so. */

#include "base/growing_wait.h"
#include "metric/exporter_status.h"

struct collector;

/* Each flag is true once the log has said so, and a successor goes on with them. */
struct notices {
    bool no_cgroup_matches; /* whether the rules match any cgroup, when they are first applied */
    bool root_is_refused;   /* the root of all cgroups is not counted as one */
    bool switch_cost;       /* what counting cgroups beside the machine adds to a switch */
    bool processes_hidden;  /* procfs hides processes of others; until it does not any more */
    bool uncounted[SCOPE_KIND_COUNT_][ABSENCE_COUNT_]; /* targets are left out for this reason */
    /* how long the log is silent about such a reason that comes and goes */
    struct growing_wait uncounted_waits[SCOPE_KIND_COUNT_][ABSENCE_COUNT_];
};

/* What a predecessor has said need not be said again; but the rules may be others now. */
struct notices notices_inherit(const struct notices *from);

/* Logs what has begun to be so. status: with all that is not counted. */
void collector_notify(struct collector *collector, const struct exporter_status *status,
                      uint64_t now_ns);
