/* SPDX-License-Identifier: Apache-2.0 */
#include "service/service.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/clock.h"
#include "log/log.h"
#include "service/control.h"
#include "service/fail.h"
#include "service/finish.h"
#include "service/service_state.h"
#include "service/version.h"
#include "sys/event_loop.h"
#include "sys/thread.h"

/* The accuracy of the timer of cycles: sd-event would round to 250 ms. */
#define TIMER_ACCURACY_US 1000

/* An end that takes longer waits for a disk, or a name service, that does not answer. */
#define END_WITHIN_NS (5 * NS_PER_SECOND)

/*
 * What the configuration lets runs take, what they leave to targets, and whether a pause holds them
 * up.
 */
static void follow_counting(const struct service *service)
{
    const struct config_limits *limits = &service->counting.config->limits;

    runs_set_limits(service->runs, limits->pmu_counters, limits->schedule_ring,
                    service->counting.files.descriptors);
    collector_leave_to_runs(service->counting.collector, runs_descriptors(service->runs));
    runs_set_paused(service->runs, service->pause.end_ns > 0);
}

static int on_named(sd_event_source *source, int fd, uint32_t events, void *context)
{
    const struct service *service = context;

    (void)source, (void)fd, (void)events;
    runs_find_processes(service->runs, service->counting.collector);
    return 0;
}

static int start_runs(struct service *service)
{
    const struct runs_setup setup = {.history = service->historian.history,
                                     .slot = service->counting.slot,
                                     .recorder = service->recorder,
                                     .sysfs = service->options->sysfs,
                                     .procfs = service->options->procfs,
                                     .cgroupfs = service->options->cgroupfs};
    int r = runs_new(&setup, &service->runs);

    if (r >= 0)
        r = sd_event_add_io(service->event, &service->named, runs_named_fd(service->runs), EPOLLIN,
                            on_named, service);
    if (r < 0)
        return fail(r, "cannot start", "part", "runs");
    follow_counting(service);
    return 0;
}

/* It is made here, so that pages can ask it, and started later. */
static int make_profiler(struct service *service)
{
    const struct profiler_setup setup = {.reader = service->reader,
                                         .targets = service->counting.profile_targets,
                                         .recorder = service->recorder,
                                         .status = service->counting.profile_status,
                                         .history = service->historian.history,
                                         .sysfs_fd = service->counting.sysfs_fd,
                                         .procfs_fd = service->counting.procfs_fd};

    service->profiler = profiler_new(&setup);
    if (!service->profiler)
        return fail(-ENOMEM, "cannot start", "part", "profiles");
    service_configure_profiler(service);
    return 0;
}

static int start_server(struct service *service)
{
    const struct pages_sources sources = {
        .telemetry_path = service->options->telemetry_path,
        .slot = service->counting.slot,
        .serving = &service->serving,
        .options = service->options,
        .config = &service->config_shown,
        .history = service->historian.history,
        .runs = service->runs,
        .profiler = service->profiler,
        .procfs_fd = service->counting.procfs_fd,
    };
    struct route_table table;
    int r;

    config_shown_set(&service->config_shown, service->counting.config->text);
    r = pages_init(&service->pages, &sources);

    if (r < 0)
        return fail(r, "cannot start", "part", "page");
    table = pages_table(&service->pages);
    return serving_start(&service->serving, service->options, &table, service->control,
                         service->counting.files.connections,
                         memory_share_of_part(&service->counting.memory.room));
}

static int start_notify(struct service *service)
{
    int r = notify_init(&service->notify, service->event, service->counting.slot,
                        service->serving.server,
                        current_snapshot_stale_ns(service->counting.config->interval_ns));

    return r < 0 ? fail(r, "cannot start", "part", "watchdog") : 0;
}

static int on_reload(sd_event_source *source, const struct signalfd_siginfo *info, void *context)
{
    (void)source;
    (void)info;
    reload_ask(context, false);
    return 0;
}

static void log_walls(void)
{
    const int landlock = thread_walls_landlock_error(), seccomp = thread_walls_seccomp_error();

    if (landlock || seccomp)
        log_debug("threads do without walls that the kernel refuses", "landlock",
                  landlock ? strerror(landlock) : NULL, "seccomp",
                  seccomp ? strerror(seccomp) : NULL);
}

/*
 * When there is something to show: the kernel takes its time to load the program. All else goes on
 * if it cannot be started.
 */
static void start_profiler(struct service *service)
{
    if (service->has_started_profiler)
        return;
    service->has_started_profiler = true;
    log_walls();
    if (profiler_start(service->profiler) >= 0)
        return;
    (void)fail(-EAGAIN, "cannot start", "part", "profiles");
    profile_recorder_has_no_thread(service->recorder);
}

