/* SPDX-License-Identifier: Apache-2.0 */
#include "run/ratios.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "event/generic.h"
#include "metric/builtin_ratios.h"

/* The member that an event is; *ret_group: the index of its group. */
static const struct group_member *member_of(const struct event_groups *groups, size_t event,
                                            size_t *ret_group)
{
    size_t group = 0;

    while (event >= groups->groups[group].first + groups->groups[group].n_members)
        group++;
    *ret_group = group;
    return &groups->groups[group].members[event - groups->groups[group].first];
}

/* The modifiers behind the name of a generic event, with the colon; "" without them. */
static const char *suffix_of(const char *name)
{
    const char *colon = strrchr(name, ':');

    return colon ? colon : "";
}

/* The names that formulas may use: of events that are counted and have these modifiers. */
static int name_events(struct run_ratios *ratios, const char *suffix)
{
    const struct event_groups *groups = ratios->groups;

    for (size_t i = 0; i < groups->n_events; i++) {
        size_t group;
        const struct group_member *member = member_of(groups, i, &group);
        const char *name = member->event->name;
        AUTO_FREE char *base = strndup(name, strlen(name) - strlen(suffix_of(name)));

        if (!base)
            return -ENOMEM;
        free(ratios->names[i]);
        ratios->names[i] =
            strdup(member->absence == ABSENCE_NONE && strcmp(suffix_of(name), suffix) == 0
                       ? event_generic_canonical(base)
                       : "");
        if (!ratios->names[i])
            return -ENOMEM;
    }
    return 0;
}

static bool is_known(const struct run_ratios *ratios, const char *name, const char *suffix)
{
    for (size_t i = 0; i < ratios->n; i++)
        if (strcmp(ratios->ratios[i].name, name) == 0 &&
            strcmp(ratios->ratios[i].suffix, suffix) == 0)
            return true;
    return false;
}

/* Adds the ratios whose events have these modifiers. 0 or -ENOMEM. */
static int add_ratios(struct run_ratios *ratios, const char *suffix)
{
    int r = name_events(ratios, suffix);

    for (size_t i = 0; i < n_builtin_ratios && r == 0; i++) {
        struct formula_error error;
        struct formula *formula = NULL;
        struct run_ratio *grown;

        if (is_known(ratios, builtin_ratios[i].name, suffix) ||
            formula_parse(builtin_ratios[i].formula, (const char *const *)ratios->names,
                          ratios->groups->n_events, &formula, &error) < 0)
            continue;
        grown = reallocarray(ratios->ratios, ratios->n + 1, sizeof(*grown));
        if (!grown) {
            (void)formula_free(formula);
            return -ENOMEM;
        }
        ratios->ratios = grown;
        grown[ratios->n++] = (struct run_ratio){
            .name = builtin_ratios[i].name, .suffix = strdup(suffix), .formula = formula};
        r = grown[ratios->n - 1].suffix ? 0 : -ENOMEM;
    }
    return r;
}

int run_ratios_find(const struct event_groups *groups, struct run_ratios *ret_ratios)
{
    int r = 0;

    *ret_ratios = (struct run_ratios){.groups = groups,
                                      .names = calloc(groups->n_events + 1, sizeof(char *)),
                                      .values = calloc(groups->n_events + 1, sizeof(double))};
    if (!ret_ratios->names || !ret_ratios->values)
        return -ENOMEM;
    for (size_t i = 0; i < groups->n_events && r == 0; i++) {
        size_t group;

        r = add_ratios(ret_ratios, suffix_of(member_of(groups, i, &group)->event->name));
    }
    return r;
}

void run_ratios_done(struct run_ratios *ratios)
{
    for (size_t i = 0; ratios->names && i < ratios->groups->n_events; i++)
        free(ratios->names[i]);
    for (size_t i = 0; i < ratios->n; i++) {
        free(ratios->ratios[i].suffix);
        (void)formula_free(ratios->ratios[i].formula);
    }
    free(ratios->names);
    free(ratios->ratios);
    free(ratios->values);
    *ratios = (struct run_ratios){0};
}

/* Whether all events of a ratio were counted in the same time. */
static bool were_together(const struct run_ratios *ratios, const struct formula *formula,
                          const struct figure *figures)
{
    size_t first = SIZE_MAX;
    bool is_one_group = true, is_whole = true;

    for (size_t i = 0; i < ratios->groups->n_events; i++) {
        size_t group;

        if (!formula_uses(formula, i))
            continue;
        if (!figures[i].is_known)
            return false;
        (void)member_of(ratios->groups, i, &group);
        first = first == SIZE_MAX ? group : first;
        is_one_group &= group == first;
        is_whole &= figures[i].running_ns >= figures[i].enabled_ns;
    }
    return is_one_group || is_whole;
}

double run_ratio_of(const struct run_ratios *ratios, size_t ratio, const struct figure *figures)
{
    const struct formula *formula = ratios->ratios[ratio].formula;
    double value;

    for (size_t i = 0; i < ratios->groups->n_events; i++)
        ratios->values[i] = (double)figures[i].exact;
    return were_together(ratios, formula, figures) && formula_value(formula, ratios->values, &value)
               ? value
               : NAN;
}
