/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a counter set is made of: shared by the set and the mechanisms, by nobody else. */

#include "count/counter_set.h"
#include "count/mechanism.h"

/* One group in one place (a CPU or a thread), and the times of its readings. */
struct counter_cell {
    int handle;       /* for mechanism->read; -1: not open */
    bool based;       /* there is a base reading */
    bool has_counted; /* the group has had the PMU, or was never wanted */
    bool offline;     /* the CPU was not there when the group was opened: it counts nothing */
    bool ended;       /* the thread had ended when the group was opened, and is not missed */
    bool interrupted; /* it was paused after the base reading: there is no rate since then */
    bool backwards;   /* the last reading went backwards; two in a row are a new base */
    uint64_t base_ns; /* CLOCK_MONOTONIC */
    uint64_t enabled; /* ns, of the base reading, which waits while the delta is unknown … */
    uint64_t running;
    uint64_t last_enabled; /* … and of the last reading */
    uint64_t last_running;
};

/* One event of a cell in its base reading. */
struct counter_base {
    uint64_t value;
    uint64_t id; /* the kernel's, learnt from the first reading: order is not taken for granted */
    uint32_t carry; /* of delta_scale() */
};

struct counter_set {
    struct mechanism *mechanism;
    const struct event_groups *groups;
    struct scope scope;
    size_t n_places;
    size_t n_missing;           /* cells that ought to be open and are not */
    uint64_t retry_at_ns;       /* before that, opening is not tried again */
    unsigned failures;          /* in a row */
    struct counter_cell *cells; /* [place][group] */
    struct counter_base *bases; /* [place][event], a group's opened events first */
    int *descriptors;           /* [place][event], the same; the mechanism's own */
    enum absence *absences;     /* [group]: why it could not be opened */
};

static inline struct counter_cell *counter_cell(const struct counter_set *set, size_t place,
                                                size_t group)
{
    return &set->cells[place * set->groups->n_groups + group];
}

/* Index of a group's first event in a place, in bases and descriptors. */
static inline size_t counter_first(const struct counter_set *set, size_t place, size_t group)
{
    return place * set->groups->n_events + set->groups->groups[group].first;
}

/* Whether the group may not count now. */
bool counter_group_is_paused(const struct counter_set *set, size_t group);

/* Notes that a cell is open under this handle; its base comes with the first reading. */
void counter_cell_opened(struct counter_set *set, size_t place, size_t group, int handle);

/* Notes that there is no thread to count in this place any more. */
void counter_cell_ended(struct counter_set *set, size_t place, size_t group);

/* Closes a cell, if it is open. */
void counter_cell_close(struct counter_set *set, size_t place, size_t group);
