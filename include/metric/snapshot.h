/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A snapshot is the immutable result of one cycle: what a scrape shows. It rests on parts that
 * change more rarely and are counted by reference, so making a snapshot costs a copy of the
 * numbers and no more:
 *
 *   part        what it holds             when it is made again
 *   catalogue   families, plans, events   when what can be counted changes
 *   roster      the targets' identities   when a target comes or goes
 *   snapshot    numbers                   each cycle
 *
 * Any thread may take and drop references.
 */

#include <stdint.h>

#include "metric/account.h"
#include "metric/exporter_status.h"
#include "metric/roster.h"
#include "sys/cpu_list.h"

/* For how long each target has run on each CPU. */
struct snapshot_cpus {
    size_t n_cpus;
    unsigned *numbers; /* of the CPUs, ascending */
    /* [row * n_cpus + cpu], in the order of the roster's rows, in ns; they grow as totals do.
     * NUMBER_ABSENT_COUNT: it is not known. */
    uint64_t *ran_ns;
};

/* What a target has counted by key. */
struct snapshot_breakdown {
    size_t plan, target; /* indexes in the roster's parts and in the identities of that part */
    struct breakdown *breakdown; /* a reference */
};

struct snapshot {
    struct roster *roster;
    struct snapshot_cpus *cpus; /* only some snapshots have them, one in ten seconds; else NULL */
    uint64_t taken_ns;          /* the end of the cycle, by CLOCK_MONOTONIC */
    uint64_t taken_realtime_ns; /* the same instant by CLOCK_REALTIME */
    uint64_t sequence;          /* 1 for the first snapshot of this process, 2 for the next */
    struct exporter_status status;
    struct snapshot_breakdown *breakdowns;
    size_t n_breakdowns;
    union number numbers[]; /* roster->n_numbers */
};

/*
 * Makes a snapshot with a copy of the accounts' rows. The accounts must be those that the roster
 * was made of, in the same order. NULL if there is no memory.
 */
struct snapshot *snapshot_new(struct roster *roster, struct account *const *accounts,
                              size_t n_accounts, const struct exporter_status *status);
struct snapshot *snapshot_ref(struct snapshot *snapshot);
struct snapshot *snapshot_unref(struct snapshot *snapshot);
DEFINE_AUTO(snapshot, struct snapshot *, snapshot_unref)

/* Where nothing is known yet. The snapshot that it is given to frees it. NULL: no memory. */
struct snapshot_cpus *snapshot_cpus_new(const struct roster *roster, const struct cpu_list *cpus);
struct snapshot_cpus *snapshot_cpus_free(struct snapshot_cpus *cpus);

/* The times of one of the accounts that the roster was made of: n_cpus of them. */
uint64_t *snapshot_cpus_row(const struct snapshot_cpus *cpus, const struct roster *roster,
                            size_t account);

/* The row of one target. All of it is borrowed from the snapshot. */
struct snapshot_row {
    const struct plan *plan; /* says what each number is: plan->columns, in the same order */
    const struct identity *identity;
    const union number *numbers; /* plan->n_numbers of them, of which n_columns are shown */
};

/*
 * Finds the row of the target that has these labels and no others (identity_has_labels()): no two
 * rows of a snapshot have the same. Returns false if there is no such target. Takes time in
 * proportion to the number of targets: some 10 us for 1000. Whoever shows the same target in each
 * cycle may keep the row for as long as the snapshot's roster stays, with numbers of its own.
 */
bool snapshot_find(const struct snapshot *snapshot, const struct label *labels, size_t n_labels,
                   struct snapshot_row *ret_row);

/*
 * The number of a row that belongs to this family, for example "pmu_cgroup_cycles_total". group is
 * the name of a group of events for the families that have such a label, else NULL. Returns NULL
 * if the row has no such column. The number may be absent (metric/plan.h).
 */
const union number *snapshot_row_number(const struct snapshot_row *row, const char *family,
                                        const char *group);

/* The place of the current snapshot: the collector writes it and the server reads it. */
struct snapshot_slot;
struct snapshot_slot *snapshot_slot_new(void); /* NULL if there is no memory */
struct snapshot_slot *snapshot_slot_free(struct snapshot_slot *slot);
DEFINE_AUTO(snapshot_slot, struct snapshot_slot *, snapshot_slot_free)

/* Takes over the caller's reference, numbers the snapshot, and drops the snapshot before it. */
void snapshot_slot_publish(struct snapshot_slot *slot, struct snapshot *snapshot);

/* Returns a new reference to the current snapshot, or NULL before the first. */
struct snapshot *snapshot_slot_get(struct snapshot_slot *slot);
