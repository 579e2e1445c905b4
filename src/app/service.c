/* SPDX-License-Identifier: Apache-2.0 */
#include "app/service.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
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

/* sd-event rounds timers to 250 ms where it is not told otherwise. */
#define TIMER_ACCURACY_US 1000

/* libmicrohttpd's connections, and what the process itself holds open. */
#define MOST_CONNECTIONS 512
#define OWN_DESCRIPTORS  24

struct service {
    const struct options *options;
    const struct config *config;
    sd_event *event;
    sd_event_source *timer;
    struct event_resolver *resolver;
    struct snapshot_slot *slot;
    struct collector *collector;
    struct metrics_page page;
    struct serving serving;
    struct notify notify;
    struct cgroup_root root;
    struct schedule schedule;
    uint64_t missed;
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
    uint64_t limit, wanted = service->config->limits.descriptors;
    uint64_t connections, reserve;
    int r = descriptors_raise_limit(&limit);

    if (r < 0)
        return fail(r, "cannot read the limit of open files", "limit", "RLIMIT_NOFILE");
    connections = limit / 8 < MOST_CONNECTIONS ? limit / 8 : MOST_CONNECTIONS;
    reserve = connections + OWN_DESCRIPTORS;
    service->connections = (unsigned)connections;
    service->descriptors = limit > reserve ? limit - reserve : 0;
    if (wanted && wanted < service->descriptors)
        service->descriptors = wanted;
    return 0;
}

static void find_cgroups(struct service *service)
{
    int r = cgroup_root_open(service->options->cgroupfs, &service->root);

    if (r >= 0) {
        log_debug("cgroups are counted below", "path", service->root.path);
        return;
    }
    service->root.fd = -1;
    if (service->config->n_cgroups > 0)
        log_warning("no cgroup can be counted", "reason", "no cgroup file system found", "error",
                    strerror(-r));
}

static int start_collector(struct service *service)
{
    struct collector_setup setup = {
        .config = service->config,
        .perf = &perf_ops_kernel,
        .sysfs_fd = service->sysfs_fd,
        .cgroup_root_fd = service->root.fd,
        .descriptors = service->descriptors,
    };
    int r = event_resolver_new(service->sysfs_fd, &service->resolver);

    service->slot = snapshot_slot_new();
    if (r < 0 || !service->slot)
        return fail(-ENOMEM, "cannot start", "part", "events");
    setup.resolver = service->resolver;
    setup.slot = service->slot;
    r = collector_new(&setup, &service->collector);
    if (r < 0)
        return fail(r, "cannot start", "part", "collector");
    return 0;
}

static int start_server(struct service *service)
{
    struct page_source metrics;
    int r = metrics_page_init(&service->page, service->slot, service->procfs_fd,
                              service->config->interval_ns);

    if (r < 0)
        return fail(r, "cannot start", "part", "page");
    metrics = metrics_page_source(&service->page);
    return serving_start(&service->serving, service->options, &metrics, service->connections);
}

static int start_notify(struct service *service)
{
    int r = notify_init(&service->notify, service->event, service->slot, service->serving.server,
                        service->page.stale_ns);

    return r < 0 ? fail(r, "cannot start", "part", "watchdog") : 0;
}

static int on_cycle(sd_event_source *source, uint64_t usec, void *context)
{
    struct service *service = context;
    int r = collector_cycle(service->collector, service->missed);

    (void)usec;
    if (r < 0)
        log_warning("cycle is not complete", "error", strerror(-r));
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
    r = -pthread_sigmask(SIG_BLOCK, &signals, NULL);
    if (r >= 0)
        r = sd_event_new(&service->event);
    if (r >= 0)
        r = sd_event_add_signal(service->event, NULL, SIGTERM, on_signal, service);
    if (r >= 0)
        r = sd_event_add_signal(service->event, NULL, SIGINT, on_signal, service);
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
    return r < 0 ? r : start_timer(service);
}

static void stop(struct service *service)
{
    notify_done(&service->notify);
    serving_stop(&service->serving);
    metrics_page_done(&service->page);
    service->collector = collector_free(service->collector);
    service->slot = snapshot_slot_free(service->slot);
    service->resolver = event_resolver_free(service->resolver);
    cgroup_root_done(&service->root);
    (void)sd_event_source_unref(service->timer);
    (void)sd_event_unref(service->event);
    cleanup_close(&service->sysfs_fd);
    cleanup_close(&service->procfs_fd);
}

int service_run(const struct options *options, const struct config *config)
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
