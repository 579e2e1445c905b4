/* SPDX-License-Identifier: Apache-2.0 */
#include "app/service.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <systemd/sd-event.h>

#include "app/collector.h"
#include "app/log.h"
#include "app/metrics_page.h"
#include "app/notify.h"
#include "app/schedule.h"
#include "app/serving.h"
#include "app/version.h"
#include "base/clock.h"
#include "sys/cgroup_root.h"
#include "sys/descriptors.h"
#include "sys/service_manager.h"

/* sd-event rounds timers to 250 ms where it is not told otherwise. */
#define TIMER_ACCURACY_US 1000

/* libmicrohttpd's connections, and what the process itself holds open. */
#define MOST_CONNECTIONS 512
#define OWN_DESCRIPTORS  24

/* How often the hierarchy of perf_event is looked at, whatever mounts tell. */
#define HIERARCHY_INTERVAL_NS (60 * NS_PER_SECOND)

struct service {
    const struct options *options;
    struct config *config;
    sd_event *event;
    sd_event_source *timer;
    struct event_resolver *resolver;
    struct snapshot_slot *slot;
    struct mechanism *mechanism;
    struct collector *collector;
    struct metrics_page page;
    struct serving serving;
    struct notify notify;
    struct cgroup_root root;
    int hierarchy; /* that perf_event belonged to when the root was opened */
    sd_event_source *mounts;
    sd_event_source *tree;    /* of cgroups; off from a change until the next cycle has looked */
    uint64_t hierarchy_at_ns; /* when it is looked at again */
    struct schedule schedule;
    uint64_t missed;
    int failure; /* of the last cycle */
    int sysfs_fd, procfs_fd;
    unsigned connections;
    size_t descriptors;
};

/* Logs a failure in the words of errno, and passes it on. */
static int fail(int error, const char *message, const char *key, const char *value)
{
    log_error(message, key, value, "error", strerror(-error));
    return error;
}

static int open_root(const char *path, int *ret_fd)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return fail(-errno, "cannot open directory", "path", path);
    *ret_fd = fd;
    return 0;
}

/* Shares the limit of open files: connections, our own, and the rest for counters. */
static int divide_descriptors(struct service *service)
{
    uint64_t limit, connections, reserve;
    int r = descriptors_raise_limit(&limit);

    if (r < 0)
        return fail(r, "cannot read the limit of open files", "limit", "RLIMIT_NOFILE");
    connections = limit / 8 < MOST_CONNECTIONS ? limit / 8 : MOST_CONNECTIONS;
    reserve = connections + OWN_DESCRIPTORS;
    service->connections = (unsigned)connections;
    service->descriptors = limit > reserve ? limit - reserve : 0;
    return 0;
}

static void find_cgroups(struct service *service)
{
    int r;

    service->hierarchy = cgroup_perf_event_hierarchy(service->procfs_fd);
    r = cgroup_root_open(service->options->cgroupfs, &service->root);
    if (r >= 0) {
        log_debug("cgroups are counted below", "path", service->root.path, "hierarchy",
                  service->root.v2 ? "v2" : "v1");
        return;
    }
    service->root.fd = -1;
    if (service->config->n_cgroups > 0)
        log_warning("no cgroup can be counted", "reason", "no cgroup file system found", "error",
                    strerror(-r));
}

/*
 * Makes a collector for the configuration; the one that runs, if any, is its
 * predecessor and is ended. On failure that one goes on.
 */
static int make_collector(struct service *service, const struct config *config)
{
    const uint64_t wanted = config->limits.descriptors;
    const struct collector_setup setup = {
        .config = config,
        .resolver = service->resolver,
        .perf = &perf_ops_kernel,
        .mechanism = service->mechanism,
        .sysfs_fd = service->sysfs_fd,
        .cgroup_root_fd = service->root.fd,
        .descriptors =
            wanted && wanted < service->descriptors ? (size_t)wanted : service->descriptors,
        .slot = service->slot,
    };
    struct collector *collector;
    int r = collector_new(&setup, service->collector, &collector);

    if (r < 0)
        return r;
    service->tree = sd_event_source_unref(service->tree);
    (void)collector_free(service->collector);
    service->collector = collector;
    return 0;
}

/* The successor of a collector shows what it counts at once. */
static void cycle_now(struct service *service)
{
    service->schedule.due_ns = clock_monotonic_ns();
    (void)sd_event_source_set_time(service->timer, service->schedule.due_ns / 1000);
}

static int start_collector(struct service *service)
{
    int r = event_resolver_new(service->sysfs_fd, &service->resolver);

    service->slot = snapshot_slot_new();
    service->mechanism = mechanism_direct_new(&perf_ops_kernel);
    if (r >= 0 && (!service->slot || !service->mechanism))
        r = -ENOMEM;
    if (r < 0)
        return fail(r, "cannot start", "part", "events");
    r = make_collector(service, service->config);
    return r < 0 ? fail(r, "cannot start", "part", "collector") : 0;
}

