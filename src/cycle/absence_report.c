/* SPDX-License-Identifier: Apache-2.0 */
#include "cycle/absence_report.h"

#include <string.h>

#include "base/text.h"
#include "log/log.h"
#include "resolve/absence_advice.h"

/* Whether a scope lacks the same event for the same reason; a permission lacks for all events. */
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

/* What our own share of the PMU leaves out differs from scope to scope; all else does not. */
static bool is_known(const struct event_groups *const *known, size_t n_known, enum scope_kind kind,
                     const struct group_member *member)
{
    for (size_t i = 0; i < n_known; i++)
        if (known[i] && (known[i]->kind == kind || member->absence != ABSENCE_OVER_BUDGET) &&
            lacks(known[i], member))
            return true;
    return false;
}

/*
 * Clocks are left out of the system scope by design, since there they are wall time; and events of
 * a whole socket are left out of cgroups and processes.
 */
static bool is_news(const struct event_groups *groups, const struct group_member *member)
{
    return groups->kind == SCOPE_SYSTEM ? !member->event->is_clock : !member->event->is_uncore;
}

static void list_events(const struct event_groups *groups, const struct event_groups *const *known,
                        size_t n_known, enum absence reason, struct text *names)
{
    for (size_t g = 0; g < groups->n_groups; g++)
        for (size_t i = 0; i < groups->groups[g].n_members; i++) {
            const struct group_member *member = &groups->groups[g].members[i];

            if (member->absence != reason || !is_news(groups, member) || member->event->why ||
                is_known(known, n_known, groups->kind, member))
                continue;
            if (names->length > 0)
                text_append_char(names, ' ');
            text_append_string(names, member->event->name);
        }
}

/* Events of which more is known than the reason have lines of their own. */
static void report_explained(const struct event_groups *groups,
                             const struct event_groups *const *known, size_t n_known)
{
    for (size_t g = 0; g < groups->n_groups; g++)
        for (size_t i = 0; i < groups->groups[g].n_members; i++) {
            const struct group_member *member = &groups->groups[g].members[i];

            if (member->absence != ABSENCE_NONE && member->event->why &&
                !is_known(known, n_known, groups->kind, member))
                log_warning("event cannot be counted", "scope", scope_kind_name(groups->kind),
                            "reason", absence_name(member->absence), "event", member->event->name,
                            "why", member->event->why);
        }
}

void absence_report(const struct event_groups *groups, const struct event_groups *const *known,
                    size_t n_known)
{
    report_explained(groups, known, n_known);
    for (enum absence reason = ABSENCE_NONE + 1; reason < ABSENCE_COUNT_; reason++) {
        AUTO_TEXT struct text names = {0};
        AUTO_FREE char *events = NULL;

        list_events(groups, known, n_known, reason, &names);
        if (names.length == 0)
            continue;
        events = text_take(&names);
        log_warning("events cannot be counted", "scope", scope_kind_name(groups->kind), "reason",
                    absence_name(reason), "events", events ? events : "", "hint",
                    absence_advice(reason));
    }
}
