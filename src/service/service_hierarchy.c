/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Which cgroups can be counted. perf_event belongs to one hierarchy, and whoever mounts it as v1
 * takes it away from v2 for everybody; after it is unmounted the kernel gives it back at some later
 * time, and tells nobody. So the number of its hierarchy is read after each cycle: no number is
 * given twice. Where it went and came back between two of these, the number is 0 as
 * before; then only the counters can show it (app/collector_moves.c), and mounts are a
 * reason to doubt them. They come and go by the hundred where containers do: one wakes us a cycle.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/clock.h"
#include "log/log.h"
#include "service/service_state.h"

#define DOUBT_INTERVAL_NS (30 * NS_PER_SECOND)

/* What is there; where there are none, the root's descriptor is -1. */
static void find_cgroups(struct service *service)
{
    service->hierarchy = cgroup_perf_event_hierarchy(service->procfs_fd);
    service->root_error = cgroup_root_open(service->options->cgroupfs, &service->root);
    if (service->root_error < 0) {
        service->root.fd = -1;
    } else if (service->root.v2 && service->hierarchy > 0) {
        cgroup_root_done(&service->root); /* nothing is counted there now */
        service->root_error = -ENOENT;
    }
}

static void tell_cgroups(const struct service *service)
{
    if (service->root.fd >= 0)
        log_debug("cgroups are counted below", "path", service->root.path, "hierarchy",
                  service->root.v2 ? "v2" : "v1");
    else if (service->config->n_cgroups > 0)
        log_warning("no cgroup can be counted", "reason",
                    service->hierarchy > 0
                        ? "perf_event is in a v1 hierarchy that is not mounted here"
                        : "no cgroup file system found",
                    "error", strerror(-service->root_error));
}

void service_find_cgroups(struct service *service)
{
    find_cgroups(service);
    tell_cgroups(service);
}

static int on_mounts(sd_event_source *source, int fd, uint32_t events, void *context)
{
    struct service *service = context;

    (void)source;
    (void)fd;
    (void)events;
    service->mounts_changed = true;
    service_follow_hierarchy(service);
    return 0;
}

/* proc(5): poll(2) tells of mounts by POLLPRI. */
void service_watch_mounts(struct service *service)
{
    int fd = openat(service->procfs_fd, "self/mountinfo", O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return;
    if (sd_event_add_io(service->event, &service->mounts, fd, EPOLLPRI, on_mounts, service) < 0) {
        (void)close(fd);
        return;
    }
    (void)sd_event_source_set_io_fd_own(service->mounts, true);
    (void)sd_event_source_set_enabled(service->mounts, SD_EVENT_ONESHOT);
}

/*
 * The root is looked for again where it may be elsewhere by now, or there at last. What is not
 * mounted any more, but held by us, would keep perf_event from going back to v2. Where the kernel
 * cannot be asked, for want of descriptors or memory, nothing is known to have changed.
 */
static bool is_followed(const struct service *service)
{
    const int hierarchy = cgroup_perf_event_hierarchy(service->procfs_fd);

    return (hierarchy < 0 || hierarchy == service->hierarchy) &&
           (!service->mounts_changed || (service->root.fd >= 0 && service->root.v2));
}

static bool is_short_of_means(int error)
{
    return error == -EMFILE || error == -ENFILE || error == -ENOMEM;
}

static void move(struct service *service)
{
    struct cgroup_root before = service->root;
    int hierarchy = service->hierarchy, root_error = service->root_error;

    service->root = (struct cgroup_root){.fd = -1};
    find_cgroups(service);
    if ((service->hierarchy == hierarchy && cgroup_root_same(&service->root, &before)) ||
        is_short_of_means(service->hierarchy) || is_short_of_means(service->root_error) ||
        service_renew_collector(service, "perf_event belongs to another cgroup hierarchy") < 0) {
        cgroup_root_done(&service->root);
        service->root = before; /* the collector that goes on has it */
        service->hierarchy = hierarchy;
        service->root_error = root_error;
        return;
    }
    cgroup_root_done(&before);
    tell_cgroups(service);
}

void service_follow_hierarchy(struct service *service)
{
    const uint64_t now_ns = clock_monotonic_ns();

    if (!is_followed(service))
        move(service);
    service->counters_doubted |= service->mounts_changed;
    service->mounts_changed = false;
    if (!service->counters_doubted || now_ns < service->doubt_at_ns)
        return;
    collector_doubt_counters(service->collector);
    service->counters_doubted = false;
    service->doubt_at_ns = now_ns + DOUBT_INTERVAL_NS;
}

/* Counters that stand still after they were opened afresh will not be helped by that. */
void service_check_counters(struct service *service)
{
    const uint64_t now_ns = clock_monotonic_ns();

    if (service->mounts)
        (void)sd_event_source_set_enabled(service->mounts, SD_EVENT_ONESHOT);
    if (!collector_stands_still(service->collector) ||
        !growing_wait_is_over(&service->afresh_wait, now_ns))
        return;
    growing_wait_begin(&service->afresh_wait, now_ns);
    log_warning("counters of cgroups stand still while these run, and are opened afresh", "reason",
                "perf_event was in another cgroup hierarchy meanwhile", "lost",
                "what was counted since");
    service->cgroups_afresh = true;
    (void)service_renew_collector(service, "counters of cgroups stood still");
    service->cgroups_afresh = false;
}
