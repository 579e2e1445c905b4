/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What one kind of target shows: a row of numbers, and for each of its columns
 * the metric family it belongs to. Made once for a set of groups, and again when
 * what can be counted changes. Immutable and counted by reference; references
 * may be taken and dropped by any thread.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "count/event_group.h"
#include "count/sample.h"

/* One number of a row. */
union number {
    uint64_t count;
    double real;
};

/* "Unknown is absent": these are not written. A real is absent as NaN. */
#define NUMBER_ABSENT_COUNT UINT64_MAX

enum column_kind {
    COLUMN_START_TIME,
    COLUMN_CREATED_TIME,
    COLUMN_MEMBERS,
    COLUMN_TOTAL,          /* index: of the event */
    COLUMN_RATE,           /* index: of the event */
    COLUMN_CPUS_USED,      /* index: of a clock event */
    COLUMN_RATIO,          /* index: of the ratio in the plan */
    COLUMN_GROUP_ENABLED,  /* index: of the group */
    COLUMN_GROUP_RUNNING,  /* index: of the group */
    COLUMN_GROUP_COVERAGE, /* index: of the group */
    COLUMN_CPUS,           /* that are online */
    COLUMN_CPU_TIME,       /* by the kernel's accounting; index: an enum cpu_time_part */
    COLUMN_CPU_TIME_RATE,  /* of the whole of it */
    COLUMN_UNATTRIBUTED,
};

enum cpu_time_part { CPU_TIME_ALL, CPU_TIME_USER, CPU_TIME_SYSTEM };

/* How a number is written. */
enum number_form {
    NUMBER_COUNT,   /* .count as an integer */
    NUMBER_SECONDS, /* .count, nanoseconds, as seconds with nine decimals */
    NUMBER_REAL,    /* .real as the shortest decimal */
};

enum family_type { FAMILY_COUNTER, FAMILY_GAUGE };

struct column {
    enum column_kind kind;
    enum number_form form;
    size_t index;
    size_t group; /* index of the group it comes from */
    char *name;   /* of its family: "pmu_cgroup_instructions_total" */
    char *help;   /* one line, not escaped */
    enum family_type type;
    char *group_name; /* label group="…"; NULL: none */
};

struct plan_ratio;

struct plan {
    char *prefix;    /* "pmu_cgroup_" */
    char *info_help; /* HELP of the info family */
    struct column *columns;
    size_t n_columns;
    struct plan_ratio *ratios;
    size_t n_ratios;
};

/* A ratio of the configuration; those that are built in need no mention. */
struct ratio_spec {
    const char *name;
    const char *formula;
};

struct plan_spec {
    const char *prefix; /* "pmu_cgroup_" */
    const char *target; /* for HELP: "the cgroup and those below it" */
    bool start_time;    /* when counting of it began … */
    bool created_time;  /* … and when it was made itself */
    bool totals, group_times, rates, ratios;
    bool doubt;    /* it may be counted by switches: what is in doubt, where that is much */
    bool members;  /* it is a group of processes: how many, and when the oldest started */
    bool cpu_time; /* it is the machine: its CPUs, and what the kernel says of their time */
    const struct ratio_spec *ratio_specs;
    size_t n_ratio_specs;
};

/*
 * Groups and spec are borrowed during the call only. A ratio whose events do not stand in one
 * group, or one of whose events cannot be counted, has no column. 0 or -ENOMEM.
 */
int plan_new(const struct plan_spec *spec, const struct event_groups *groups,
             struct plan **ret_plan);
struct plan *plan_ref(struct plan *plan);
struct plan *plan_unref(struct plan *plan);
DEFINE_AUTO(plan, struct plan *, plan_unref)

/* The column's value in a sample: false where it is not known. */
bool plan_ratio_value(const struct plan *plan, size_t ratio, const struct sample *sample,
                      double *ret_value);

/*
 * Bytes that a row takes on /metrics, at most: its series, each with labels of that
 * many bytes, braces included. For limits.body.
 */
size_t plan_row_bytes(const struct plan *plan, size_t labels_bytes);

/* Bytes that the plan's families take beside their samples: # HELP and # TYPE. */
size_t plan_head_bytes(const struct plan *plan);
