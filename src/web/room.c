/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One walk over the places takes one or two microseconds, and is made only for a newcomer to a full
 * table.
 *
 * A client with many connections gives way first: so it loses connections of its own, and a scraper
 * that keeps a single one does not. The network is compared before the address, because the owner
 * of a network has as many addresses as it wants.
 *
 * A client that asks and never reads is being answered, and not at rest, until its time is over. If
 * such clients could have all places, the newcomer would be the only one at rest, because it has
 * not asked yet, and it would have to give way. So they have three quarters of the places at most.
 */
#include "web/room.h"

#include <stddef.h>

#include "base/clock.h"

/* After this time an answer is taken slowly: a scraper takes it in milliseconds. */
#define SLOW_NS (2 * NS_PER_SECOND)

static bool is_at_rest(const struct connection *connection, uint64_t now_ns)
{
    return connection->phase != CONNECTION_RESPONSE || now_ns - connection->since_ns >= SLOW_NS;
}

static unsigned weight(const struct holder *holder)
{
    return holder->n > FEW_CONNECTIONS ? holder->n : FEW_CONNECTIONS;
}

/* Tells whether a is missed less than b. Both are at rest, or both are being answered. */
static bool is_missed_less(const struct connection *a, const struct connection *b)
{
    if (weight(a->network) != weight(b->network))
        return weight(a->network) > weight(b->network);
    if (weight(a->address) != weight(b->address))
        return weight(a->address) > weight(b->address);
    return a->since_ns < b->since_ns;
}

/* Candidates of one kind: how many there are, and which of them is missed least. */
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
    /* Those that are answered are more than three quarters of all. */
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
