/* SPDX-License-Identifier: Apache-2.0 */
#include "target/names_recent.h"

#include <string.h>

#include "base/clock.h"
#include "target/names_lookup.h"
#include "target/names_place.h"

static void entry_done(struct recent_names *entry)
{
    free(entry->part);
    names_done(&entry->names);
    *entry = (struct recent_names){0};
}

void names_recent_done(struct names_recent *recent)
{
    for (size_t i = 0; i < NAMES_RECENT; i++)
        entry_done(&recent->all[i]);
}

static bool is_of(const struct recent_names *entry, const char *path, size_t n, unsigned sources)
{
    return entry->part && entry->sources == sources && strlen(entry->part) == n &&
           memcmp(entry->part, path, n) == 0;
}

const struct recent_names *names_recent_find(const struct names_recent *recent, const char *path,
                                             unsigned sources, uint64_t now_ns)
{
    const size_t n = names_host_part(path);

    if (!path[n] || names_need_directory(path)) /* steps of one job have users of their own */
        return NULL;
    for (size_t i = 0; i < NAMES_RECENT; i++)
        if (is_of(&recent->all[i], path, n, sources))
            return now_ns - recent->all[i].found_ns < NAMES_RECENT_NS ? &recent->all[i] : NULL;
    return NULL;
}

/* The place of this part, or that of the oldest. */
static struct recent_names *take_place(struct names_recent *recent, const char *path, size_t n,
                                       unsigned sources)
{
    for (size_t i = 0; i < NAMES_RECENT; i++)
        if (is_of(&recent->all[i], path, n, sources))
            return &recent->all[i];
    return &recent->all[recent->next++ % NAMES_RECENT];
}

void names_recent_keep(struct names_recent *recent, const char *path, unsigned sources,
                       uint64_t now_ns, const struct names *names, bool is_missing)
{
    const size_t n = names_host_part(path);
    struct recent_names *entry;

    if (names_need_directory(path))
        return;
    entry = take_place(recent, path, n, sources);
    entry_done(entry);
    entry->part = strndup(path, n);
    entry->sources = sources;
    entry->is_missing = is_missing;
    entry->found_ns = now_ns;
    names_add_all(&entry->names, names);
    if (!entry->part || entry->names.failed)
        entry_done(entry);
}
