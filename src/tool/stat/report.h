/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What is shown: figures of an interval, of a whole run, or of several runs. Plain data. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "count/event_group.h"
#include "run/figures.h"
#include "tool/stat/options.h"

/* A ratio of the configuration whose groups are counted. */
struct stat_ratio {
    char *name;
    char *formula; /* it is one: the configuration has been checked */
};

struct report {
    const struct event_groups *groups;
    const struct stat_ratio *ratios;
    size_t n_ratios;
    const struct figure *figures; /* [part][event], in the order of the events of all groups */
    const int *cpus;              /* [part]: the CPU that the part is; -1: the whole target */
    size_t n_parts;
    const struct stat_options *options;

    uint64_t span_ns;    /* how long was counted, for rates; of several runs the mean */
    uint64_t since_ns;   /* how much time the start of the run is ago, for each interval */
    struct mean elapsed; /* seconds, of each run */
    uint64_t user_ns;    /* CPU time of the command, if has_usage */
    uint64_t system_ns;
    bool has_usage;
    double machine_cpus; /* CPUs that were not idle, by the kernel's accounting; NAN: not known */
    bool is_restricted;  /* rights are missing, and some event is counted in user mode only */
};

/* The member of its group that an event of the report is; ret_group: that group's index. */
const struct group_member *report_member(const struct report *report, size_t event,
                                         size_t *ret_group);

static inline const struct figure *report_figure(const struct report *report, size_t part,
                                                 size_t event)
{
    return &report->figures[part * report->groups->n_events + event];
}

/* Whether the event is shown for the part: a PMU that counts no core has only some CPUs. */
bool report_has_row(const struct report *report, size_t part, size_t event);

/* How the value of an event is shown. */
struct shown_value {
    const char *unit; /* "msec", "Joules", "" */
    double factor;    /* of a raw count */
    int decimals;
};
struct shown_value shown_value_of(const struct event *event);

/* Each appends the report in one format. */
void report_append_table(const struct report *report, bool has_colour, struct text *text);
void report_append_csv(const struct report *report, struct text *text);
int report_append_json(const struct report *report, struct text *text);

/* The line above all intervals of a table, and the lines above the table of a whole run. */
void report_append_head(const struct stat_options *options, struct text *text);
