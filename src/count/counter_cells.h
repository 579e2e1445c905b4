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
    bool interrupted; /* it was paused, or began, after the round of the base reading: there is
                         no rate since then */
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

/* How long a group has waited for the PMU in vain. */
struct starvation {
    uint64_t waited_ns;   /* time enabled since it had a turn … */
    uint64_t since_ns;    /* … and when that began */
    uint64_t until_ns;    /* it is closed and not tried again before; 0: it is not closed */
    unsigned doublings;   /* of the wait until then */
    enum absence absence; /* why, until it has a turn */
};

struct counter_set {
    struct mechanism *mechanism;
    const struct event_groups *groups;
    struct scope scope;
    size_t n_places;
    size_t n_missing;               /* cells that ought to be open and are not */
    uint64_t retry_at_ns;           /* before that, opening is not tried again */
    unsigned failures;              /* in a row */
    struct counter_cell *cells;     /* [place][group] */
    struct counter_base *bases;     /* [place][event], a group's opened events first */
    int *descriptors;               /* [place][event], the same; the mechanism's own */
    struct starvation *starvations; /* [group] */
    enum absence *absences;         /* [group]: why it could not be opened */
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

/* Whether it is closed since it waited for the PMU in vain: then it is not missing. */
bool counter_group_is_starved(const struct counter_set *set, size_t group);

/* Closes and tries again groups by what was read of them, and notes who is starved. */
void counter_set_judge_starvation(struct counter_set *set, uint64_t now_ns, struct sample *sample);

/* A group of a new set waits as that of another one does. */
void counter_set_adopt_starvation(struct counter_set *set, size_t group,
                                  const struct counter_set *from, size_t from_group);

/* Notes that a cell is open under this handle; its base comes with the first reading. */
void counter_cell_opened(struct counter_set *set, size_t place, size_t group, int handle);

/* Notes that there is no thread to count in this place any more. */
void counter_cell_ended(struct counter_set *set, size_t place, size_t group);

/* Closes a cell, if it is open. */
void counter_cell_close(struct counter_set *set, size_t place, size_t group);

/*
 * After an attempt to open a set: a group that could not be opened somewhere (`absences`) is
 * closed in all its places, unless it was counting before; and when to try again.
 */
void counter_set_settle(struct counter_set *set, uint64_t now_ns);
