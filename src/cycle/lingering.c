/* SPDX-License-Identifier: Apache-2.0 */
#include "cycle/lingering.h"

#include <string.h>

static unsigned hash_path(const struct ledger *ledger, const char *path)
{
    return (unsigned)keyed_hash(&ledger->hash_key, path, strlen(path));
}

struct entry *lingering_find(const struct ledger *ledger, const char *key)
{
    struct entry *entry;

    HASH_FIND_BYHASHVALUE(hh, ledger->lingering, key, strlen(key), hash_path(ledger, key), entry);
    return entry;
}

bool lingering_enter(struct ledger *ledger, struct entry *entry, uint64_t gone_ns)
{
    if (entry->path)
        HASH_ADD_KEYPTR_BYHASHVALUE(hh, ledger->lingering, entry->path, strlen(entry->path),
                                    hash_path(ledger, entry->path), entry);
    if (!entry->path || !entry->hh.tbl)
        return false;
    entry->gone_ns = gone_ns;
    ledger->ended = footprint_add(ledger->ended, entry->footprint);
    return true;
}

void lingering_leave(struct ledger *ledger, struct entry *entry)
{
    HASH_DEL(ledger->lingering, entry);
    ledger->ended = footprint_subtract(ledger->ended, entry->footprint);
    entry->gone_ns = 0;
}

/* What has ended goes before what rests: nobody can wake it. */
struct entry *lingering_least_wanted(const struct ledger *ledger)
{
    struct entry *entry = ledger->lingering;

    while (entry && entry->resting_inode)
        entry = entry->hh.next;
    return entry ? entry : ledger->lingering;
}
