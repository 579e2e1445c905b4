/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The ratios of a plan. The kernel puts the events of one group on the PMU together, so a
 * ratio is exact only within a group. A formula is therefore parsed with the names of one
 * group's members as its only words, and the first group in which that succeeds serves it.
 */
#include <errno.h>
#include <string.h>

#include "event/generic.h"
#include "metric/builtin_ratios.h"
#include "metric/formula.h"
#include "metric/plan_build.h"

/* Whether the group counts every event that the formula uses. */
static bool group_counts(const struct event_group *group, const struct formula *formula)
{
    for (size_t i = 0; i < group->n_members; i++)
        if (formula_uses(formula, i) && group->members[i].absence != ABSENCE_NONE)
            return false;
    return true;
}

static void free_ratio(struct plan_ratio *ratio)
{
    for (size_t i = 0; ratio->terms && i < ratio->n_terms; i++)
        free(ratio->terms[i].name);
    free(TAKE(ratio->terms));
    free(TAKE(ratio->text));
    ratio->formula = formula_free(ratio->formula);
}

/* Notes which events the formula uses. Until plan_add_hidden() a term has the index of its member.
 */
static int name_terms(const struct formula *formula, const char *const *names,
                      struct plan_ratio *ratio)
{
    ratio->terms = calloc(ratio->n_members + 1, sizeof(*ratio->terms));
    if (!ratio->terms)
        return -ENOMEM;
    for (size_t i = 0; i < ratio->n_members; i++) {
        if (!formula_uses(formula, i))
            continue;
        ratio->terms[ratio->n_terms] = (struct plan_term){strdup(names[i]), i};
        if (!ratio->terms[ratio->n_terms++].name)
            return -ENOMEM;
    }
    return 0;
}

/*
 * Parses the formula with the names of the group's members. The canonical names are tried
 * first, so that a built-in ratio finds cpu-cycles under the name cycles; then the names as
 * the user wrote them. Returns 1 and sets the formula; 0 if the group lacks an event of it or
 * cannot count one; -ENOMEM.
 */
static int bind_formula(const char *text, const struct event_group *group, struct plan_ratio *ratio)
{
    AUTO(formula) struct formula *formula = NULL;
    AUTO_FREE const char **names = calloc(group->n_members + 1, sizeof(*names));
    struct formula_error error;
    int r;

    if (!names)
        return -ENOMEM;
    for (size_t i = 0; i < group->n_members; i++)
        names[i] = event_generic_canonical(group->members[i].event->name);
    r = formula_parse(text, names, group->n_members, &formula, &error);
    if (r == -EINVAL) {
        for (size_t i = 0; i < group->n_members; i++)
            names[i] = group->members[i].event->name;
        r = formula_parse(text, names, group->n_members, &formula, &error);
    }
    if (r < 0)
        return r == -EINVAL ? 0 : r;
    if (!group_counts(group, formula))
        return 0;
    r = name_terms(formula, names, ratio);
    if (r < 0)
        return r;
    ratio->formula = TAKE(formula);
    return 1;
}

static int add_ratio(struct plan *plan, const struct plan_spec *spec,
                     const struct event_groups *groups, const char *ratio_name,
                     const char *formula_text, const char *ratio_help)
{
    AUTO_TEXT struct text name = {0}, help = {0};
    struct plan_ratio ratio = {0}, *ratios;
    int r = 0;

    for (size_t g = 0; g < groups->n_groups && r == 0; g++) {
        const struct event_group *group = &groups->groups[g];

        ratio.group = g;
        ratio.first = group->first;
        ratio.n_members = group->n_members;
        r = bind_formula(formula_text, group, &ratio);
    }
    if (r > 0 && !(ratio.text = strdup(formula_text)))
        r = -ENOMEM;
    if (r <= 0) {
        free_ratio(&ratio);
        return r;
    }
    ratios = reallocarray(plan->ratios, plan->n_ratios + 1, sizeof(*ratios));
    if (!ratios) {
        free_ratio(&ratio);
        return -ENOMEM;
    }
    plan->ratios = ratios;
    ratios[plan->n_ratios++] = ratio;
    text_append_format(&name, "%s%s", spec->prefix, ratio_name);
    text_append_format(&help, "%s in the last interval, in %s. It is %s.", ratio_help, spec->target,
                       formula_text);
    return plan_add_column(plan,
                           (struct column){.kind = COLUMN_RATIO,
                                           .form = NUMBER_REAL,
                                           .index = plan->n_ratios - 1,
                                           .group = ratio.group,
                                           .type = FAMILY_GAUGE},
                           &name, &help);
}

/* A ratio of the configuration replaces the built-in ratio of the same name. */
static bool is_configured(const struct plan_spec *spec, const char *name)
{
    for (size_t i = 0; i < spec->n_ratio_specs; i++)
        if (strcmp(spec->ratio_specs[i].name, name) == 0)
            return true;
    return false;
}

int plan_add_ratios(struct plan *plan, const struct plan_spec *spec,
                    const struct event_groups *groups)
{
    int r = 0;

    for (size_t i = 0; i < n_builtin_ratios && r >= 0; i++)
        if (!is_configured(spec, builtin_ratios[i].name))
            r = add_ratio(plan, spec, groups, builtin_ratios[i].name, builtin_ratios[i].formula,
                          builtin_ratios[i].help);
    for (size_t i = 0; i < spec->n_ratio_specs && r >= 0; i++)
        r = add_ratio(plan, spec, groups, spec->ratio_specs[i].name, spec->ratio_specs[i].formula,
                      "Value of a ratio that the configuration defines");
    return r;
}

void plan_free_ratios(struct plan *plan)
{
    for (size_t i = 0; plan->ratios && i < plan->n_ratios; i++)
        free_ratio(&plan->ratios[i]);
    free(TAKE(plan->ratios));
}

bool plan_ratio_value(const struct plan *plan, size_t ratio, const struct sample *sample,
                      double *ret_value)
{
    const struct plan_ratio *bound = &plan->ratios[ratio];
    const struct group_sample *group = &sample->groups[bound->group];
    double values[EVENT_GROUP_MAX];

    if (!group->counted || !group->ran || group->unknown)
        return false;
    for (size_t i = 0; i < bound->n_members && i < EVENT_GROUP_MAX; i++)
        values[i] = sample->events[bound->first + i].exact;
    return formula_value(bound->formula, values, ret_value);
}

const char *plan_ratio_formula(const struct plan *plan, size_t ratio,
                               const struct plan_term **ret_terms, size_t *ret_n)
{
    *ret_terms = plan->ratios[ratio].terms;
    *ret_n = plan->ratios[ratio].n_terms;
    return plan->ratios[ratio].text;
}
