/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Whether one event can be counted on this machine by whoever asks, found by counting with it for a
 * moment. It is for people who ask about single events; what a configuration comes to is decided
 * for its groups and scopes (event_groups_probe()).
 */

#include "count/scope.h"
#include "event/event.h"
#include "sys/perf_event.h"

/* How an attempt to count ended. */
struct event_trial {
    enum absence absence;  /* ABSENCE_NONE: it has counted */
    enum scope_kind scope; /* where it has counted: SCOPE_PROCESS, or else SCOPE_SYSTEM */
};

/*
 * Opens the event, lets it run until it has had the PMU, and closes it. It is tried in the calling
 * thread; if the kernel does not count the event for tasks, on the first of the CPUs. An event that
 * is uncore is tried there only. cpus: those on which the event's PMU is opened, or any.
 *
 * An event whose name alone cannot be counted keeps that absence. never_scheduled: the kernel took
 * the event and never ran it within 20 ms of our time.
 */
struct event_trial event_try(const struct perf_ops *ops, const struct event *event,
                             const struct cpu_list *cpus);
