/* SPDX-License-Identifier: Apache-2.0 */
#include "check/left_out.h"

#include <stdio.h>
#include <unistd.h>

#include "base/text.h"
#include "resolve/absence_advice.h"

/* The names of a group's events that are absent for this reason, each behind a space. */
static void list_left_out(enum scope_kind kind, const struct event_group *group,
                          enum absence reason, struct text *names)
{
    for (size_t i = 0; i < group->n_members; i++) {
        const struct group_member *member = &group->members[i];

        if (member->absence != reason || member->event->absence != ABSENCE_NONE ||
            (kind == SCOPE_SYSTEM && member->event->is_clock))
            continue;
        text_append_char(names, ' ');
        text_append_string(names, member->event->name);
    }
    text_append_char(names, '\0');
}

/* Returns whether it has printed a line. rule: the number of the class among those of its kind. */
static bool print_class(const struct event_groups *groups, size_t rule, enum absence reason,
                        const char *heading)
{
    const char *scope = scope_kind_name(groups->kind);
    bool has_printed = false;

    for (size_t g = 0; g < groups->n_groups; g++) {
        const struct event_group *group = &groups->groups[g];
        AUTO_TEXT struct text names = {0};

        list_left_out(groups->kind, group, reason, &names);
        if (text_error(&names) < 0 || !*names.data)
            continue;
        if (heading && !has_printed)
            (void)printf("%s\n", heading);
        has_printed = true;
        if (groups->kind == SCOPE_SYSTEM)
            (void)printf("  left out: %s, group %s:%s\n", scope, group->name, names.data);
        else
            (void)printf("  left out: %s rule %zu, group %s:%s\n", scope, rule, group->name,
                         names.data);
    }
    return has_printed;
}

void check_print_left_out(const struct resolution *resolution, enum absence reason,
                          const char *heading)
{
    size_t n_of_kind[SCOPE_KIND_COUNT_] = {0};

    for (size_t i = 0; i < resolution->n_classes; i++) {
        const struct event_groups *groups = resolution->classes[i].groups;

        if (groups && print_class(groups, ++n_of_kind[groups->kind], reason, heading))
            heading = NULL;
    }
}

void check_print_refused(const struct resolution *resolution)
{
    for (enum absence reason = ABSENCE_NONE + 1; reason < ABSENCE_COUNT_; reason++) {
        /* the service may have rights that this user has not */
        const bool may_be_ours = reason == ABSENCE_NOT_PERMITTED && geteuid() != 0;
        AUTO_TEXT struct text heading = {0};

        if (reason == ABSENCE_OVER_BUDGET) /* that is our own choice, which the budget shows */
            continue;
        text_append_format(
            &heading, "not counted here, %s%s: %s", absence_name(reason),
            may_be_ours ? " for this user (as root, this shows what the service gets)" : "",
            absence_advice(reason));
        text_append_char(&heading, '\0');
        if (text_error(&heading) >= 0)
            check_print_left_out(resolution, reason, heading.data);
    }
}
