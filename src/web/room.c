/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One walk over the places: a microsecond or two, and only for a newcomer to a full table.
 *
 * Whoever holds many gives way first, so that one client with many connections closes
 * its own, and a scraper that comes back over one keeps it. A network comes before an
 * address, because its owner makes as many addresses as it wants.
 */
#include "web/room.h"

#include <stddef.h>

#include "base/clock.h"

/* A scraper takes an answer in milliseconds. */
#define SLOW_NS (2 * NS_PER_SECOND)

static bool is_at_rest(const struct connection *connection, uint64_t now_ns)
{
    return connection->phase != CONNECTION_RESPONSE || now_ns - connection->since_ns >= SLOW_NS;
}

static unsigned weight(const struct holder *holder)
{
    return holder->n > FEW_CONNECTIONS ? holder->n : FEW_CONNECTIONS;
}

/* Whether a is missed less than b. */
static bool is_missed_less(const struct connection *a, const struct connection *b, uint64_t now_ns)
{
    const bool a_rests = is_at_rest(a, now_ns);

    if (a_rests != is_at_rest(b, now_ns))
        return a_rests;
    if (weight(a->network) != weight(b->network))
        return weight(a->network) > weight(b->network);
    if (weight(a->address) != weight(b->address))
        return weight(a->address) > weight(b->address);
    return a->since_ns < b->since_ns;
}

struct connection *room_find(const struct connection_table *table, bool on_control,
                             const struct holder *network, uint64_t now_ns)
{
    struct connection *found = NULL;

    for (unsigned i = 0; i < table->n_places; i++) {
        struct connection *const candidate = &table->places[i];

        if (candidate->fd < 0 || candidate->cut || candidate->awaits_us)
            continue;
        if (candidate->on_control != on_control || (network && candidate->network != network))
            continue;
        if (!found || is_missed_less(candidate, found, now_ns))
            found = candidate;
    }
    return found;
}
