/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A plan says what the targets of one class show: each has a row of numbers, and the plan has
 * a column for each of them, with the metric family that it belongs to. A plan is made for the
 * groups of events of a class, and made again when what can be counted changes. It is immutable
 * and counted by reference; any thread may take and drop references.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "count/breakdown.h"
#include "count/event_group.h"
#include "count/latency.h"
#include "count/sample.h"

/* One number of a row. */
union number {
    uint64_t count;
    double real;
};

/*
 * Unknown is absent: a number of this value is not written. A number that is
 * real is absent if it is NaN.
 */
#define NUMBER_ABSENT_COUNT UINT64_MAX

enum column_kind {
    COLUMN_START_TIME,
    COLUMN_CREATED_TIME,
    COLUMN_MEMBERS,
    COLUMN_TOTAL,          /* column.index is the event in a sample */
    COLUMN_RATE,           /* column.index is the event in a sample */
    COLUMN_CPUS_USED,      /* column.index is a clock in a sample */
    COLUMN_RATIO,          /* column.index is the ratio in the plan */
    COLUMN_GROUP_ENABLED,  /* column.index is the group in a sample */
    COLUMN_GROUP_RUNNING,  /* column.index is the group in a sample */
    COLUMN_GROUP_COVERAGE, /* column.index is the group in a sample */
    COLUMN_CPUS,           /* how many CPUs are online */
    COLUMN_CPU_TIME,       /* from the kernel's accounting; column.index is an enum cpu_time_part */
    COLUMN_CPU_TIME_RATE,  /* the rate of CPU_TIME_ALL */
    COLUMN_TIME_BY_DOMAIN, /* column.index is the number of the CPU or of the NUMA node */
    COLUMN_SWITCHES_BY_DOMAIN, /* column.index is the same */
    COLUMN_LATENCY_TALLY,      /* column.index is an enum latency_tally */
    COLUMN_BLOCK_IO,           /* column.index is an enum block_io_tally */
    COLUMN_UNATTRIBUTED,       /* the share of its time that may have been another's */
    COLUMN_PROFILE_SAMPLES,    /* stacks that were sampled of it */
    COLUMN_PROFILE_RATIO,      /* its CPU time by samples / that by its clock */
    COLUMN_PROFILE_BASE,       /* hidden: the samples from which on the two are compared */
    COLUMN_PROFILE_CLOCK, /* hidden: the clock's total there; column.index is the clock in a sample
                           */
    COLUMN_GROUP_UNKNOWN, /* hidden: 1 if the group's counts of the last interval are unknown */
};

/* Of the requests of a target to all devices together. */
enum block_io_tally {
    BLOCK_IO_BYTES_READ,
    BLOCK_IO_BYTES_WRITE,
    BLOCK_IO_BYTES_OTHER,
    BLOCK_IO_ERRORS,
};

enum cpu_time_part { CPU_TIME_ALL, CPU_TIME_USER, CPU_TIME_SYSTEM };

/* How a number is written. */
enum number_form {
    NUMBER_COUNT,   /* number.count is written as an integer */
    NUMBER_SECONDS, /* number.count is in nanoseconds, and written as seconds */
    NUMBER_SCALED,  /* number.count times the scale is written as a decimal, as a real is */
    NUMBER_REAL,    /* number.real is written as the shortest decimal that reads back the same */
};

enum family_type {
    FAMILY_COUNTER,
    FAMILY_GAUGE,
    FAMILY_INFO, /* its labels are what it tells, and its value is always 1 */
    FAMILY_HISTOGRAM,
};

/* The most labels that a column has beside those of its target. */
#define COLUMN_LABELS 2

struct column_label {
    const char *name; /* static; NULL: there is no such label, nor one behind it */
    char *value;
};

struct column {
    enum column_kind kind;
    enum number_form form;
    size_t index; /* what it means depends on the kind */
    size_t group; /* index of the group of events that the number comes from */
    double scale; /* for NUMBER_SCALED and COLUMN_RATE: how much of its unit a count of 1 is */
    char *name;   /* name of the metric family: "pmu_cgroup_instructions_total" */
    char *help;   /* help of the family: one line, not escaped */
    enum family_type type;
    /* Labels of the family that differ from column to column: `group`, or those of tracepoints. */
    struct column_label labels[COLUMN_LABELS];
};

/* The value of a label of the column; NULL: it has none of this name. */
const char *column_label(const struct column *column, const char *name);

struct plan_ratio;

/*
 * A distribution that the targets show. Its numbers in a row are its buckets, each of which counts
 * for itself as in struct latencies, and behind them its sum in nanoseconds. All of them are absent
 * before the first observation, and none is from then on.
 */
struct plan_histogram {
    enum latency_distribution distribution;
    bool
        is_hidden; /* it is not on /metrics, where a breakdown tells more; the past is kept of it */
    size_t first;  /* the number of its first bucket in a row */
    char *name;    /* name of the metric family: "pmu_cgroup_on_cpu_seconds" */
    char *help;
    struct column_label
        label; /* `state`, `op`; its name is NULL where there is none. Both are static */
};

/* What is shown of each line of a breakdown: a tally, or a distribution. */
struct plan_breakdown {
    enum breakdown_kind kind;
    enum family_type type; /* FAMILY_COUNTER or FAMILY_HISTOGRAM */
    size_t first;          /* the number of the tally in a line, or of the first bucket */
    size_t most_lines;     /* how many lines there may be */
    char *name;            /* name of the metric family: "pmu_machine_block_io_latency_seconds" */
    char *help;
};