/* A configuration that is not valid is told, and the one that runs goes on. */
static int read_again(const struct service *service, struct config **ret_config)
{
    const struct options *options = service->options;
    struct config_error error;
    int r = config_load(options->config_file, !options->config_file_given, ret_config, &error);

    if (r == -EINVAL) {
        char place[32];

        (void)snprintf(place, sizeof(place), "%u:%u", error.place.line, error.place.column);
        log_error("configuration is not valid, the one that runs goes on", "file",
                  options->config_file, "place", place, "error", error.message);
    } else if (r < 0) {
        (void)fail(r, "cannot read the configuration, the one that runs goes on", "file",
                   options->config_file);
    }
    return r;
}

/* Whole or not at all; what did not change keeps its counters and its totals. */
static int reload(struct service *service)
{
    AUTO(config) struct config *config = NULL;
    int r = read_again(service, &config);

    if (r < 0)
        return r;
    r = make_collector(service, config);
    if (r < 0)
        return fail(r, "cannot apply the configuration, the one that runs goes on", "file",
                    service->options->config_file);
    (void)config_free(service->config);
    service->config = TAKE(config);
    service->schedule.interval_ns = service->config->interval_ns;
    service->notify.cycle_limit_ns = metrics_page_stale_ns(service->config->interval_ns);
    log_info("configuration reloaded", "file", service->options->config_file);
    return 0;
}

static int on_reload(sd_event_source *source, const struct signalfd_siginfo *info, void *context)
{
    struct service *service = context;
    bool good;

    (void)source;
    (void)info;
    (void)service_manager_reloading();
    good = reload(service) >= 0; /* replaces the collector */
    collector_note_reload(service->collector, good);
    cycle_now(service);
    (void)service_manager_ready();
    return 0;
}

/* A successor with the same configuration, since the machine has changed. */
static int renew_collector(struct service *service, const char *why)
{
    int r = make_collector(service, service->config);

    if (r < 0)
        return fail(r, "cannot begin to count afresh", "why", why);
    log_info("counting anew", "why", why);
    cycle_now(service);
    return 0;
}

static int start_server(struct service *service)
{
    struct page_source metrics;
    int r = metrics_page_init(&service->page, service->slot, service->procfs_fd);

    if (r < 0)
        return fail(r, "cannot start", "part", "page");
    metrics = metrics_page_source(&service->page);
    return serving_start(&service->serving, service->options, &metrics, service->connections);
}

static int start_notify(struct service *service)
{
    int r = notify_init(&service->notify, service->event, service->slot, service->serving.server,
                        metrics_page_stale_ns(service->config->interval_ns));

    return r < 0 ? fail(r, "cannot start", "part", "watchdog") : 0;
}

/*
 * Somebody has moved perf_event to another hierarchy of cgroups: what is open there
 * stands still for ever. The cgroups are found and counted afresh, as new births.
 */
static void follow_hierarchy(struct service *service)
{
    struct cgroup_root before = service->root;
    int hierarchy = service->hierarchy;

    service->hierarchy_at_ns = clock_monotonic_ns() + HIERARCHY_INTERVAL_NS;
    service->root = (struct cgroup_root){.fd = -1};
    find_cgroups(service);
    if ((service->hierarchy == hierarchy && cgroup_root_same(&service->root, &before)) ||
        renew_collector(service, "perf_event belongs to another cgroup hierarchy") < 0) {
        cgroup_root_done(&service->root);
        service->root = before; /* the collector that goes on has it */
        return;
    }
    cgroup_root_done(&before);
}

static int on_mounts(sd_event_source *source, int fd, uint32_t events, void *context)
{
    (void)source;
    (void)fd;
    (void)events;
    follow_hierarchy(context);
    return 0;
}

