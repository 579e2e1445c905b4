/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A certificate and its key change one after the other: so a failure counts when it is seen a
 * second time.
 */
#include "service/web_watch.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/clock.h"
#include "base/wake.h"
#include "log/log.h"
#include "metric/plan.h"
#include "sys/file_stamp.h"
#include "sys/thread.h"

#define LOOK_MS 1000

/* As long as the file is bad, it is read this often: every so many looks. */
#define LOOKS_OF_BAD 5

struct web_watch {
    struct object_reader *reader; /* borrowed, and of the thread */
    const char *path;
    struct http_server *server;
    struct web_config *running;
    struct file_stamp stamps[WEB_CONFIG_MOST_FILES];           /* when they were last read */
    unsigned failures;                                         /* one after the other */
    unsigned looks;                                            /* since the last of them */
    char message[sizeof(((struct config_error *)0)->message)]; /* that was logged last */
    int stop_fd;
    bool started;
    pthread_t thread;
    atomic_bool good;
    _Atomic uint64_t realtime_ns; /* of the one in force */
};

static void look(const struct web_config *config, struct file_stamp *ret_stamps)
{
    for (size_t i = 0; i < WEB_CONFIG_MOST_FILES; i++)
        ret_stamps[i] = file_stamp_of(config->files[i]);
}

/* What is in doubt has no stamp, so that it is read again at the next look. */
static void note(struct web_watch *watch)
{
    look(watch->running, watch->stamps);
    for (size_t i = 0; i < WEB_CONFIG_MOST_FILES; i++)
        if (file_stamp_is_in_doubt(&watch->stamps[i], watch->running->begun_realtime_ns))
            watch->stamps[i] = (struct file_stamp){0};
}

static bool are_same(const struct file_stamp *a, const struct file_stamp *b)
{
    for (size_t i = 0; i < WEB_CONFIG_MOST_FILES; i++)
        if (!file_stamp_is(&a[i], &b[i]))
            return false;
    return true;
}

static void take(struct web_watch *watch, struct web_config *config)
{
    if (watch->running)
        (void)web_config_free(watch->running);
    watch->running = config;
    watch->failures = 0;
    watch->message[0] = '\0';
    http_server_protect(watch->server, protection_ref(config->protection));
    atomic_store(&watch->good, true);
    atomic_store(&watch->realtime_ns, clock_realtime_ns());
}

static void has_failed(struct web_watch *watch, int r, const struct config_error *error)
{
    const char *const message = r == -EINVAL ? error->message : strerror(-r);
    char place[32] = "";

    watch->looks = 0;
    if (watch->failures++ == 0)
        return;
    atomic_store(&watch->good, false);
    if (strcmp(watch->message, message) == 0)
        return;
    (void)snprintf(watch->message, sizeof(watch->message), "%s", message);
    if (r == -EINVAL && error->place.line)
        (void)snprintf(place, sizeof(place), "%u:%u", error->place.line, error->place.column);
    log_error("web configuration is not valid, the one in force stays", "file", watch->path,
              "place", *place ? place : NULL, "error", message);
}

static void read_again(struct web_watch *watch)
{
    AUTO(web_config) struct web_config *config = NULL;
    struct config_error error = {0};
    int r = web_config_read(watch->reader, watch->path, &config, &error);

    if (r == 0)
        r = web_config_may_follow(watch->running, config, &error);
    if (r < 0) {
        has_failed(watch, r, &error);
        return;
    }
    take(watch, TAKE(config));
    log_info("web configuration reloaded", "file", watch->path);
}

/* Reads the files if one has changed, and again and again while they are bad. */
static void follow(struct web_watch *watch)
{
    struct file_stamp now[WEB_CONFIG_MOST_FILES];
    bool reads;

    look(watch->running, now);
    reads = !are_same(now, watch->stamps) || watch->failures == 1 ||
            (watch->failures > 1 && ++watch->looks >= LOOKS_OF_BAD);
    memcpy(watch->stamps, now, sizeof(now));
    if (!reads)
        return;
    read_again(watch);
    if (watch->failures == 0)
        note(watch); /* it may name other files */
}

static void *run(void *context)
{
    struct web_watch *const watch = context;
    struct pollfd stop = {.fd = watch->stop_fd, .events = POLLIN};

    while (poll(&stop, 1, LOOK_MS) <= 0)
        follow(watch);
    return NULL;
}

static int start(struct web_watch *watch)
{
    int r = thread_start("web-config", THREAD_HAS_FILES, run, watch, &watch->thread);

    watch->started = r == 0;
    return r;
}

int web_watch_new(struct object_reader *reader, const char *path, struct web_config *config,
                  struct http_server *server, struct web_watch **ret_watch)
{
    AUTO(web_config) struct web_config *own = config;
    struct web_watch *watch = calloc(1, sizeof(*watch));
    int r;

    if (!watch)
        return -ENOMEM;
    watch->reader = reader;
    watch->path = path;
    watch->server = server;
    watch->stop_fd = eventfd(0, EFD_CLOEXEC);
    take(watch, TAKE(own));
    note(watch);
    r = watch->stop_fd < 0 ? -errno : start(watch);
    if (r < 0) {
        (void)web_watch_free(watch);
        return r;
    }
    *ret_watch = watch;
    return 0;
}

struct web_watch *web_watch_free(struct web_watch *watch)
{
    if (!watch)
        return NULL;
    if (watch->started) {
        wake(watch->stop_fd);
        (void)pthread_join(watch->thread, NULL);
    }
    if (watch->stop_fd >= 0)
        (void)close(watch->stop_fd);
    (void)web_config_free(watch->running);
    free(watch);
    return NULL;
}

void web_watch_status(const struct web_watch *watch, struct http_status *ret_status)
{
    if (!watch) {
        ret_status->web_config_good = NUMBER_ABSENT_COUNT;
        ret_status->web_config_realtime_ns = NUMBER_ABSENT_COUNT;
        return;
    }
    ret_status->web_config_good = atomic_load(&watch->good);
    ret_status->web_config_realtime_ns = atomic_load(&watch->realtime_ns);
}
