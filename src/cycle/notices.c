/* SPDX-License-Identifier: Apache-2.0 */

/* What is worth a line in the log when the first cgroups are found, or none is. */

#include <stdio.h>

#include "base/clock.h"
#include "config/config_cgroups.h"
#include "cycle/collector_parts.h"
#include "log/log.h"
#include "resolve/absence_advice.h"
#include "resolve/mechanism_cost.h"

static size_t count_cgroups(const struct ledger *ledger)
{
    size_t n = 0;

    for (size_t i = 0; i < ledger->n_entries; i++)
        if (ledger->entries[i]->cgroup && ledger->entries[i]->uncounted == ABSENCE_NONE)
            n++;
    return n;
}

/* Those that are wanted and refused match a rule all the same. */
static bool matches_any(size_t n_counted, const struct exporter_status *status)
{
    bool matches = n_counted > 0;

    for (size_t reason = 0; reason < ABSENCE_COUNT_; reason++)
        matches = matches || status->uncounted[SCOPE_CGROUP][reason] > 0;
    return matches;
}

static void tell_cost(struct collector *collector)
{
    size_t of_the_system = resolution_most_opened(collector->resolution, SCOPE_SYSTEM);
    size_t of_a_cgroup = resolution_most_opened(collector->resolution, SCOPE_CGROUP);
    char message[sizeof(DIRECT_SWITCH_COST) + 16];

    if (collector_shares(collector, SCOPE_CGROUP) || of_the_system == 0 || of_a_cgroup == 0)
        return;
    collector->cost_is_told = true;
    (void)snprintf(message, sizeof(message), DIRECT_SWITCH_COST,
                   direct_switch_cost_ns(of_a_cgroup, of_the_system) / 1000.0);
    log_info(message);
}

/* With the place, which the line about targets that are not counted cannot know. */
static void tell_root(struct collector *collector)
{
    const struct config_word *pattern = config_cgroups_find_root(collector->setup.config);
    char place[32];

    if (collector->root_is_told || !pattern ||
        !cgroup_targets_census(collector->cgroups)->root_refused)
        return;
    collector->root_is_told = true;
    (void)snprintf(place, sizeof(place), "%u:%u", pattern->place.line, pattern->place.column);
    log_warning("the root of all cgroups is not counted as a cgroup", "place", place, "pattern",
                pattern->text, "reason", absence_name(ABSENCE_NOT_SUPPORTED), "hint",
                ROOT_IS_MACHINE);
}

void collector_tell_cgroups(struct collector *collector, const struct exporter_status *status)
{
    size_t n_counted;

    if (!collector->cgroups)
        return;
    tell_root(collector);
    if (collector->rules_are_told && collector->cost_is_told)
        return;
    n_counted = count_cgroups(&collector->ledger);
    if (!collector->rules_are_told && !matches_any(n_counted, status))
        log_info("no cgroup matches the rules of targets.cgroups now");
    collector->rules_are_told = true;
    if (n_counted > 0 && !collector->cost_is_told)
        tell_cost(collector);
}

void collector_tell_processes(struct collector *collector, const struct exporter_status *status)
{
    const bool hidden = collector->processes && status->processes_hidden;

    if (hidden && !collector->hidden_is_told)
        log_warning("processes of other users cannot be seen, and are not counted", "reason",
                    absence_name(ABSENCE_NOT_PERMITTED), "hint", HIDDEN_PROCESSES);
    collector->hidden_is_told = hidden;
}
