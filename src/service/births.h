/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Births and ends that are followed between two cycles: the collector discovers and opens what was
 * just born, and closes what has ended, soon after the kernel has announced it, for a bounded part
 * of the time (births_pace.h).
 */

#include <systemd/sd-event.h>

#include "cycle/collector.h"
#include "service/births_pace.h"
#include "service/schedule.h"

struct births {
    sd_event *event;                 /* borrowed */
    const struct schedule *schedule; /* It tells when the next cycle is due. It is borrowed. */
    struct collector *collector;     /* Its births are awaited now. It is borrowed. */
    sd_event_source *tree;           /* It announces births of cgroups; NULL: nothing does. */
    sd_event_source *tasks;          /* It announces births of processes; NULL: nothing does. */
    sd_event_source *timer; /* It fires when births that were announced are to be followed. */
    uint64_t timer_ns;      /* then it fires, if it is on */
    struct births_pace pace;
};

void births_init(struct births *births, sd_event *event, const struct schedule *schedule);
void births_done(struct births *births);

/*
 * Waits for births, to follow them until the next cycle. It is called after each cycle. Nobody may
 * wait while a collector works or is replaced, because what it watches may be replaced with it: so
 * births_forget() is called before.
 */
void births_await(struct births *births, struct collector *collector);
void births_forget(struct births *births);
