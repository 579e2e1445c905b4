/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Families are found by going through all of them, and each new one is added at the end. There
 * are some dozens, and a catalogue is made only when what can be counted changes.
 */
#include "metric/catalogue.h"

#include <errno.h>
#include <string.h>

#include "base/reference.h"

/* The object that is counted by reference. Callers see its member `catalogue` only. */
struct shared_catalogue {
    struct catalogue catalogue;
    struct reference reference;
};

static struct shared_catalogue *shared_of(struct catalogue *catalogue)
{
    return (struct shared_catalogue *)catalogue;
}

static struct catalogue *catalogue_free(struct catalogue *catalogue)
{
    for (size_t i = 0; catalogue->plans && i < catalogue->n_plans; i++)
        (void)plan_unref(catalogue->plans[i]);
    for (size_t i = 0; catalogue->families && i < catalogue->n_families; i++)
        free(catalogue->families[i].uses);
    for (size_t i = 0; catalogue->events && i < catalogue->n_events; i++) {
        free(catalogue->events[i].event);
        free(catalogue->events[i].group);
        free(catalogue->events[i].pmu);
        free(catalogue->events[i].encoding);
        free(catalogue->events[i].counted_as);
        free(catalogue->events[i].metric);
    }
    free(catalogue->plans);
    free(catalogue->families);
    free(catalogue->events);
    free(shared_of(catalogue));
    return NULL;
}

struct catalogue *catalogue_ref(struct catalogue *catalogue)
{
    reference_take(&shared_of(catalogue)->reference);
    return catalogue;
}

struct catalogue *catalogue_unref(struct catalogue *catalogue)
{
    if (catalogue && reference_drop(&shared_of(catalogue)->reference))
        return catalogue_free(catalogue);
    return NULL;
}

static struct family *find_family(struct catalogue *catalogue, const char *name)
{
    for (size_t i = 0; i < catalogue->n_families; i++)
        if (strcmp(catalogue->families[i].name, name) == 0)
            return &catalogue->families[i];
    return NULL;
}

static struct family *add_family(struct catalogue *catalogue, struct family named)
{
    struct family *families =
        reallocarray(catalogue->families, catalogue->n_families + 1, sizeof(*families));

    if (!families)
        return NULL;
    catalogue->families = families;
    families[catalogue->n_families] = named;
    return &families[catalogue->n_families++];
}

/* Adds a use to the family of this name, type and help. */
static int add_use(struct catalogue *catalogue, struct family named, struct family_use use)
{
    struct family *family = find_family(catalogue, named.name);
    struct family_use *uses;

    if (!family)
        family = add_family(catalogue, named);
    if (!family)
        return -ENOMEM;
    uses = reallocarray(family->uses, family->n_uses + 1, sizeof(*uses));
    if (!uses)
        return -ENOMEM;
    family->uses = uses;
    uses[family->n_uses++] = use;
    return 0;
}

static int add_uses(struct catalogue *catalogue, size_t index)
{
    const struct plan *plan = catalogue->plans[index];
    int r = 0;

    for (size_t i = 0; i < plan->n_columns && r == 0; i++) {
        const struct column *column = &plan->columns[i];

        r = add_use(
            catalogue,
            (struct family){.name = column->name, .help = column->help, .type = column->type},
            (struct family_use){USE_COLUMN, index, i});
    }
    for (size_t i = 0; i < plan->n_histograms && r == 0; i++) {
        const struct plan_histogram *histogram = &plan->histograms[i];

        if (!histogram->is_hidden)
            r = add_use(catalogue,
                        (struct family){.name = histogram->name,
                                        .help = histogram->help,
                                        .type = FAMILY_HISTOGRAM},
                        (struct family_use){USE_HISTOGRAM, index, i});
    }
    for (size_t i = 0; i < plan->n_breakdowns && r == 0; i++) {
        const struct plan_breakdown *breakdown = &plan->breakdowns[i];

        r = add_use(catalogue,
                    (struct family){
                        .name = breakdown->name, .help = breakdown->help, .type = breakdown->type},
                    (struct family_use){USE_BREAKDOWN, index, i});
    }
    return r;
}

static int take_plans(struct catalogue *catalogue, struct plan *const *plans, size_t n_plans)
{
    catalogue->plans = calloc(n_plans + 1, sizeof(struct plan *));
    if (!catalogue->plans)
        return -ENOMEM;
    for (size_t i = 0; i < n_plans; i++)
        catalogue->plans[catalogue->n_plans++] = plan_ref(plans[i]);
    for (size_t i = 0; i < n_plans; i++) {
        int r = add_uses(catalogue, i);

        if (r < 0)
            return r;
    }
    return 0;
}

static int copy_events(struct catalogue *catalogue, const struct event_status *events, size_t n)
{
    catalogue->events = calloc(n + 1, sizeof(*catalogue->events));
    if (!catalogue->events)
        return -ENOMEM;
    catalogue->n_events = n;
    for (size_t i = 0; i < n; i++) {
        struct event_status *copy = &catalogue->events[i];

        copy->scope = events[i].scope;
        copy->absence = events[i].absence;
        copy->event = strdup(events[i].event);
        copy->group = strdup(events[i].group);
        copy->pmu = strdup(events[i].pmu);
        copy->encoding = strdup(events[i].encoding);
        copy->counted_as = events[i].counted_as ? strdup(events[i].counted_as) : NULL;
        copy->metric = strdup(events[i].metric);
        if (!copy->event || !copy->group || !copy->pmu || !copy->encoding || !copy->metric ||
            (events[i].counted_as && !copy->counted_as))
            return -ENOMEM;
    }
    return 0;
}

int catalogue_new(struct plan *const *plans, size_t n_plans, const struct event_status *events,
                  size_t n_events, struct catalogue **ret_catalogue)
{
    struct shared_catalogue *shared = calloc(1, sizeof(*shared));
    AUTO(catalogue) struct catalogue *catalogue = NULL;
    int r;

    if (!shared)
        return -ENOMEM;
    reference_init(&shared->reference);
    catalogue = &shared->catalogue;
    r = take_plans(catalogue, plans, n_plans);
    if (r >= 0)
        r = copy_events(catalogue, events, n_events);
    if (r < 0)
        return r;
    *ret_catalogue = TAKE(catalogue);
    return 0;
}