static int on_cycle(sd_event_source *source, uint64_t usec, void *context)
{
    struct service *service = context;

    (void)usec;
    pause_check(&service->pause, service->counting.collector);
    counting_cycle(&service->counting);
    historian_cycle(&service->historian, service->counting.slot);
    if (service->historian.memory_limit != service->counting.memory.room.limit)
        historian_reconfigure(&service->historian, service->counting.config,
                              &service->counting.memory.room);
    follow_counting(service);
    service_configure_profiler(service);
    http_server_news(service->serving.server);
    notify_cycle(&service->notify);
    serving_log_crowd(&service->serving, clock_monotonic_ns());
    start_profiler(service);
    log_flush();
    counting_rest(&service->counting);
    return sd_event_source_set_time(source, service->counting.schedule.due_ns / 1000);
}

static int on_mounts(sd_event_source *source, int fd, uint32_t events, void *context)
{
    struct service *service = context;
    struct counting *counting = &service->counting;

    (void)source, (void)fd, (void)events;
    hierarchy_mounts_changed(&counting->hierarchy);
    counting_follow_hierarchy(counting);
    return sd_event_source_set_time(service->timer, counting->schedule.due_ns / 1000);
}

static int on_signal(sd_event_source *source, const struct signalfd_siginfo *info, void *context)
{
    (void)context;
    log_info("stopping pmu_exporter", "signal", strsignal((int)info->ssi_signo));
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
    int r = sd_event_add_time(service->event, &service->timer, CLOCK_MONOTONIC,
                              service->counting.schedule.due_ns / 1000, TIMER_ACCURACY_US, on_cycle,
                              service);

    if (r >= 0)
        r = sd_event_source_set_enabled(service->timer, SD_EVENT_ON);
    return r < 0 ? fail(r, "cannot start", "part", "timer") : 0;
}

static int start(struct service *service)
{
    struct counting *counting = &service->counting;
    int r;

    log_info("starting pmu_exporter", "version", version_string(), "revision", version_revision());
    r = prepare_loop(service);
    if (r >= 0)
        r = counting_start(counting, service->options,
                           historian_has_directory(service->options->storage_path), service->event);
    if (r >= 0)
        r = control_open(service);
    if (r >= 0)
        r = reload_init(service);
    if (r < 0)
        return r;
    /*
     * If systemd holds the socket, clients that scrape during a restart wait there, so the server
     * starts when there is something to show. Otherwise nobody listens until it starts, so it
     * starts at once: 503 is a better answer than none.
     */
    historian_start(&service->historian, service->options->storage_path, counting->config,
                    &counting->memory.room);
    service->recorder = profile_recorder_new();
    r = service->recorder ? start_runs(service)
                          : fail(-ENOMEM, "cannot start", "part", "recorder of profiles");
    if (r >= 0)
        r = make_profiler(service);
    if (r < 0)
        return r;
    if (service->options->systemd_socket)
        counting_first_cycle(counting);
    r = start_server(service);
    if (r >= 0)
        runs_set_server(service->runs, service->serving.server);
    if (r >= 0)
        r = start_notify(service);
    if (r < 0)
        return r;
    hierarchy_watch_mounts(&counting->hierarchy, service->event, on_mounts, service);
    if (service->options->systemd_socket) {
        notify_cycle(&service->notify);
        start_profiler(service);
    } else {
        counting_hurry(counting);
    }
    return start_timer(service);
}

static void stop(struct service *service)
{
    births_forget(&service->counting.births);
    reload_done(service);
    notify_done(&service->notify);
    service->named = sd_event_source_unref(service->named);
    runs_stop(service->runs);
    runs_set_server(service->runs, NULL);
    if (service->profiler)
        profiler_stop(service->profiler);
    serving_stop(&service->serving);
    control_close(service);
    pages_done(&service->pages);
    historian_stop(&service->historian);
    config_shown_done(&service->config_shown);
    service->runs = runs_free(service->runs);
    service->profiler = profiler_free(service->profiler);
    service->recorder = profile_recorder_free(service->recorder);
    counting_done(&service->counting);
    (void)sd_event_source_unref(service->timer);
    (void)sd_event_unref(service->event);
}

int service_run(const struct options *options, struct config *config, struct web_config *web_config,
                struct readers *readers)
{
    struct service service = {.options = options,
                              .reader = readers->programs,
                              .reload = {.reader = TAKE(readers->config), .done_fd = -1},
                              .serving = {.web_config = web_config, .web_reader = readers->web}};
    int r;

    config_shown_init(&service.config_shown);
    counting_init(&service.counting, config);
    service.counting.state_reader = readers->states;
    service.counting.probe_reader = readers->probes;
    r = start(&service);
    if (r >= 0) {
        r = event_loop_run(service.event);
        notify_stopping(&service.notify);
        finish_after(END_WITHIN_NS, r < 0 ? EXIT_FAILURE : EXIT_SUCCESS);
        if (r < 0)
            (void)fail(r, "the event loop has failed", "part", "collector");
    }
    stop(&service);
    log_flush();
    return r < 0 ? 1 : 0;
}
