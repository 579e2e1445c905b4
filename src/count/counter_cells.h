/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The state of a counter set, and the few operations that change it. The parts of a set
 * (counter_set.c, counter_read.c, counter_adopt.c, counter_pause.c, counter_settle.c,
 * counter_starvation.c) and the mechanisms work on it; nobody else looks inside. It calls none of
 * them, so that all calls go one way.
 */

#include "count/mechanism.h"
#include "count/sample.h"
#include "count/scope.h"

/* One group in one place of the set, a CPU or a thread: a row of counters that is read at once. */
struct counter_cell {
    int handle;       /* the mechanism's own name of it; -1: the cell is not open */
    bool based;       /* there is a base reading, with which the next one is compared */
    bool has_counted; /* the group has had the PMU since it was opened, or nobody ran */
    bool offline;     /* the CPU was offline when the group was to be opened: it counts nothing */
    bool ended;       /* the thread had ended when the group was to be opened: nothing is missing */
    bool interrupted; /* counting began, or was paused, after the base reading was taken: the time
                         since then is not the time in which was counted, so there is no rate */
    bool backwards;   /* the last reading was lower than the base; a second such is a new base */
    bool failed;      /* the last reading failed; a second such in a row closes the cell */
    uint64_t base_ns; /* CLOCK_MONOTONIC, when the base reading was taken */
    /* Times of the base reading, ns. It is kept while deltas are unknown. */
    uint64_t enabled, running;
    /* Times of the last reading, ns, whether it became the base or not. */
    uint64_t last_enabled, last_running;
};

/* One event of a cell in its base reading. */
struct counter_base {
    uint64_t value;
    uint64_t id; /* PERF_EVENT_IOC_ID, learnt from the first reading; later ones must have it too */
    uint32_t carry; /* for delta_scale() */
};

/* How long a group has waited for the PMU without a turn (counter_starvation.c). */
struct starvation {
    uint64_t waited_ns;   /* time enabled since its last turn, summed over its places */
    uint64_t since_ns;    /* CLOCK_MONOTONIC, when that wait began */
    uint64_t until_ns;    /* the group is closed and not tried again before; 0: it is not closed */
    unsigned doublings;   /* how often the time until the next try has been doubled */
    enum absence absence; /* why it has no turn; ABSENCE_NONE as soon as it has one */
};

struct counter_set {
    struct mechanism *mechanism;       /* borrowed */
    const struct event_groups *groups; /* borrowed */
    struct scope scope;
    size_t n_places;
    size_t n_parts;                 /* the most parts of a group in a place (core_kinds.h) */
    size_t n_missing;               /* cells that should be open and are not */
    uint64_t retry_at_ns;           /* CLOCK_MONOTONIC: opening is not tried again before */
    unsigned failures;              /* attempts to open in a row that left something missing */
    struct counter_cell *cells;     /* [place][group] */
    uint64_t *ran_ns;               /* [place]: for how long the target was seen to run there */
    struct counter_base *bases;     /* [place][event]; a group's opened events come first */
    int *descriptors;               /* [place][event][part], by counter_descriptors() */
    struct starvation *starvations; /* [group] */
    enum absence *absences;         /* [group]: why the last attempt to open it failed */
};

static inline struct counter_cell *counter_cell(const struct counter_set *set, size_t place,
                                                size_t group)
{
    return &set->cells[place * set->groups->n_groups + group];
}

/* Index in bases of a group's first event in a place. */
static inline size_t counter_first(const struct counter_set *set, size_t place, size_t group)
{
    return place * set->groups->n_events + set->groups->groups[group].first;
}

/*
 * The descriptors of a group in a place, which are the mechanism's own: those of its opened events,
 * the leader's first, for one part after the other.
 */
static inline int *counter_descriptors(const struct counter_set *set, size_t place, size_t group)
{
    return &set->descriptors[counter_first(set, place, group) * set->n_parts];
}

/* Whether the group must not count now, since hardware counters are paused. */
bool counter_group_is_paused(const struct counter_set *set, size_t group);

/* Whether the group was closed because it waited for the PMU in vain. Nothing of it is missing. */
bool counter_group_is_starved(const struct counter_set *set, size_t group);

/* In how many places the group is closed although there is something to count. */
size_t counter_group_n_closed(const struct counter_set *set, size_t group);

/* Closes the group in all its places. */
void counter_group_close(struct counter_set *set, size_t group);

/* Notes that a closed cell is open under this handle. Its next reading becomes its base. */
void counter_cell_opened(struct counter_set *set, size_t place, size_t group, int handle);

/* Notes that a closed cell has no thread to count any more. */
void counter_cell_ended(struct counter_set *set, size_t place, size_t group);

/* Closes the cell, if it is open; it is missing then. */
void counter_cell_close(struct counter_set *set, size_t place, size_t group);
