/* SPDX-License-Identifier: Apache-2.0 */

/*
 * perf_event belongs to one hierarchy of cgroups, and whoever mounts it as v1 takes it away from v2
 * for everybody. After it is unmounted the kernel gives it back at some later time, and announces
 * that to nobody. So the number of its hierarchy is read after each cycle; no v1 hierarchy gets the
 * number of another. If perf_event went and came back between two cycles, the number is 0 as
 * before. Then only the counters can show it (cycle/movement.c), and a change of the mounts is a
 * reason to doubt them.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "log/log.h"
#include "service/hierarchy.h"

#define DOUBT_INTERVAL_NS (30 * NS_PER_SECOND)

/* Where there are no cgroups that can be counted, the root's descriptor is -1. */
static void find(struct hierarchy *hierarchy)
{
    hierarchy->number = cgroup_perf_event_hierarchy(hierarchy->procfs_fd);
    hierarchy->root_error = cgroup_root_open(hierarchy->path, &hierarchy->root);
    if (hierarchy->root_error < 0) {
        hierarchy->root.fd = -1;
    } else if (hierarchy->root.v2 && hierarchy->number > 0) {
        cgroup_root_done(&hierarchy->root); /* perf_event belongs to v1: nothing counts in v2 */
        hierarchy->root_error = -ENOENT;
    }
}

void hierarchy_log(const struct hierarchy *hierarchy, const struct config *config)
{
    if (hierarchy->root.fd >= 0)
        log_debug("cgroups are counted below", "path", hierarchy->root.path, "hierarchy",
                  hierarchy->root.v2 ? "v2" : "v1");
    else if (config->n_cgroups > 0)
        log_warning("no cgroup can be counted", "reason",
                    hierarchy->number > 0
                        ? "perf_event is in a v1 hierarchy that is not mounted here"
                        : "no cgroup file system found",
                    "error", strerror(-hierarchy->root_error));
}

void hierarchy_init(struct hierarchy *hierarchy, const char *path, int procfs_fd)
{
    *hierarchy = (struct hierarchy){.path = path, .procfs_fd = procfs_fd};
    find(hierarchy);
}

void hierarchy_done(struct hierarchy *hierarchy)
{
    hierarchy->mounts = sd_event_source_unref(hierarchy->mounts);
    cgroup_root_done(&hierarchy->root);
}

/* proc(5): poll(2) announces a change of the mounts by POLLPRI. */
void hierarchy_watch_mounts(struct hierarchy *hierarchy, sd_event *event,
                            sd_event_io_handler_t handler, void *context)
{
    int fd = openat(hierarchy->procfs_fd, "self/mountinfo", O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return;
    if (sd_event_add_io(event, &hierarchy->mounts, fd, EPOLLPRI, handler, context) < 0) {
        (void)close(fd);
        return;
    }
    (void)sd_event_source_set_io_fd_own(hierarchy->mounts, true);
    hierarchy_await_mounts(hierarchy);
}

void hierarchy_await_mounts(struct hierarchy *hierarchy)
{
    if (hierarchy->mounts)
        (void)sd_event_source_set_enabled(hierarchy->mounts, SD_EVENT_ONESHOT);
}

void hierarchy_mounts_changed(struct hierarchy *hierarchy)
{
    hierarchy->mounts_changed = true;
    hierarchy->counters_doubted = true;
}

/*
 * Tells whether the root has to be looked for again: it may be at another place now, or exist now
 * for the first time. A v1 root that we hold open after it was unmounted would keep perf_event from
 * going back to v2. If the kernel cannot be asked, for want of descriptors or memory, nothing is
 * known to have changed.
 */
static bool may_have_moved(const struct hierarchy *hierarchy)
{
    const int number = cgroup_perf_event_hierarchy(hierarchy->procfs_fd);

    return (number >= 0 && number != hierarchy->number) ||
           (hierarchy->mounts_changed && (hierarchy->root.fd < 0 || !hierarchy->root.v2));
}

static bool is_short_of_means(int error)
{
    return error == -EMFILE || error == -ENFILE || error == -ENOMEM;
}

bool hierarchy_has_moved(struct hierarchy *hierarchy, struct hierarchy *ret_before)
{
    const struct hierarchy before = *hierarchy;
    const bool look = may_have_moved(hierarchy);

    hierarchy->mounts_changed = false;
    if (!look)
        return false;
    hierarchy->root = (struct cgroup_root){.fd = -1};
    find(hierarchy);
    *ret_before = before;
    if ((hierarchy->number != before.number || !cgroup_root_same(&hierarchy->root, &before.root)) &&
        !is_short_of_means(hierarchy->number) && !is_short_of_means(hierarchy->root_error))
        return true;
    hierarchy_go_back(hierarchy, &before);
    return false;
}

void hierarchy_go_back(struct hierarchy *hierarchy, const struct hierarchy *before)
{
    cgroup_root_done(&hierarchy->root);
    hierarchy->root = before->root;
    hierarchy->number = before->number;
    hierarchy->root_error = before->root_error;
}

bool hierarchy_wants_doubt(struct hierarchy *hierarchy)
{
    const uint64_t now_ns = clock_monotonic_ns();

    if (!hierarchy->counters_doubted || now_ns < hierarchy->doubt_at_ns)
        return false;
    hierarchy->counters_doubted = false;
    hierarchy->doubt_at_ns = now_ns + DOUBT_INTERVAL_NS;
    return true;
}

bool hierarchy_may_open_afresh(struct hierarchy *hierarchy)
{
    const uint64_t now_ns = clock_monotonic_ns();

    if (!growing_wait_is_over(&hierarchy->afresh_wait, now_ns))
        return false;
    growing_wait_begin(&hierarchy->afresh_wait, now_ns);
    log_warning("counters of cgroups stand still although the cgroups run: they are opened again",
                "reason", "perf_event was in another cgroup hierarchy meanwhile", "lost",
                "what was counted since");
    return true;
}
