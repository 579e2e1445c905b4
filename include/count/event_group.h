/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The groups that one kind of target gets: which events each of them holds, and which of these can
 * be counted there. Counter sets open the events that `opened` lists, so that it must not change
 * while a counter set of these groups is open.
 */

#include <stdbool.h>
#include <stdint.h>

#include "count/scope.h"
#include "event/event.h"
#include "sys/perf_event.h"

/* No PMU has so many counters. Events of a group beyond this number are group_too_large. */
#define EVENT_GROUP_MAX 64

struct group_member {
    const struct event *event; /* borrowed */
    enum absence absence;      /* why it is not counted in this group and kind of scope */
};

struct event_group {
    const char *name; /* borrowed */
    struct group_member *members;
    size_t n_members;
    size_t first;    /* index of the first member among the events of a sample */
    uint8_t *opened; /* indexes of the members without an absence, in the order of opening */
    size_t n_opened;
};

struct event_groups {
    enum scope_kind kind;
    struct event_group *groups;
    size_t n_groups;
    size_t n_events; /* members of all groups */
    size_t n_opened; /* opened members of all groups: descriptors for each place */
};

/* Whether one of the opened events takes a hardware counter of a CPU. */
bool event_group_takes_counters(const struct event_group *group);

/*
 * Whether a pause stops it: it takes counters of a CPU, or those of a PMU beyond the cores, which
 * others may want for themselves, too.
 */
bool event_group_is_paused_with_pmu(const struct event_group *group);

/* How many of the opened events are probes. */
size_t event_group_n_probes(const struct event_group *group);

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

/* What a group is made of. */
struct group_spec {
    const char *name;                  /* borrowed for the groups' life */
    const struct event *const *events; /* the events are borrowed, the array is not */
    size_t n_events;
};

/*
 * Makes the groups. Absences that need no question to the kernel are entered (an unknown event, a
 * missing PMU, a clock system-wide); nothing is opened. 0 or -ENOMEM.
 */
int event_groups_new(enum scope_kind kind, const struct group_spec *specs, size_t n_specs,
                     struct event_groups **ret_groups);
struct event_groups *event_groups_free(struct event_groups *groups);
DEFINE_AUTO(event_groups, struct event_groups *, event_groups_free)

/*
 * Asks the kernel which members can be counted in this scope, by opening and closing them: each
 * alone, then all members of a group together. Writes one absence for each event of all groups
 * (n_events). Returns 0, or -errno where the kernel's answer is about the machine and not about the
 * events (-EMFILE, -ENOMEM).
 */
int event_groups_probe(const struct event_groups *groups, const struct perf_ops *ops,
                       const struct scope *scope, enum absence *ret_absences);

/*
 * Whether the kernel can count the threads that a thread starts without counting the processes that
 * it starts (perf_event_attr.inherit_thread, since Linux 5.13). False also where asking fails.
 */
bool event_can_inherit_threads(const struct perf_ops *ops);

/* The absences that are in force, in the form of event_groups_probe(). */
void event_groups_absences(const struct event_groups *groups, enum absence *ret_absences);

/* Whether these absences differ from those that are in force. */
bool event_groups_differ(const struct event_groups *groups, const enum absence *absences);

/* Puts these absences in force. Only while no counter set of these groups is open. */
void event_groups_apply(struct event_groups *groups, const enum absence *absences);

/*
 * Whether probing again may find more: some member has an absence that can pass. over_budget does
 * not count, since it is our own decision and no answer of the kernel.
 */
bool event_groups_want_retry(const struct event_groups *groups);