struct plan {
    char *prefix;    /* "pmu_cgroup_" */
    char *info_help; /* help of the family that describes targets: pmu_cgroup_info */
    /*
     * A row has n_numbers numbers. The first n_described of them have a column each, and the first
     * n_columns of these are shown. What stands behind those is not: it is what the past is kept of
     * (history/), and some columns cannot be told without. The other numbers are those of the
     * histograms, one behind the other.
     */
    struct column *columns;
    size_t n_columns;
    size_t n_described;
    size_t n_numbers;
    struct plan_histogram *histograms;
    size_t n_histograms;
    struct plan_breakdown *breakdowns; /* those of a kind follow each other */
    size_t n_breakdowns;
    struct plan_ratio *ratios;
    size_t n_ratios;
};

/* A ratio that the configuration defines. Built-in ratios (metric/builtin_ratios.h) are known. */
struct ratio_spec {
    const char *name;
    const char *formula;
};

struct plan_spec {
    const char *prefix; /* "pmu_cgroup_" */
    const char *target; /* how help texts call a target: "the cgroup and those below it" */
    const char *pmu;    /* whose events they are, where families have those of several PMUs; NULL */
    bool start_time;    /* show when counting of the target began */
    bool created_time;  /* show when the target was made */
    bool totals, group_times, rates, ratios;
    bool doubt;       /* show what is in doubt: the target may be counted by bpf, at switches */
    bool members;     /* show members and the oldest start: the target is a group of processes */
    bool cpu_time;    /* show CPUs and the kernel's accounting: the target is the machine */
    bool profiles;    /* show how often its stacks were sampled */
    unsigned latency; /* which distributions and tallies are shown: a set of enum latency_kind */
    /* A column for each of these domains, for the time that the target had there, and one for its
     * switches; NULL: none. Borrowed during the call only. */
    const struct cpu_domains *domains;
    size_t n_spans; /* how many spans the configuration has */
    /* How many system calls are timed by their names, and one in how many calls of them. */
    size_t n_timed_calls, one_in;
    unsigned by_key; /* which kinds of breakdowns are shown: a set of 1 << enum breakdown_kind */
    const struct ratio_spec *ratio_specs;
    size_t n_ratio_specs;
};

/*
 * Makes a plan. Groups and spec are borrowed during the call only. A ratio has no column if no
 * group has all of its events, or if one of these cannot be counted. 0 or -ENOMEM.
 */
int plan_new(const struct plan_spec *spec, const struct event_groups *groups,
             struct plan **ret_plan);
struct plan *plan_ref(struct plan *plan);
struct plan *plan_unref(struct plan *plan);
DEFINE_AUTO(plan, struct plan *, plan_unref)

/* Computes a ratio of the plan from a sample. False if the ratio is not known. */
bool plan_ratio_value(const struct plan *plan, size_t ratio, const struct sample *sample,
                      double *ret_value);

/* An event that a ratio uses, and which number of a row is its total in the ratio's group. */
struct plan_term {
    char *name; /* as it stands in the formula */
    size_t number;
};

/* The formula of a ratio and its terms; both are borrowed from the plan. */
const char *plan_ratio_formula(const struct plan *plan, size_t ratio,
                               const struct plan_term **ret_terms, size_t *ret_n);

/* Appends the name of the family of an event's total: "pmu_cgroup_task_clock_seconds_total". */
void plan_append_total_name(struct text *name, const char *prefix, const struct event *event);

/* How many of its buckets a distribution shows, the last of which has no limit. */
size_t plan_shown_buckets(const struct latency_layout *layout);

/* The index of such a bucket: the shown bucket counts it and all before it. */
size_t plan_shown_bucket(const struct latency_layout *layout, size_t shown);

/*
 * Appends the limit of a bucket as the label `le` has it, in seconds: "9.5367431640625e-07", "1.0",
 * "+Inf". It is the canonical form of OpenMetrics, also in the text format, so that the series are
 * the same.
 */
void plan_append_limit(struct text *text, const struct latency_layout *layout, size_t bucket);

/* Whether the plan shows breakdowns of the kind. */
bool plan_breaks_down(const struct plan *plan, enum breakdown_kind kind);

/* Whether this is the name of such a family of some plan, or of its sums ("…_seconds_sum"). */
bool plan_is_of_histogram(const char *name);

/*
 * Whether rows have the sums of a kind over its keys. Then these sums are what the past has of it
 * and what programs are told, and its lines are on /metrics alone.
 */
bool plan_sums_breakdown(enum breakdown_kind kind);

/*
 * Whether this is the name of a family of a breakdown, in some plan; or of the sums of a histogram
 * ("…_seconds_sum") or the rate of a counter ("…_per_second") among these. Not of such as rows have
 * the sums of.
 */
bool plan_is_of_breakdown(const char *name, enum breakdown_kind *ret_kind);

/* A word for a kind that stays the same, for what is kept. Static. */
const char *plan_breakdown_word(enum breakdown_kind kind);

/* The most series that a row has on /metrics. */
size_t plan_row_series(const struct plan *plan);

/*
 * The most bytes that a row takes on /metrics if each of its series has labels of so many bytes,
 * braces included. limits.body is kept by it.
 */
size_t plan_row_bytes(const struct plan *plan, size_t labels_bytes);

/* The most bytes that the plan's families take beside their samples: # HELP, # TYPE and # UNIT. */
size_t plan_head_bytes(const struct plan *plan);
