/* SPDX-License-Identifier: Apache-2.0 */
#include "service/reload.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/wake.h"
#include "check/report.h"
#include "service/config_log.h"
#include "service/fail.h"
#include "service/service_state.h"
#include "sys/thread.h"

/* It belongs to the thread until that has written to done_fd. */
struct reading {
    struct object_reader *reader; /* borrowed */
    char *path;
    bool may_be_absent;
    bool for_control; /* the answer is waited for */
    int done_fd;      /* borrowed */
    pthread_t thread;
    int r; /* what config_log_load() has returned, and given: */
    struct config *config;
    struct config_error error;
};

static void *read_file(void *context)
{
    struct reading *reading = context;

    reading->r = config_log_load(reading->reader, reading->path, reading->may_be_absent,
                                 &reading->config, &reading->error);
    wake(reading->done_fd);
    return NULL;
}

/* Logs why a configuration cannot be read or is not valid: the one that runs goes on then. */
static void tell_failure(const char *path, int r, const struct config_error *error,
                         struct text *outcome)
{
    char place[32] = "";

    if (r == -EINVAL) {
        if (error->place.line)
            (void)snprintf(place, sizeof(place), "%u:%u", error->place.line, error->place.column);
        log_error("configuration is not valid, the running one stays", "file", path, "place",
                  *place ? place : NULL, "error", error->message);
    } else {
        (void)fail(r, "cannot read the configuration, the running one stays", "file", path);
    }
    config_describe_failure(path, r, error, outcome);
}

/* Applies the configuration as a whole, or logs why that one cannot be applied. */
static int apply(struct service *service, struct reading *reading, struct text *outcome)
{
    const char *file = service->options->config_file;
    AUTO(config) struct config *config = TAKE(reading->config);
    int r = reading->r;

    if (r >= 0)
        r = config_may_follow(service->counting.config, config, &reading->error);
    if (r < 0) {
        tell_failure(file, r, &reading->error, outcome);
        return r;
    }
    r = counting_reconfigure(&service->counting, config);
    if (r < 0) {
        text_append_format(outcome, "%s cannot be applied: %s\n", file, strerror(-r));
        return fail(r, "cannot apply the configuration, the running one stays", "file", file);
    }
    config_log_summary("configuration reloaded", file, config);
    config_shown_set(&service->config_shown, config->text);
    historian_reconfigure(&service->historian, config, &service->counting.memory.room);
    (void)TAKE(config); /* It is that of service->counting now. */
    service_configure_profiler(service);
    service->notify.cycle_limit_ns =
        current_snapshot_stale_ns(service->counting.config->interval_ns);
    text_append_string(outcome, "configuration reloaded\n");
    return 0;
}

/* Applying may replace the collector, whose successor shows the outcome. */
static void conclude(struct service *service, struct reading *reading)
{
    struct text outcome = {0};
    const int r = apply(service, reading, &outcome);

    collector_note_reload(service->counting.collector, r >= 0);
    service_cycle_now(service);
    notify_reloaded(&service->notify);
    if (reading->for_control)
        control_slot_answer(service->control, r >= 0, &outcome);
    else
        text_done(&outcome); /* The log has it. */
}

static struct reading *reading_free(struct reading *reading)
{
    if (reading)
        free(reading->path);
    free(reading);
    return NULL;
}

/* NULL: there is no memory, or no thread. */
static struct reading *start_reading(const struct service *service, bool for_control)
{
    struct reading *reading = calloc(1, sizeof(*reading));

    if (!reading)
        return NULL;
    reading->reader = service->reload.reader;
    reading->path = strdup(service->options->config_file);
    reading->may_be_absent = !service->options->config_file_given;
    reading->for_control = for_control;
    reading->done_fd = service->reload.done_fd;
    if (!reading->path ||
        thread_start("config", THREAD_HAS_FILES, read_file, reading, &reading->thread) < 0)
        return reading_free(reading);
    return reading;
}

static void begin(struct service *service, bool for_control)
{
    struct reading failed = {.for_control = for_control, .r = -EAGAIN};

    notify_reloading(&service->notify);
    service->reload.reading = start_reading(service, for_control);
    if (service->reload.reading)
        return;
    conclude(service, &failed);
}

static int on_done(sd_event_source *source, int fd, uint32_t events, void *context)
{
    struct service *service = context;
    struct reload *reload = &service->reload;
    struct reading *reading = TAKE(reload->reading);
    const bool again = reload->again, for_control = reload->again_for_control;
    eventfd_t n;

    (void)source, (void)events;
    (void)eventfd_read(fd, &n);
    if (!reading)
        return 0;
    (void)pthread_join(reading->thread, NULL);
    conclude(service, reading);
    (void)reading_free(reading);
    reload->again = reload->again_for_control = false;
    if (again)
        begin(service, for_control);
    return 0;
}

int reload_init(struct service *service)
{
    struct reload *reload = &service->reload;
    int r;

    reload->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (reload->done_fd < 0)
        return fail(-errno, "cannot start", "part", "reload");
    r = sd_event_add_io(service->event, &reload->done, reload->done_fd, EPOLLIN, on_done, service);
    return r < 0 ? fail(r, "cannot start", "part", "reload") : 0;
}

void reload_done(struct service *service)
{
    struct reload *reload = &service->reload;

    reload->done = sd_event_source_disable_unref(reload->done);
    if (reload->reading) {
        (void)pthread_detach(reload->reading->thread);
        return;
    }
    if (reload->done_fd >= 0)
        (void)close(reload->done_fd);
    reload->reader = object_reader_free(reload->reader);
}

void reload_ask(struct service *service, bool for_control)
{
    struct reload *reload = &service->reload;

    if (!reload->reading) {
        begin(service, for_control);
        return;
    }
    reload->again = true;
    reload->again_for_control |= for_control;
}
