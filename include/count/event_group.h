/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The groups that one kind of target gets: which events each holds, and which of
 * them can be counted there. What is open follows from `opened`: while counter
 * sets of these groups are open, the probe's result must not be applied.
 */

#include <stdbool.h>
#include <stdint.h>

#include "count/scope.h"
#include "event/event.h"
#include "sys/perf_event.h"

/* More events than any PMU has counters; what a group holds beyond is group_too_large. */
#define EVENT_GROUP_MAX 64

struct group_member {
    const struct event *event; /* borrowed */
    enum absence absence;      /* whether it is counted in this group and scope, or why not */
};

struct event_group {
    const char *name; /* borrowed */
    struct group_member *members;
    size_t n_members;
    size_t first;    /* index of its first member in a sample's events */
    size_t n_opened; /* how many members have no absence … */
    uint8_t *opened; /* … and which, in the order in which they are opened */
};

struct event_groups {
    enum scope_kind kind;
    struct event_group *groups;
    size_t n_groups;
    size_t n_events; /* of all groups together */
    size_t n_opened; /* of all groups together: descriptors a place */
};

/* Whether an event that is opened in the group takes a hardware counter of a CPU. */
bool event_group_takes_counters(const struct event_group *group);

/*
 * When two groups are the same, for three purposes. Events are always compared as the kernel knows
 * them (event_is_same()), so that another spelling of one event changes nothing.
 *
 * Whether both open the same events in the same order, whatever the groups are called: one of them
 * can then serve for both.
 */
bool event_group_is_same(const struct event_group *a, const struct event_group *b);

/*
 * Whether a group of one configuration is that of another: it has the same name and the same
 * members in the same order, opened or not. So each member of the one stands for that of the other.
 */
bool event_group_has_same_members(const struct event_group *a, const struct event_group *b);

/*
 * Whether a group can go on with the open counters of another one: it has the same name and opens
 * the same events in the same order, and at least one.
 */
bool event_group_goes_on(const struct event_group *group, const struct event_group *before);

/* What to make a group of. */
struct group_spec {
    const char *name;                  /* borrowed for the groups' life */
    const struct event *const *events; /* the events are borrowed, the array is not */
    size_t n_events;
};

/*
 * Makes the groups; what the events themselves say (unknown, no PMU, a clock
 * system-wide) is entered, nothing is opened. 0 or -ENOMEM.
 */
int event_groups_new(enum scope_kind kind, const struct group_spec *specs, size_t n_specs,
                     struct event_groups **ret_groups);
struct event_groups *event_groups_free(struct event_groups *groups);
DEFINE_AUTO(event_groups, struct event_groups *, event_groups_free)

/*
 * Asks the kernel, by opening and closing at once, which members can be counted
 * in a scope of this kind: each alone, then all of a group together. Writes one
 * reason for each event of all groups (n_events). Returns 0, or a negative errno
 * where the kernel's answer says nothing of the events (-EMFILE, -ENOMEM).
 */
int event_groups_probe(const struct event_groups *groups, const struct perf_ops *ops,
                       const struct scope *scope, enum absence *ret_absences);

/*
 * Whether the kernel counts the threads that a thread starts without the processes
 * that it starts (inherit_thread, Linux 5.13). False also where it cannot tell.
 */
bool event_can_inherit_threads(const struct perf_ops *ops);

/* What is applied, in the form of a result. */
void event_groups_absences(const struct event_groups *groups, enum absence *ret_absences);

/* Whether the result differs from what is applied. */
bool event_groups_differ(const struct event_groups *groups, const enum absence *absences);

/* Takes the result over. Only while no counter set of these groups is open. */
void event_groups_apply(struct event_groups *groups, const enum absence *absences);

/*
 * Whether asking again may help: some member is missing for a reason that can pass.
 * over_budget is ours, and no question to the kernel.
 */
bool event_groups_want_retry(const struct event_groups *groups);
