/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the collector holds between cycles: shared by its construction, its probe and its cycle. */

#include "base/growing_wait.h"
#include "count/cpu_usage.h"
#include "count/mechanism.h"
#include "cycle/collector.h"
#include "cycle/ledger.h"
#include "metric/exporter_status.h"
#include "metric/roster.h"
#include "resolve/resolution_budget.h"
#include "sys/memory.h"
#include "target/process_targets.h"

struct collector {
    struct collector_setup setup;
    struct resolution *resolution;
    struct cgroup_rules *rules;
    struct cgroup_targets *cgroups; /* NULL where none can be counted */
    struct process_rules *process_rules;
    struct process_targets *processes; /* NULL where the configuration names none */
    pid_t self;
    uint64_t unfollowed;      /* children that are not counted with their parents, as last told */
    bool can_inherit_threads; /* the kernel counts threads with who starts them */
    struct cpu_births *cpu_births;
    const struct cpu_list *online;    /* those of them */
    struct cpu_list *known_cpus;      /* that were online once, here or with a predecessor */
    struct cpu_list *continuing_cpus; /* that the predecessor has in the same birth; or NULL */
    size_t n_offline;                 /* of those that the system scope wants */
    struct cpu_list *system_cpus;
    struct cpu_list **single_cpus; /* by: cpu: for each of system_cpus a list of it alone */
    struct ledger ledger;
    struct pmu_share pmu;
    size_t longest_chain; /* counters of the PMU that nested cgroups take at once now */
    bool share_again;     /* cgroups came or went: others may have counters of the PMU now */
    struct roster *roster;
    struct cpu_usage cpu_usage;    /* of the machine */
    struct entry *machine;         /* where the machine is the sum of its CPUs; else NULL */
    struct cgroup_target *orphans; /* born when there was no memory for an entry */
    struct process_target *process_orphans;
    struct counter_set **opening; /* scratch: what is to be opened in this cycle */
    size_t n_opening;
    size_t next_admission; /* where in the ledger those begin that were refused, next time */
    struct memory_state memory;
    bool between;           /* of two cycles: only what was born is entered, opened and begun */
    uint64_t last_round_ns; /* of readings */
    bool is_told;           /* of changes in the tree, by collector_tree_changed() … */
    bool look;              /* … and it may have changed */
    bool may_open;          /* some entry may have something to open */
    bool out_of_date;
    unsigned looks_in_doubt; /* in so many cycles all counters have to show that they move */
    size_t next_look;        /* where in the ledger the next looks begin */
    bool stands_still;       /* some do not */
    uint64_t now_ns;
    uint64_t probe_at_ns;
    struct exporter_status status; /* what is counted here; the rest is filled in for a snapshot */
    bool rules_are_told;           /* the log has said whether the rules match no cgroup … */
    bool root_is_told;             /* … that the root is not one … */
    bool cost_is_told;             /* … and what counting the machine beside cgroups costs */
    bool hidden_is_told;           /* … that procfs hides processes */
    bool told[SCOPE_KIND_COUNT_][ABSENCE_COUNT_]; /* the log has said that targets are left out … */
    struct growing_wait told_waits[SCOPE_KIND_COUNT_]
                                  [ABSENCE_COUNT_]; /* … and when it may say so again */
};

/* Whether targets of a kind have no counters of their own: one set on each CPU serves all. */
static inline bool collector_shares(const struct collector *collector, enum scope_kind kind)
{
    const struct mechanism *bpf = collector->setup.bpf;

    return bpf && (kind != SCOPE_PROCESS || bpf->counts_processes);
}

/* Who counts targets of a kind. */
static inline struct mechanism *collector_mechanism(const struct collector *collector,
                                                    enum scope_kind kind)
{
    return collector_shares(collector, kind) ? collector->setup.bpf : collector->setup.mechanism;
}

/* Whether each cycle has to look which threads have come and gone. */
static inline bool collector_follows_threads(const struct collector *collector)
{
    return !collector->can_inherit_threads && !collector_shares(collector, SCOPE_PROCESS);
}

/* Counters of cgroups have to show that they move: after each reading, and after a round. */
void collector_note_moves(struct entry *entry, const struct sample *sample);
void collector_look_for_moves(struct collector *collector);

/* Before a round of readings. */
static inline void collector_refresh(const struct collector *collector)
{
    if (collector->setup.bpf)
        mechanism_refresh(collector->setup.bpf);
}

/* Finds the CPUs, and which of them go on from the predecessor. 0 or -errno. */
int collector_read_cpus(struct collector *collector, const struct collector *predecessor);

/* What collector_read_cpus() made, and the lists of single CPUs. */
void collector_free_cpus(struct collector *collector);

/* Gives an entry its counters; they are opened with all others of the cycle. 0 or -ENOMEM. */
int collector_make_counters(struct collector *collector, struct entry *entry);

/* Asks what can be counted, of every class that has groups; before there are entries. */
int collector_probe(struct collector *collector, const struct collector *predecessor);

/* Asks again, once a minute, for what cannot be counted now. */
void collector_probe_again(struct collector *collector);

/* Brings the sets of targets to the present: last readings, new entries. 0 or -errno. */
int collector_discover(struct collector *collector);

/* Reads every counter and derives: totals, rates, ratios. */
void collector_read(struct collector *collector);

/* Reads the machine's CPU time, and derives; where the system scope is configured. */
void collector_read_cpu_time(struct collector *collector);

/* The status with all that others count for it. */
void collector_status(const struct collector *collector, struct exporter_status *ret_status);

/*
 * Logs, once each, that the rules match no cgroup when they are first applied, and what
 * cgroups that are counted beside the machine cost. After the status is made.
 */
void collector_tell_cgroups(struct collector *collector, const struct exporter_status *status);

/* Logs, once, that processes of others cannot be seen, until they can be. */
void collector_tell_processes(struct collector *collector, const struct exporter_status *status);

/* Opens what is wanted and not open, for a bounded time. 0 or -ENOMEM. */
int collector_open(struct collector *collector);

/* Reads one entry that has counters, and derives. */
void collector_read_entry(struct collector *collector, struct entry *entry);

/*
 * Takes over what both count, with its open counters and totals, and what lingers.
 * Both have discovered. 0, or -ENOMEM: nothing was taken over.
 */
int collector_succeed(struct collector *collector, struct collector *predecessor);