/* proc(5): poll(2) tells of mounts by POLLPRI. Without, the look once a minute is left. */
static void watch_mounts(struct service *service)
{
    int fd = openat(service->procfs_fd, "self/mountinfo", O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return;
    if (sd_event_add_io(service->event, &service->mounts, fd, EPOLLPRI, on_mounts, service) < 0)
        (void)close(fd);
    else
        (void)sd_event_source_set_io_fd_own(service->mounts, true);
}

/* The same failure in cycle after cycle is told once. */
static void tell_failure(struct service *service, int r)
{
    if (r < 0 && r != service->failure)
        log_warning("cycle is not complete", "error", strerror(-r));
    service->failure = r;
}

/* One wake-up for all changes between two cycles. */
static int on_tree(sd_event_source *source, int fd, uint32_t events, void *context)
{
    struct service *service = context;

    (void)source;
    (void)fd;
    (void)events;
    collector_tree_changed(service->collector);
    return 0;
}

/* Asks to be told of the next change. Where that fails each cycle looks by itself. */
static void watch_tree(struct service *service)
{
    int fd, r = 0;

    if (!service->tree) {
        fd = collector_tree_fd(service->collector);
        if (fd < 0)
            return;
        r = sd_event_add_io(service->event, &service->tree, fd, EPOLLIN, on_tree, service);
    }
    if (r >= 0)
        r = sd_event_source_set_enabled(service->tree, SD_EVENT_ONESHOT);
    if (r < 0)
        collector_tree_changed(service->collector);
}

static int on_cycle(sd_event_source *source, uint64_t usec, void *context)
{
    struct service *service = context;

    (void)usec;
    tell_failure(service, collector_cycle(service->collector, service->missed));
    watch_tree(service);
    if (collector_is_out_of_date(service->collector))
        (void)renew_collector(service, "more can be counted than before");
    if (clock_monotonic_ns() >= service->hierarchy_at_ns)
        follow_hierarchy(service);
    notify_cycle(&service->notify);
    log_flush();
    service->missed = schedule_advance(&service->schedule, clock_monotonic_ns());
    return sd_event_source_set_time(source, service->schedule.due_ns / 1000);
}

static int on_signal(sd_event_source *source, const struct signalfd_siginfo *info, void *context)
{
    (void)context;
    log_info("ending", "signal", strsignal((int)info->ssi_signo));
    return sd_event_exit(sd_event_source_get_event(source), 0);
}

static int prepare_loop(struct service *service)
{
    sigset_t signals;
    int r;

    (void)sigemptyset(&signals);
    (void)sigaddset(&signals, SIGTERM);
    (void)sigaddset(&signals, SIGINT);
    (void)sigaddset(&signals, SIGHUP);
    r = -pthread_sigmask(SIG_BLOCK, &signals, NULL);
    if (r >= 0)
        r = sd_event_new(&service->event);
    if (r >= 0)
        r = sd_event_add_signal(service->event, NULL, SIGTERM, on_signal, service);
    if (r >= 0)
        r = sd_event_add_signal(service->event, NULL, SIGINT, on_signal, service);
    if (r >= 0)
        r = sd_event_add_signal(service->event, NULL, SIGHUP, on_reload, service);
    if (r < 0)
        return fail(r, "cannot start", "part", "event loop");
    return 0;
}

static int start_timer(struct service *service)
{
    int r;

    service->schedule = (struct schedule){.due_ns = clock_monotonic_ns(),
                                          .interval_ns = service->config->interval_ns};
    r = sd_event_add_time(service->event, &service->timer, CLOCK_MONOTONIC,
                          service->schedule.due_ns / 1000, TIMER_ACCURACY_US, on_cycle, service);
    if (r >= 0)
        r = sd_event_source_set_enabled(service->timer, SD_EVENT_ON);
    if (r < 0)
        return fail(r, "cannot start", "part", "timer");
    return 0;
}

static int start(struct service *service)
{
    int r;

    log_info("starting pmu_exporter", "version", version_string(), "revision", version_revision());
    r = prepare_loop(service);
    if (r >= 0)
        r = open_root(service->options->sysfs, &service->sysfs_fd);
    if (r >= 0)
        r = open_root(service->options->procfs, &service->procfs_fd);
    if (r >= 0)
        r = divide_descriptors(service);
    if (r < 0)
        return r;
    find_cgroups(service);
    r = start_collector(service);
    if (r >= 0)
        r = start_server(service);
    if (r >= 0)
        r = start_notify(service);
    if (r < 0)
        return r;
    watch_mounts(service);
    return start_timer(service);
}

static void stop(struct service *service)
{
    notify_done(&service->notify);
    serving_stop(&service->serving);
    metrics_page_done(&service->page);
    service->collector = collector_free(service->collector);
    service->mechanism = mechanism_free(service->mechanism);
    service->slot = snapshot_slot_free(service->slot);
    service->config = config_free(service->config);
    service->resolver = event_resolver_free(service->resolver);
    cgroup_root_done(&service->root);
    (void)sd_event_source_unref(service->timer);
    (void)sd_event_source_unref(service->mounts);
    (void)sd_event_source_unref(service->tree);
    (void)sd_event_unref(service->event);
    cleanup_close(&service->sysfs_fd);
    cleanup_close(&service->procfs_fd);
}

int service_run(const struct options *options, struct config *config)
{
    struct service service = {
        .options = options,
        .config = config,
        .root = {.fd = -1},
        .sysfs_fd = -1,
        .procfs_fd = -1,
    };
    int r = start(&service);

    if (r >= 0) {
        r = sd_event_loop(service.event);
        notify_stopping(&service.notify);
        if (r < 0)
            (void)fail(r, "the event loop has failed", "part", "collector");
    }
    stop(&service);
    log_flush();
    return r < 0 ? 1 : 0;
}
