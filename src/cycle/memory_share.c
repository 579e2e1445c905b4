/* SPDX-License-Identifier: Apache-2.0 */
#include "cycle/memory_share.h"

#include <stdint.h>

/* A limit may be so high that a quarter of it would be left unused for nothing. */
#define MOST_RESERVE  (UINT64_C(64) << 20)
#define RESERVE_SHARE 4
#define PART_SHARE    8

/*
 * What a target takes, rounded up: its node, its directory with what the kernel keeps of it, path
 * and labels; of each number the account, two snapshots, and rows of the history; its lines on
 * /metrics in two formats, packed and not. tests/faults/test_memory_limit.py prints what it is.
 */
#define BYTES_OF_ITSELF    4096
#define BYTES_OF_A_NUMBER  (5 * sizeof(double))
#define BYTES_OF_LABELS    256
#define COPIES_OF_LINES    3
#define BYTES_OF_AN_OPENED 768

size_t memory_share_of_target(const struct plan *plan, size_t descriptors)
{
    return BYTES_OF_ITSELF + BYTES_OF_A_NUMBER * plan->n_numbers +
           COPIES_OF_LINES * plan_row_bytes(plan, BYTES_OF_LABELS) +
           BYTES_OF_AN_OPENED * descriptors;
}

static uint64_t reserve_of(const struct memory_room *room)
{
    const uint64_t share = room->limit / RESERVE_SHARE;

    return share < MOST_RESERVE ? share : MOST_RESERVE;
}

/*
 * Half of what is left is given out in a cycle, so that what a target really takes may be twice
 * what is thought, and the next look tells the rest.
 */
static struct memory_targets give_out(uint64_t bytes, size_t standing, size_t bytes_of_one)
{
    return (struct memory_targets){.now = standing + (size_t)(bytes / (2 * bytes_of_one)),
                                   .all = standing + (size_t)(bytes / bytes_of_one)};
}

struct memory_targets memory_share_targets(const struct memory_room *room, size_t standing,
                                           size_t bytes_of_one)
{
    const uint64_t left = memory_room_left(room), reserve = reserve_of(room);
    const uint64_t most = reserve - reserve / 4;
    size_t surplus, rest;

    if (!room->limit || bytes_of_one == 0)
        return (struct memory_targets){SIZE_MAX, SIZE_MAX};
    if (left >= most)
        return give_out(left > reserve ? left - reserve : 0, standing, bytes_of_one);
    surplus = (size_t)((most - left) / bytes_of_one) + 1;
    rest = standing > surplus ? standing - surplus : 0;
    return (struct memory_targets){rest, rest};
}

bool memory_share_is_used_up(const struct memory_room *room)
{
    return room->limit && memory_room_left(room) < reserve_of(room) / 4;
}

size_t memory_share_of_part(const struct memory_room *room)
{
    return room->limit ? (size_t)(room->limit / PART_SHARE) : SIZE_MAX;
}
