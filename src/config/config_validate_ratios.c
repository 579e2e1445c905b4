/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A ratio compares what was counted together: it needs one group that lists all of its events. So
 * its formula is parsed with the events of each group. Where it is valid for none, it is parsed
 * once more with the events of all groups: that shows whether the formula is wrong or whether its
 * events stand in different groups.
 */
#include <errno.h>
#include <string.h>

#include "config/config_error.h"
#include "config/config_event.h"
#include "config/config_validate.h"
#include "config/yaml_reader.h"
#include "event/generic.h"
#include "metric/formula.h"

struct names {
    const char **names;
    size_t n;
};

static void cleanup_names(struct names *names)
{
    free(names->names);
}

static bool has_name(const struct names *names, const char *name)
{
    for (size_t i = 0; i < names->n; i++)
        if (strcmp(names->names[i], name) == 0)
            return true;
    return false;
}

static void add_name(struct names *names, const char *name)
{
    if (!has_name(names, name))
        names->names[names->n++] = name;
}

/* Lists each event of all groups once, in its own and its canonical spelling; borrowed names. */
static int all_names(const struct config *config, struct names *names)
{
    size_t total = 0;

    for (size_t i = 0; i < config->n_groups; i++)
        total += config->groups[i].n_events;
    names->names = calloc(2 * total + 1, sizeof(*names->names));
    if (!names->names)
        return -ENOMEM;
    for (size_t i = 0; i < config->n_groups; i++)
        for (size_t j = 0; j < config->groups[i].n_events; j++) {
            const char *name = config_event_name(&config->groups[i].events[j])->text;

            add_name(names, name);
            add_name(names, event_generic_canonical(name));
        }
    return 0;
}

static const char *as_listed(const char *name)
{
    return name;
}

static void add_groups_of(const struct config *config, const char *event,
                          struct config_error *error)
{
    const char *separator = "";

    for (size_t i = 0; i < config->n_groups; i++) {
        for (size_t j = 0; j < config->groups[i].n_events; j++) {
            const char *listed = config_event_name(&config->groups[i].events[j])->text;

            if (strcmp(listed, event) != 0 && strcmp(event_generic_canonical(listed), event) != 0)
                continue;
            config_error_add(error, "%s%s", separator, config->groups[i].name.text);
            separator = ", ";
        }
    }
}

/* Some group lists each event of the formula, and no group lists them all. */
static int refuse_split(const struct config *config, const struct config_ratio *ratio,
                        const struct formula *formula, const struct names *all,
                        struct config_error *ret_error)
{
    int r = config_error_set(ret_error, ratio->formula.place,
                             "no group has all events of ratio %s; expected one group with",
                             SHOWN(ratio->name.text));
    const char *separator = " ";

    for (size_t i = 0; i < all->n; i++) {
        if (!formula_uses(formula, i))
            continue;
        config_error_add(ret_error, "%s%s (in ", separator, SHOWN(all->names[i]));
        add_groups_of(config, all->names[i], ret_error);
        config_error_add(ret_error, ")");
        separator = ", ";
    }
    return r;
}

static bool uses_any(const struct formula *formula, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (formula_uses(formula, i))
            return true;
    return false;
}

/*
 * Whether the group has all events of the formula, when they are spelled in this way. 1, 0 or
 * -ENOMEM.
 */
static int group_counts_as(const struct config_group *group, const char *text,
                           const char *spell(const char *name))
{
    struct names names __attribute__((cleanup(cleanup_names))) = {0};
    AUTO(formula) struct formula *formula = NULL;
    struct formula_error wrong;
    int r;

    names.names = calloc(group->n_events + 1, sizeof(*names.names));
    if (!names.names)
        return -ENOMEM;
    for (; names.n < group->n_events; names.n++)
        names.names[names.n] = spell(config_event_name(&group->events[names.n])->text);
    r = formula_parse(text, names.names, names.n, &formula, &wrong);
    if (r == -ENOMEM)
        return r;
    return r == 0 && uses_any(formula, names.n);
}

/* A formula may use the canonical spelling of events, or the one that the group uses. */
static int group_counts(const struct config_group *group, const char *text)
{
    int r = group_counts_as(group, text, event_generic_canonical);

    return r ? r : group_counts_as(group, text, as_listed);
}

static const struct config_word *find_listed(const struct config *config, const char *event,
                                             const struct config_group **ret_group)
{
    for (size_t i = 0; i < config->n_groups; i++) {
        const struct config_group *group = &config->groups[i];

        for (size_t j = 0; j < group->n_events; j++) {
            const struct config_word *word = config_event_name(&group->events[j]);
            const char *listed = word->text;

            if (strcmp(listed, event) != 0 && strcmp(event_generic_canonical(listed), event) != 0)
                continue;
            *ret_group = group;
            return word;
        }
    }
    return NULL;
}

/* The slip may be in the group as well as in the formula, so the message has both places. */
static int refuse_formula(const struct config *config, const struct config_ratio *ratio,
                          struct config_place place, const struct formula_error *wrong,
                          struct config_error *ret_error)
{
    const struct config_group *group = NULL;
    const struct config_word *listed =
        wrong->nearest ? find_listed(config, wrong->nearest, &group) : NULL;
    int r = config_error_set(ret_error, place, "formula of ratio %s: %s", SHOWN(ratio->name.text),
                             wrong->message);

    if (listed && listed->place.line)
        config_error_add(ret_error, " Or is %s of group %s, at %u:%u, misspelled?",
                         SHOWN(listed->text), group->name.text, listed->place.line,
                         listed->place.column);
    return r;
}

static int check_formula(const struct config *config, const struct config_ratio *ratio,
                         const struct names *all, const char *text, size_t length,
                         struct config_error *ret_error)
{
    AUTO(formula) struct formula *formula = NULL;
    struct formula_error wrong;
    int r;

    for (size_t i = 0; i < config->n_groups; i++) {
        r = group_counts(&config->groups[i], ratio->formula.text);
        if (r)
            return r < 0 ? r : 0;
    }
    r = formula_parse(ratio->formula.text, all->names, all->n, &formula, &wrong);
    if (r == -ENOMEM)
        return r;
    if (r < 0)
        return refuse_formula(config, ratio,
                              yaml_place_inside(text, length, &ratio->formula, wrong.offset),
                              &wrong, ret_error);
    if (!uses_any(formula, all->n))
        return config_error_set(ret_error, ratio->formula.place,
                                "formula of ratio %s names no event; expected events of one group",
                                SHOWN(ratio->name.text));
    return refuse_split(config, ratio, formula, all, ret_error);
}

int config_validate_ratios(const struct config *config, const char *text, size_t length,
                           struct config_error *ret_error)
{
    struct names all __attribute__((cleanup(cleanup_names))) = {0};
    int r = 0;

    if (config->n_ratios > 0)
        r = all_names(config, &all);
    for (size_t i = 0; r == 0 && i < config->n_ratios; i++)
        r = check_formula(config, &config->ratios[i], &all, text, length, ret_error);
    return r;
}
