/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One walk over the places: a microsecond or two, and only for a newcomer to a full table.
 *
 * Whoever holds many gives way first, so that one client with many connections closes
 * its own, and a scraper that comes back over one keeps it. A network comes before an
 * address, because its owner makes as many addresses as it wants.
 *
 * Who asks and never reads is being answered, and no longer at rest, faster than its time is
 * over. So those who are hold three quarters of the places at most, or else who comes, being
 * the only one at rest before it has asked, would be the one to give way.
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

/* Whether a is missed less than b, of two at rest, or of two that are being answered. */
static bool is_missed_less(const struct connection *a, const struct connection *b)
{
    if (weight(a->network) != weight(b->network))
        return weight(a->network) > weight(b->network);
    if (weight(a->address) != weight(b->address))
        return weight(a->address) > weight(b->address);
    return a->since_ns < b->since_ns;
}

/* One kind of candidates: how many there are, and the one that is missed least. */
struct kind {
    unsigned n;
    struct connection *found;
};

static void look_at(struct kind *kind, struct connection *candidate)
{
    kind->n++;
    if (!kind->found || is_missed_less(candidate, kind->found))
        kind->found = candidate;
}

static struct connection *choose(const struct kind *resting, const struct kind *answered)
{
    if (!resting->found || !answered->found)
        return resting->found ? resting->found : answered->found;
    /* more than three quarters of all */
    if (answered->n > 3 * resting->n &&
        weight(answered->found->network) >= weight(resting->found->network))
        return answered->found;
    return resting->found;
}

struct connection *room_find(const struct connection_table *table, bool on_control,
                             const struct holder *network, uint64_t now_ns)
{
    struct kind resting = {0}, answered = {0};

    for (unsigned i = 0; i < table->n_places; i++) {
        struct connection *const candidate = &table->places[i];

        if (candidate->fd < 0 || candidate->cut || candidate->awaits_us)
            continue;
        if (candidate->on_control != on_control || (network && candidate->network != network))
            continue;
        look_at(is_at_rest(candidate, now_ns) ? &resting : &answered, candidate);
    }
    return choose(&resting, &answered);
}
