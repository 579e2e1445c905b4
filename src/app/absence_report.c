/* SPDX-License-Identifier: Apache-2.0 */
#include "app/absence_report.h"

#include <string.h>

#include "app/log.h"
#include "base/text.h"

static const char *const advice[ABSENCE_COUNT_] = {
    [ABSENCE_NO_PMU] = "this machine shows no such PMU (sysfs bus/event_source/devices); most "
                       "virtual machines have none",
    [ABSENCE_UNKNOWN_EVENT] = "no source of events knows this name; tracepoints and events "
                              "of sysfs PMUs (power/energy-pkg/) are not counted yet",
    [ABSENCE_NOT_SUPPORTED] = "the kernel or PMU refuses it in this scope",
    [ABSENCE_NOT_PERMITTED] = "grant CAP_PERFMON, or lower kernel.perf_event_paranoid; above 2, as "
                              "Debian and Ubuntu have "
                              "it, the kernel may want both; an LSM may forbid it too",
    [ABSENCE_PMU_BUSY] = "its counters are held by somebody else; tried again every minute",
    [ABSENCE_OVER_BUDGET] = "our share of the PMU's counters is used up (limits.pmu_counters): "
                            "count fewer events, scopes or levels, or allow more",
    [ABSENCE_GROUP_TOO_LARGE] = "the PMU has not enough counters for the whole group: split it",
};

/* Why cgroups may be refused what the root of their tree is not. */
static const char cgroup_advice[] =
    "the kernel refuses them; on a bare v2 tree it does so until some controller was once enabled "
    "in the root's cgroup.subtree_control";

const char *absence_advice(enum absence absence)
{
    return advice[absence] ? advice[absence] : "";
}

const char *absence_target_advice(enum scope_kind kind, enum absence absence)
{
    switch (absence) {
    case ABSENCE_NOT_SUPPORTED:
        return kind == SCOPE_CGROUP ? cgroup_advice : NULL;
    case ABSENCE_NOT_PERMITTED:
        return "pmutool check config tells what is missing; so does the line about events";
    case ABSENCE_NO_DESCRIPTORS:
        return "raise LimitNOFILE= of the unit, or ulimit -n";
    case ABSENCE_OVER_LIMIT:
        return "raise limits: in the configuration, or let rules take fewer";
    default:
        return NULL;
    }
}

/* A missing permission is one for all events; other reasons are of one event. */
static bool lacks(const struct event_groups *groups, const struct group_member *member)
{
    for (size_t g = 0; g < groups->n_groups; g++)
        for (size_t i = 0; i < groups->groups[g].n_members; i++) {
            const struct group_member *other = &groups->groups[g].members[i];

            if (other->absence == member->absence &&
                (other->absence == ABSENCE_NOT_PERMITTED ||
                 strcmp(other->event->name, member->event->name) == 0))
                return true;
        }
    return false;
}

/* What is left out by our own choice is another matter in each scope. */
static bool is_told(const struct event_groups *const *told, size_t n_told, enum scope_kind kind,
                    const struct group_member *member)
{
    for (size_t i = 0; i < n_told; i++)
        if (told[i] && (told[i]->kind == kind || member->absence != ABSENCE_OVER_BUDGET) &&
            lacks(told[i], member))
            return true;
    return false;
}

/* Clocks system-wide are left out by design: that is no news. */
static bool is_news(const struct event_groups *groups, const struct group_member *member)
{
    return !(groups->kind == SCOPE_SYSTEM && member->event->is_clock);
}

static void collect(const struct event_groups *groups, const struct event_groups *const *told,
                    size_t n_told, enum absence reason, struct text *names)
{
    for (size_t g = 0; g < groups->n_groups; g++)
        for (size_t i = 0; i < groups->groups[g].n_members; i++) {
            const struct group_member *member = &groups->groups[g].members[i];

            if (member->absence != reason || !is_news(groups, member) ||
                is_told(told, n_told, groups->kind, member))
                continue;
            if (names->length > 0)
                text_append_char(names, ' ');
            text_append_string(names, member->event->name);
        }
}

void absence_report(const struct event_groups *groups, const struct event_groups *const *told,
                    size_t n_told)
{
    for (enum absence reason = ABSENCE_NONE + 1; reason < ABSENCE_COUNT_; reason++) {
        AUTO_TEXT struct text names = {0};
        AUTO_FREE char *events = NULL;

        collect(groups, told, n_told, reason, &names);
        if (names.length == 0)
            continue;
        events = text_take(&names);
        log_warning("events cannot be counted", "scope", scope_kind_name(groups->kind), "reason",
                    absence_name(reason), "events", events ? events : "", "hint", advice[reason]);
    }
}
