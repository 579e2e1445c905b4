/* SPDX-License-Identifier: Apache-2.0 */
#include "service/service.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/clock.h"
#include "log/log.h"
#include "service/service_mechanism.h"
#include "service/service_state.h"
#include "service/version.h"

/* sd-event rounds timers to 250 ms where it is not told otherwise. */
#define TIMER_ACCURACY_US 1000

static int open_root(const char *path, int *ret_fd)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return service_fail(-errno, "cannot open directory", "path", path);
    *ret_fd = fd;
    return 0;
}

static int start_server(struct service *service)
{
    struct route_table table;
    int r = pages_init(&service->pages, service->options->telemetry_path, service->slot,
                       &service->serving, service->procfs_fd);

    if (r < 0)
        return service_fail(r, "cannot start", "part", "page");
    table = pages_table(&service->pages);
    return serving_start(&service->serving, service->options, &table, service->control,
                         service->connections);
}

static int start_notify(struct service *service)
{
    int r = notify_init(&service->notify, service->event, service->slot, service->serving.server,
                        metrics_page_stale_ns(service->config->interval_ns));

    return r < 0 ? service_fail(r, "cannot start", "part", "watchdog") : 0;
}

static int on_reload(sd_event_source *source, const struct signalfd_siginfo *info, void *context)
{
    AUTO_TEXT struct text outcome = {0};

    (void)source;
    (void)info;
    (void)service_reload(context, &outcome); /* the log has told */
    return 0;
}

/* The same failure in cycle after cycle is told once. */
static void tell_failure(struct service *service, int r)
{
    if (r < 0 && r != service->failure)
        log_warning("cycle is not complete", "error", strerror(-r));
    service->failure = r;
}

static int on_cycle(sd_event_source *source, uint64_t usec, void *context)
{
    struct service *service = context;

    (void)usec;
    service_forget_births(service);
    service_check_pause(service);
    if (collector_cpus_changed(service->collector))
        (void)service_renew_collector(service, "CPUs have come or gone");
    service_follow_limit(service);
    tell_failure(service, collector_cycle(service->collector, service->missed));
    service_check_mechanism(service);
    if (collector_is_out_of_date(service->collector))
        (void)service_renew_collector(service, "more can be counted than before");
    service_follow_hierarchy(service);
    service_check_counters(service);
    notify_cycle(&service->notify);
    serving_tell(&service->serving, clock_monotonic_ns());
    log_flush();
    service->missed = schedule_advance(&service->schedule, clock_monotonic_ns());
    service_watch_births(service);
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
        return service_fail(r, "cannot start", "part", "event loop");
    return 0;
}

/* first_ns: when a first cycle began that is over; 0: there was none, and it is due now. */
static int start_timer(struct service *service, uint64_t first_ns)
{
    uint64_t interval_ns = service->config->interval_ns;
    int r;

    service->schedule =
        (struct schedule){.due_ns = first_ns ? first_ns + interval_ns : clock_monotonic_ns(),
                          .interval_ns = interval_ns};
    r = sd_event_add_time(service->event, &service->timer, CLOCK_MONOTONIC,
                          service->schedule.due_ns / 1000, TIMER_ACCURACY_US, on_cycle, service);
    if (r >= 0)
        r = sd_event_source_set_enabled(service->timer, SD_EVENT_ON);
    if (r < 0)
        return service_fail(r, "cannot start", "part", "timer");
    return 0;
}

/*
 * Where systemd holds the socket, who scrapes during a restart waits there: the server comes when
 * there is something to show. Else nobody is listening until it does, and 503 is the better answer.
 */
static uint64_t cycle_before_serving(struct service *service)
{
    uint64_t now_ns = clock_monotonic_ns();

    if (!service->options->systemd_socket)
        return 0;
    tell_failure(service, collector_cycle(service->collector, 0));
    return now_ns;
}

static int start(struct service *service)
{
    uint64_t first_ns = 0;
    int r;

    log_info("starting pmu_exporter", "version", version_string(), "revision", version_revision());
    r = prepare_loop(service);
    if (r >= 0)
        r = open_root(service->options->sysfs, &service->sysfs_fd);
    if (r >= 0)
        r = open_root(service->options->procfs, &service->procfs_fd);
    if (r >= 0)
        r = service_start_collector(service);
    if (r >= 0)
        r = service_open_control(service);
    if (r >= 0)
        first_ns = cycle_before_serving(service);
    if (r >= 0)
        r = start_server(service);
    if (r >= 0)
        r = start_notify(service);
    if (r < 0)
        return r;
    service_watch_mounts(service);
    if (first_ns)
        notify_cycle(&service->notify);
    return start_timer(service, first_ns);
}

static void stop(struct service *service)
{
    service_forget_births(service);
    notify_done(&service->notify);
    serving_stop(&service->serving);
    service_close_control(service);
    pages_done(&service->pages);
    service->collector = collector_free(service->collector);
    service->bpf = mechanism_free(service->bpf);
    service->mechanism = mechanism_free(service->mechanism);
    service->slot = snapshot_slot_free(service->slot);
    service->config = config_free(service->config);
    service->resolver = event_resolver_free(service->resolver);
    cgroup_root_done(&service->root);
    (void)sd_event_source_unref(service->timer);
    (void)sd_event_source_unref(service->mounts);
    (void)sd_event_source_unref(service->births);
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
            (void)service_fail(r, "the event loop has failed", "part", "collector");
    }
    stop(&service);
    log_flush();
    return r < 0 ? 1 : 0;
}
