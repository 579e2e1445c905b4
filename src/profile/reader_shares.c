/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/reader_shares.h"

#include <stdlib.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "base/clock.h"

#define HALVE_NS  (60 * NS_PER_SECOND)
#define FORGET_NS (NS_PER_SECOND / 100) /* who has spent less is forgotten */

struct reader_share {
    uint32_t cgroup;
    uint64_t spent_ns;
    UT_hash_handle hh;
};

static struct reader_share *find(const struct reader_shares *shares, uint32_t cgroup)
{
    struct reader_share *share;

    HASH_FIND(hh, shares->by_cgroup, &cgroup, sizeof(cgroup), share);
    return share;
}

void reader_shares_add(struct reader_shares *shares, uint32_t cgroup, uint64_t job_ns)
{
    struct reader_share *share = find(shares, cgroup);

    if (!share) {
        share = calloc(1, sizeof(*share));
        if (!share)
            return;
        share->cgroup = cgroup;
        HASH_ADD(hh, shares->by_cgroup, cgroup, sizeof(share->cgroup), share);
        if (!share->hh.tbl) {
            free(share);
            return;
        }
    }
    share->spent_ns += job_ns;
}

uint64_t reader_shares_seconds(const struct reader_shares *shares, uint32_t cgroup)
{
    const struct reader_share *share = find(shares, cgroup);

    return share ? share->spent_ns / NS_PER_SECOND : 0;
}

static void forget(struct reader_shares *shares, struct reader_share *share)
{
    HASH_DEL(shares->by_cgroup, share);
    free(share);
}

void reader_shares_settle(struct reader_shares *shares, uint64_t now_ns)
{
    struct reader_share *share, *next;

    if (now_ns < shares->halved_ns + HALVE_NS)
        return;
    shares->halved_ns = now_ns;
    HASH_ITER(hh, shares->by_cgroup, share, next) {
        share->spent_ns /= 2;
        if (share->spent_ns < FORGET_NS)
            forget(shares, share);
    }
}

void reader_shares_done(struct reader_shares *shares)
{
    struct reader_share *share, *next;

    HASH_ITER(hh, shares->by_cgroup, share, next)
        forget(shares, share);
}
