/* SPDX-License-Identifier: Apache-2.0 */
#include "service/file_limit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "log/log.h"
#include "service/fail.h"
#include "sys/descriptors.h"

/* libmicrohttpd's connections, and what the process itself holds open. */
#define MOST_CONNECTIONS 512
#define OWN_DESCRIPTORS  36

/* Of what the process itself holds, so many are open for a moment only. */
#define MOMENTARY_DESCRIPTORS 8

/* Three databases with their logs, and two files while one is written anew. */
#define HISTORY_DESCRIPTORS 8

/*
 * What libbpf opens for a program: maps, programs, links, its types, and while it loads some that
 * it closes again. tests/faults/test_descriptors.py counts them.
 */
#define BPF_DESCRIPTORS      56
#define OBSERVER_DESCRIPTORS 16
#define PROFILE_DESCRIPTORS  36

/* Each part leaves so many to counters; with fewer it would run and show nothing. */
#define FEWEST_COUNTERS 20

/* Our own, eight connections, and the counters. */
#define FEWEST_DESCRIPTORS 64

/* Takes so many of what is left, if enough for counters stays. */
static bool take(uint64_t *left, uint64_t needed)
{
    if (*left < needed + FEWEST_COUNTERS)
        return false;
    *left -= needed;
    return true;
}

void file_limit_share(struct file_limit *files, const struct file_wishes *wishes)
{
    const uint64_t limit = files->limit;
    const uint64_t connections = limit / 8 < MOST_CONNECTIONS ? limit / 8 : MOST_CONNECTIONS;
    const uint64_t own = connections * files->for_connection + OWN_DESCRIPTORS +
                         (wishes->history ? HISTORY_DESCRIPTORS : 0);
    uint64_t left = limit > own ? limit - own : 0;
    uint64_t reserve;

    files->has_bpf =
        wishes->bpf && take(&left, BPF_DESCRIPTORS + wishes->observers * OBSERVER_DESCRIPTORS);
    files->has_profiles = wishes->profiles && take(&left, PROFILE_DESCRIPTORS + wishes->cpus);
    files->descriptors = (size_t)left;
    /* the events that sample have numbers among those of counters */
    reserve = limit > own ? limit - left - (files->has_profiles ? wishes->cpus : 0) : own;
    descriptors_reserve(reserve, reserve - OWN_DESCRIPTORS + MOMENTARY_DESCRIPTORS);
}

int file_limit_init(struct file_limit *files, unsigned for_connection)
{
    char has[24], needs[24];
    uint64_t limit;
    int r = descriptors_raise_limit(&limit);

    *files = (struct file_limit){.for_connection = for_connection};
    if (r < 0)
        return fail(r, "cannot read the limit of open files", "limit", "RLIMIT_NOFILE");
    if (limit < FEWEST_DESCRIPTORS) {
        (void)snprintf(has, sizeof(has), "%" PRIu64, limit);
        (void)snprintf(needs, sizeof(needs), "%d", FEWEST_DESCRIPTORS);
        log_error("the limit of open files is too low", "limit", has, "needed", needs, "hint",
                  "raise LimitNOFILE= of the unit, or ulimit -n");
        return -EMFILE;
    }
    files->limit = files->before = limit;
    /* it stays: the server's table has its size from the beginning on */
    files->connections = (unsigned)(limit / 8 < MOST_CONNECTIONS ? limit / 8 : MOST_CONNECTIONS);
    return 0;
}

bool file_limit_has_changed(struct file_limit *files)
{
    char is[24], was[24];
    uint64_t limit;

    if (descriptors_read_limit(&limit) < 0 || limit == files->limit ||
        !growing_wait_is_over(&files->wait, clock_monotonic_ns()))
        return false;
    (void)snprintf(is, sizeof(is), "%" PRIu64, limit);
    (void)snprintf(was, sizeof(was), "%" PRIu64, files->limit);
    log_warning("the limit of open files has changed: pmu_exporter counts as much as fits", "limit",
                is, "before", was);
    files->before = files->limit;
    files->limit = limit;
    return true;
}

void file_limit_retry(struct file_limit *files)
{
    files->limit = files->before;
    growing_wait_begin(&files->wait, clock_monotonic_ns());
}
