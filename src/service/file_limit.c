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

/* Our own, eight connections, and twenty counters: with fewer it would run and show nothing. */
#define FEWEST_DESCRIPTORS 64

/* The number of connections stays: the server's table has its size from the beginning on. */
static void share(struct file_limit *files, uint64_t limit)
{
    const uint64_t connections = limit / 8 < MOST_CONNECTIONS ? limit / 8 : MOST_CONNECTIONS;
    const uint64_t reserve = connections * files->for_connection + OWN_DESCRIPTORS;

    files->before = files->limit;
    files->limit = limit;
    files->descriptors = limit > reserve ? limit - reserve : 0;
    descriptors_reserve(reserve);
    if (files->connections == 0)
        files->connections = (unsigned)connections;
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
    share(files, limit);
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
    share(files, limit);
    return true;
}

void file_limit_retry(struct file_limit *files)
{
    files->limit = files->before;
    growing_wait_begin(&files->wait, clock_monotonic_ns());
}
