/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What is not wanted is left out while the list is made, so that a search for a few events does not
 * copy the thousands of the machine.
 */
#include "event/event_catalogue.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"

#define WILDCARDS "*?["

static bool fits(const char *pattern, const char *text)
{
    if (!text)
        return false;
    if (strpbrk(pattern, WILDCARDS))
        return fnmatch(pattern, text, FNM_CASEFOLD | FNM_NOESCAPE) == 0;
    return strcasestr(text, pattern) != NULL;
}

static bool fits_some(const struct event_catalogue_filter *filter,
                      const struct event_listing *listing)
{
    for (size_t i = 0; i < filter->n_patterns; i++) {
        const char *pattern = filter->patterns[i];

        if (fits(pattern, listing->name) || fits(pattern, listing->alias) ||
            fits(pattern, listing->description))
            return true;
    }
    return filter->n_patterns == 0;
}

bool event_catalogue_has_kind(const struct event_catalogue_filter *filter, enum event_kind kind)
{
    for (size_t i = 0; i < EVENT_KIND_COUNT_; i++)
        if (filter->kinds[i])
            return filter->kinds[kind];
    return true;
}

bool event_catalogue_is_wanted(const struct event_catalogue_filter *filter,
                               const struct event_listing *listing)
{
    return event_catalogue_has_kind(filter, listing->kind) &&
           (!filter->pmu || fnmatch(filter->pmu, listing->pmu, FNM_CASEFOLD | FNM_NOESCAPE) == 0) &&
           fits_some(filter, listing);
}

struct collecting {
    const struct event_catalogue_filter *filter;
    struct event_catalogue *catalogue;
};

static int collect(void *object, const struct event_listing *listing)
{
    const struct collecting *collecting = object;
    struct event_catalogue *catalogue = collecting->catalogue;
    struct event_catalogue_entry *entries, *entry;

    if (!event_catalogue_is_wanted(collecting->filter, listing))
        return 0;
    entries =
        array_reserve(catalogue->entries, sizeof(*entries), &catalogue->capacity, catalogue->n + 1);
    if (!entries)
        return -ENOMEM;
    catalogue->entries = entries;
    entry = &entries[catalogue->n++];
    *entry = (struct event_catalogue_entry){.kind = listing->kind,
                                            .name = strdup(listing->name),
                                            .alias = listing->alias ? strdup(listing->alias) : NULL,
                                            .description = strdup(listing->description),
                                            .pmu = strdup(listing->pmu),
                                            .order = catalogue->n};
    if (!entry->name || (listing->alias && !entry->alias) || !entry->description || !entry->pmu)
        return -ENOMEM;
    return 0;
}

/* Orders by name, and those that share one as they were listed. */
static int compare_names(const void *one, const void *other)
{
    const struct event_catalogue_entry *a = one, *b = other;
    const int by_name = strcmp(a->name, b->name);

    return by_name ? by_name : (a->order > b->order) - (a->order < b->order);
}

/* Orders as the list is shown. */
static int compare_places(const void *one, const void *other)
{
    const struct event_catalogue_entry *a = one, *b = other;
    const int by_kind = (int)a->kind - (int)b->kind;
    const int by_pmu = by_kind ? by_kind : strverscmp(a->pmu, b->pmu);

    return by_pmu ? by_pmu : strverscmp(a->name, b->name);
}

static void free_entry(struct event_catalogue_entry *entry)
{
    free(entry->name);
    free(entry->alias);
    free(entry->description);
    free(entry->pmu);
}

static void keep_each_name_once(struct event_catalogue *catalogue)
{
    size_t n = 0;

    qsort(catalogue->entries, catalogue->n, sizeof(*catalogue->entries), compare_names);
    for (size_t i = 0; i < catalogue->n; i++) {
        struct event_catalogue_entry *entry = &catalogue->entries[i];

        if (n > 0 && strcmp(catalogue->entries[n - 1].name, entry->name) == 0)
            free_entry(entry);
        else
            catalogue->entries[n++] = *entry;
    }
    catalogue->n = n;
}

int event_catalogue_read(struct event_resolver *resolver,
                         const struct event_catalogue_filter *filter,
                         struct event_catalogue *ret_catalogue)
{
    struct event_catalogue catalogue AUTO_EVENT_CATALOGUE = {0};
    struct collecting collecting = {filter, &catalogue};
    const struct event_visitor visitor = {collect, &collecting};
    int r = event_resolver_list(resolver, &visitor);

    if (r < 0)
        return r;
    if (catalogue.n > 0) {
        keep_each_name_once(&catalogue);
        qsort(catalogue.entries, catalogue.n, sizeof(*catalogue.entries), compare_places);
    }
    *ret_catalogue = catalogue;
    catalogue = (struct event_catalogue){0};
    return 0;
}

void event_catalogue_done(struct event_catalogue *catalogue)
{
    for (size_t i = 0; i < catalogue->n; i++)
        free_entry(&catalogue->entries[i]);
    free(catalogue->entries);
    *catalogue = (struct event_catalogue){0};
}
