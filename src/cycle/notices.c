/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A line is written when something begins, and not again as long as it lasts: who reads a log wants
 * to know what has changed. Where a reason comes and goes, as with a neighbour who takes the PMU
 * each minute, its line is written more and more seldom.
 */
#include "cycle/notices.h"

#include <inttypes.h>
#include <stdio.h>

#include "config/config_cgroups.h"
#include "cycle/collector_parts.h"
#include "log/log.h"
#include "resolve/absence_advice.h"
#include "resolve/mechanism_cost.h"

struct notices notices_inherit(const struct notices *from)
{
    struct notices notices = *from;

    notices.no_cgroup_matches = false;
    return notices;
}

/* The root of all cgroups has a line of its own, notify_root(), and is left out of the general. */
static uint64_t count_uncounted(const struct collector *collector,
                                const struct exporter_status *status, enum scope_kind kind,
                                enum absence reason)
{
    const uint64_t n = status->uncounted[kind][reason];
    const struct cgroup_targets *cgroups = collector->cgroups.targets;
    const bool has_root = kind == SCOPE_CGROUP && reason == ABSENCE_NOT_SUPPORTED && cgroups &&
                          cgroup_targets_census(cgroups)->root_refused;

    return has_root ? n - 1 : n;
}

static void notify_uncounted(struct collector *collector, const struct exporter_status *status,
                             enum scope_kind kind, uint64_t now_ns)
{
    for (enum absence reason = ABSENCE_NONE + 1; reason < ABSENCE_COUNT_; reason++) {
        bool *const is_said = &collector->notices.uncounted[kind][reason];
        struct growing_wait *const wait = &collector->notices.uncounted_waits[kind][reason];
        const uint64_t uncounted = count_uncounted(collector, status, kind, reason);
        char n[24];

        *is_said = *is_said && uncounted > 0;
        if (*is_said || uncounted == 0 || !growing_wait_is_over(wait, now_ns))
            continue;
        *is_said = true;
        growing_wait_begin(wait, now_ns);
        (void)snprintf(n, sizeof(n), "%" PRIu64, uncounted);
        log_warning("targets are not counted", "kind", scope_kind_name(kind), "reason",
                    absence_name(reason), "targets", n, "hint",
                    absence_target_advice(kind, reason));
    }
}

static size_t count_counted_cgroups(const struct ledger *ledger)
{
    size_t n = 0;

    for (size_t i = 0; i < ledger->n_entries; i++)
        if (ledger->entries[i]->cgroup && ledger->entries[i]->uncounted == ABSENCE_NONE)
            n++;
    return n;
}

/* A cgroup that is wanted and not counted matches a rule all the same. */
static bool is_any_uncounted(const struct exporter_status *status)
{
    for (size_t reason = 0; reason < ABSENCE_COUNT_; reason++)
        if (status->uncounted[SCOPE_CGROUP][reason] > 0)
            return true;
    return false;
}

static void notify_switch_cost(struct collector *collector)
{
    const struct switch_cost cost = direct_switch_cost(collector->resolution);
    char message[sizeof(DIRECT_SWITCH_COST) + 16];

    if (mechanism_is_shared(collector->setup.bpf, SCOPE_CGROUP) || cost.ns == 0)
        return;
    collector->notices.switch_cost = true;
    (void)snprintf(message, sizeof(message), DIRECT_SWITCH_COST, cost.ns / 1000.0);
    log_info(message);
}

/* The line has the place of the pattern, which the line about uncounted targets cannot know. */
static void notify_root(struct collector *collector)
{
    const struct config_word *pattern = config_cgroups_find_root(collector->setup.config);
    char place[32];

    if (collector->notices.root_is_refused || !pattern ||
        !cgroup_targets_census(collector->cgroups.targets)->root_refused)
        return;
    collector->notices.root_is_refused = true;
    (void)snprintf(place, sizeof(place), "%u:%u", pattern->place.line, pattern->place.column);
    log_warning("the root of all cgroups is not counted as a cgroup", "place", place, "pattern",
                pattern->text, "reason", absence_name(ABSENCE_NOT_SUPPORTED), "hint",
                ROOT_IS_MACHINE);
}

static void notify_of_cgroups(struct collector *collector, const struct exporter_status *status)
{
    struct notices *notices = &collector->notices;
    size_t n_counted;

    if (!collector->cgroups.targets)
        return;
    notify_root(collector);
    if (notices->no_cgroup_matches && notices->switch_cost)
        return;
    n_counted = count_counted_cgroups(&collector->ledger);
    if (!notices->no_cgroup_matches && n_counted == 0 && !is_any_uncounted(status))
        log_info("no cgroup matches the rules of targets.cgroups now");
    notices->no_cgroup_matches = true;
    if (n_counted > 0 && !notices->switch_cost)
        notify_switch_cost(collector);
}

static void notify_of_processes(struct collector *collector, const struct exporter_status *status)
{
    const bool hidden = collector->processes.targets && status->processes_hidden;

    if (hidden && !collector->notices.processes_hidden)
        log_warning("processes of other users cannot be seen, and are not counted", "reason",
                    absence_name(ABSENCE_NOT_PERMITTED), "hint", HIDDEN_PROCESSES);
    collector->notices.processes_hidden = hidden;
}

void collector_notify(struct collector *collector, const struct exporter_status *status,
                      uint64_t now_ns)
{
    for (enum scope_kind kind = 0; kind < SCOPE_KIND_COUNT_; kind++)
        notify_uncounted(collector, status, kind, now_ns);
    notify_of_cgroups(collector, status);
    notify_of_processes(collector, status);
}
