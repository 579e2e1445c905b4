/* SPDX-License-Identifier: Apache-2.0 */
#include "cycle/absence_report.h"

#include <string.h>

#include "base/text.h"
#include "log/log.h"
#include "resolve/absence_advice.h"

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
                    absence_name(reason), "events", events ? events : "", "hint",
                    absence_advice(reason));
    }
}
