/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Births that are followed between two cycles: the collector discovers and opens what was just
 * born, soon after the kernel has announced it, for a tenth of the time at most (births_pace.h).
 */

#include <systemd/sd-event.h>

#include "cycle/collector.h"
#include "service/births_pace.h"
#include "service/schedule.h"

struct births {
    sd_event *event;                 /* borrowed */
    const struct schedule *schedule; /* when the next cycle is due. Borrowed */
    struct collector *collector;     /* whose births are awaited now. Borrowed */
    sd_event_source *tree;           /* announces births of cgroups; NULL: nothing does */
    sd_event_source *tasks;          /* announces births of processes; NULL: nothing does */
    sd_event_source *timer;          /* when births that were announced are followed */
    struct births_pace pace;
};

void births_init(struct births *births, sd_event *event, const struct schedule *schedule);
void births_done(struct births *births);

/*
 * Waits for births, to follow them until the next cycle; to be called after each cycle. Nobody may
 * wait while a collector works or is replaced, for what it watches may be replaced with it: then
 * births_forget() is called before.
 */
void births_await(struct births *births, struct collector *collector);
void births_forget(struct births *births);
