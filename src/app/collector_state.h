/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the collector holds between cycles: shared by its construction, its probe and its cycle. */

#include "app/collector.h"
#include "app/ledger.h"
#include "count/mechanism.h"

struct collector {
    struct collector_setup setup;
    struct counting *counting;
    struct mechanism *mechanism;
    struct cgroup_rules *rules;
    struct cgroup_targets *cgroups; /* NULL where none can be counted */
    struct cpu_list *online;
    struct cpu_list *system_cpus;
    struct cpu_list **single_cpus; /* by: cpu: for each of system_cpus a list of it alone */
    struct ledger ledger;
    struct roster *roster;
    struct entry *machine;        /* where the machine is the sum of its CPUs; else NULL */
    struct counter_set **opening; /* scratch: what is to be opened in this cycle */
    size_t n_opening;
    bool open_all; /* some set may have something to open */
    uint64_t now_ns;
    uint64_t probe_at_ns;
    struct exporter_status status;
    bool told[ABSENCE_COUNT_]; /* the log has said that targets are left out for this reason */
};

/* Gives an entry its counters; they are opened with all others of the cycle. 0 or -ENOMEM. */
int collector_make_counters(struct collector *collector, struct entry *entry);

/* Asks what can be counted, of every class that has groups. */
void collector_probe(struct collector *collector);

/* Asks again, once a minute, for what cannot be counted now. */
void collector_probe_again(struct collector *collector);
