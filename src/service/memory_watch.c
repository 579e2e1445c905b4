/* SPDX-License-Identifier: Apache-2.0 */
#include "service/memory_watch.h"

#include <inttypes.h>
#include <stdio.h>

#include "log/log.h"

void memory_watch_init(struct memory_watch *watch)
{
    *watch = (struct memory_watch){0};
    memory_limit_init(&watch->limit);
}

void memory_watch_done(struct memory_watch *watch)
{
    memory_limit_done(&watch->limit);
}

static void log_limit(const struct memory_room *room)
{
    char limit[24], used[24];

    if (!room->limit) {
        log_info("memory is not limited any more");
        return;
    }
    (void)snprintf(limit, sizeof(limit), "%" PRIu64, room->limit);
    (void)snprintf(used, sizeof(used), "%" PRIu64, room->used);
    log_info("memory is limited: pmu_exporter counts as much as fits", "limit", limit, "used",
             used);
}

bool memory_watch_look(struct memory_watch *watch, int procfs_fd)
{
    const uint64_t before = watch->room.limit;

    watch->room = memory_limit_read(&watch->limit, procfs_fd);
    if (watch->room.limit == before)
        return false;
    log_limit(&watch->room);
    return !watch->room.limit || (before && watch->room.limit > before);
}
