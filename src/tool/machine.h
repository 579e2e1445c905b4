/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What commands about events look at: the names that this machine knows, and its PMUs. */

#include <argp.h>

#include "count/event_trial.h"
#include "event/resolver.h"
#include "sys/pmu.h"

struct machine {
    int sysfs_fd;
    struct event_resolver *resolver;
    struct pmu_list *pmus;   /* NULL: the kernel tells of none */
    struct cpu_list *online; /* the CPUs that are online, or an empty list */
};

/*
 * The option --path.sysfs=PATH, for the children of a command's argp. Its input is a const char *,
 * which the command sets to "/sys" before.
 */
extern const struct argp machine_argp;

/* Opens the machine whose sysfs is there. An error is printed to stderr. 0 or -errno. */
int machine_open(const char *sysfs, struct machine *ret_machine);
void machine_close(struct machine *machine);
#define AUTO_MACHINE __attribute__((cleanup(machine_close)))

/* Counts with the event for a moment, on a CPU that its PMU is on (event_try()). */
struct event_trial machine_try(const struct machine *machine, const struct event *event);
