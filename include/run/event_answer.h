/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a search for events finds, as JSON. It belongs to one thread, that of the search. */

#include "base/text.h"
#include "count/event_trial.h"
#include "event/event_catalogue.h"
#include "event/resolver.h"
#include "sys/pmu.h"

/* The machine, and its events by kind, PMU and name. */
struct event_machine {
    int sysfs_fd;
    struct event_resolver *resolver;
    struct pmu_list *pmus;   /* NULL: the kernel tells of none */
    struct cpu_list *online; /* the CPUs that are online */
    struct event_catalogue catalogue;
};

/* Returns 0 or -errno; event_machine_close() has to be called after a failure too. */
int event_machine_open(struct event_machine *machine, const char *sysfs);
void event_machine_close(struct event_machine *machine);

/*
 * Writes the events that have each of the words in their name, alias or description: their number,
 * and the first `limit` of them. Hardware, software and cache events and those of PMUs in sysfs are
 * counted with for a moment, to tell whether they are available; tracepoints and events of libpfm4
 * are available where the kernel has them, or their PMU. Returns 0 or -ENOMEM.
 */
int event_answer_write(struct event_machine *machine, const char *words, size_t limit,
                       struct text *text);
