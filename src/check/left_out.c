/* SPDX-License-Identifier: Apache-2.0 */
#include "check/left_out.h"

#include <stdio.h>
#include <unistd.h>

#include "base/text.h"
#include "resolve/absence_advice.h"

bool check_is_left_out(enum scope_kind kind, const struct group_member *member, enum absence reason)
{
    return member->absence == reason && member->event->absence == ABSENCE_NONE &&
           !(kind == SCOPE_SYSTEM ? member->event->is_clock : member->event->is_uncore);
}

static bool has_left_out(enum scope_kind kind, const struct event_group *group, enum absence reason)
{
    for (size_t i = 0; i < group->n_members; i++)
        if (check_is_left_out(kind, &group->members[i], reason))
            return true;
    return false;
}

void check_each_left_out(const struct resolution *resolution, enum absence reason,
                         void (*visit)(void *object, const struct check_left_out *left_out),
                         void *object)
{
    size_t n_of_kind[SCOPE_KIND_COUNT_] = {0};

    for (size_t i = 0; i < resolution->n_classes; i++) {
        const struct event_groups *groups = resolution->classes[i].groups;
        const size_t rule = groups ? ++n_of_kind[groups->kind] : 0;

        for (size_t g = 0; groups && g < groups->n_groups; g++)
            if (has_left_out(groups->kind, &groups->groups[g], reason))
                visit(object,
                      &(struct check_left_out){groups->kind, rule, &groups->groups[g], reason});
    }
}

/* object: the heading, which is printed before the first line, and is NULL from then on. */
static void print_left_out(void *object, const struct check_left_out *left_out)
{
    const char **heading = object;

    if (*heading)
        (void)printf("%s\n", *heading);
    *heading = NULL;
    (void)printf("  left out: %s", scope_kind_name(left_out->kind));
    if (left_out->kind != SCOPE_SYSTEM)
        (void)printf(" rule %zu", left_out->rule);
    (void)printf(", group %s:", left_out->group->name);
    for (size_t i = 0; i < left_out->group->n_members; i++) {
        const struct group_member *member = &left_out->group->members[i];

        if (check_is_left_out(left_out->kind, member, left_out->reason))
            (void)printf(" %s", member->event->name);
    }
    (void)printf("\n");
}

void check_print_left_out(const struct resolution *resolution, enum absence reason,
                          const char *heading)
{
    check_each_left_out(resolution, reason, print_left_out, &heading);
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
