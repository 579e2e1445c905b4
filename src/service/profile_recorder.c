/* SPDX-License-Identifier: Apache-2.0 */
#include "service/profile_recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "profile/tree.h"
#include "sys/thread.h"

/* How long a run waits to begin: a turn of a busy profiler may take a second. */
#define PATIENCE_SECONDS 10

#define BUSY "the thread that samples is busy with something else"

#define NO_PROGRAMS ((struct sampling_programs){.fd = -1, .software_fd = -1})

enum recorder_state {
    RECORDER_IDLE,
    RECORDER_ASKED,    /* the profiler's thread is to begin it */
    RECORDER_GOES_ON,  /* samples come */
    RECORDER_FINISHES, /* no more come, and the last ones wait for something */
    RECORDER_IS_CUT,   /* likewise, but nobody waits for them */
    RECORDER_IS_OVER,  /* what has come of it is to be taken */
};

struct profile_recorder {
    int bell_fd;
    pthread_mutex_t lock;   /* of what follows; never held while the sampler works */
    pthread_cond_t changed; /* it has begun, or could not; or one that was given up has ended */
    enum recorder_state state;
    bool is_dropped;    /* nobody will take what comes of it */
    bool has_no_thread; /* so that nobody will begin anything */
    int error;          /* of what was asked for, or of what has come of it */
    const char *reason; /* why nothing can be recorded, or NULL. Static */
    struct profile_recording how;
    struct sampling_programs programs; /* of one that has just begun; taken over by who asked */
    struct sampler_recorded recorded;
};

struct profile_recorder *profile_recorder_new(void)
{
    struct profile_recorder *recorder = calloc(1, sizeof(*recorder));

    if (!recorder)
        return NULL;
    recorder->programs = NO_PROGRAMS;
    recorder->bell_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (recorder->bell_fd < 0) {
        free(recorder);
        return NULL;
    }
    (void)pthread_mutex_init(&recorder->lock, NULL);
    thread_condition_init(&recorder->changed);
    return recorder;
}

static void close_programs(struct profile_recorder *recorder)
{
    if (recorder->programs.fd >= 0)
        (void)close(recorder->programs.fd);
    if (recorder->programs.software_fd >= 0)
        (void)close(recorder->programs.software_fd);
    recorder->programs = NO_PROGRAMS;
}

struct profile_recorder *profile_recorder_free(struct profile_recorder *recorder)
{
    if (!recorder)
        return NULL;
    (void)profile_tree_free(recorder->recorded.tree);
    close_programs(recorder);
    (void)pthread_cond_destroy(&recorder->changed);
    (void)pthread_mutex_destroy(&recorder->lock);
    (void)close(recorder->bell_fd);
    free(recorder);
    return NULL;
}

void profile_recorder_has_no_thread(struct profile_recorder *recorder)
{
    (void)pthread_mutex_lock(&recorder->lock);
    recorder->has_no_thread = true;
    (void)pthread_mutex_unlock(&recorder->lock);
}

static void ring(const struct profile_recorder *recorder)
{
    const uint64_t one = 1;

    (void)!write(recorder->bell_fd, &one, sizeof(one));
}

/* One that was given up ends at the next turn, which is soon. The lock is held. */
static void wait_for_dropped(struct profile_recorder *recorder, const struct timespec *until)
{
    int r = 0;

    while (recorder->state != RECORDER_IDLE && recorder->is_dropped && r == 0)
        r = pthread_cond_timedwait(&recorder->changed, &recorder->lock, until);
}

/* Waits until the profiler's thread has begun it, or could not. The lock is held. */
static int wait_for_begin(struct profile_recorder *recorder, const struct timespec *until)
{
    int r = 0;

    while (recorder->state == RECORDER_ASKED && r == 0)
        r = pthread_cond_timedwait(&recorder->changed, &recorder->lock, until);
    if (recorder->state != RECORDER_ASKED)
        return recorder->error;
    recorder->state = RECORDER_IDLE;
    recorder->reason = BUSY;
    return -EAGAIN;
}

/* Has it begun. The lock is held. */
static int ask(struct profile_recorder *recorder, const struct profile_recording *how)
{
    struct timespec until;

    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += PATIENCE_SECONDS;
    recorder->reason = recorder->has_no_thread ? "no thread could be started for it" : BUSY;
    if (recorder->has_no_thread)
        return -EAGAIN;
    wait_for_dropped(recorder, &until);
    if (recorder->state != RECORDER_IDLE)
        return recorder->is_dropped ? -EAGAIN : -EBUSY;
    recorder->state = RECORDER_ASKED;
    recorder->is_dropped = false;
    recorder->reason = NULL;
    recorder->how = *how;
    ring(recorder);
    return wait_for_begin(recorder, &until);
}

int profile_recorder_begin(struct profile_recorder *recorder, const struct profile_recording *how,
                           struct sampling_programs *ret_programs, struct text *ret_message)
{
    int r;

    (void)pthread_mutex_lock(&recorder->lock);
    r = ask(recorder, how);
    if (r == 0) {
        *ret_programs = recorder->programs;
        recorder->programs = NO_PROGRAMS;
    } else if (r == -EBUSY) {
        text_append_string(ret_message, "another run records already, and only one can at a time");
    } else if (recorder->reason) {
        text_append_format(ret_message, "nothing is sampled now, and so nothing recorded: %s",
                           recorder->reason);
    }
    (void)pthread_mutex_unlock(&recorder->lock);
    return r;
}

void profile_recorder_finish(struct profile_recorder *recorder, bool at_once)
{
    (void)pthread_mutex_lock(&recorder->lock);
    if (recorder->state == RECORDER_GOES_ON || recorder->state == RECORDER_FINISHES)
        recorder->state = at_once ? RECORDER_IS_CUT : RECORDER_FINISHES;
    (void)pthread_mutex_unlock(&recorder->lock);
    ring(recorder);
}

int profile_recorder_take(struct profile_recorder *recorder, struct sampler_recorded *ret_recorded)
{
    int r = -EAGAIN;

    (void)pthread_mutex_lock(&recorder->lock);
    if (recorder->state == RECORDER_IDLE)
        r = -ENOENT;
    if (recorder->state == RECORDER_IS_OVER) {
        r = recorder->error;
        *ret_recorded = recorder->recorded;
        recorder->recorded = (struct sampler_recorded){0};
        recorder->state = RECORDER_IDLE;
    }
    (void)pthread_mutex_unlock(&recorder->lock);
    return r;
}

/* What has come of it stays until it is taken, if somebody will. The lock is held. */
static void end(struct profile_recorder *recorder, int error)
{
    recorder->error = error;
    recorder->state = RECORDER_IS_OVER;
    if (!recorder->is_dropped)
        return;
    recorder->recorded.tree = profile_tree_free(recorder->recorded.tree);
    recorder->state = RECORDER_IDLE;
    (void)pthread_cond_signal(&recorder->changed);
}

void profile_recorder_drop(struct profile_recorder *recorder)
{
    (void)pthread_mutex_lock(&recorder->lock);
    if (recorder->state != RECORDER_IDLE) {
        recorder->is_dropped = true;
        if (recorder->state == RECORDER_IS_OVER)
            end(recorder, recorder->error);
        else
            recorder->state = RECORDER_IS_CUT;
    }
    (void)pthread_mutex_unlock(&recorder->lock);
    ring(recorder);
}

int profile_recorder_fd(const struct profile_recorder *recorder)
{
    return recorder->bell_fd;
}

/*
 * Ends a recording when its last samples are in and named; or at once: then the last ones may still
 * be in the ring. The lock is held, but for the time in which the sampler works, which may take a
 * second: nobody else begins or takes anything until it is over.
 */
static void end_recording(struct profile_recorder *recorder, struct sampler *sampler, bool at_once)
{
    struct sampler_recorded recorded = {0};
    int r = -ENOENT;

    (void)pthread_mutex_unlock(&recorder->lock);
    if (sampler && at_once)
        (void)sampler_turn(sampler); /* if it fails, the next one tells */
    if (sampler)
        r = at_once ? sampler_cut_recording(sampler, &recorded)
                    : sampler_end_recording(sampler, &recorded);
    (void)pthread_mutex_lock(&recorder->lock);
    if (r == -EAGAIN)
        return;
    recorder->recorded = recorded;
    end(recorder, r);
}

/* The sampler's programs, of which who asked gets descriptors of their own. */
static int take_programs(struct profile_recorder *recorder, const struct sampler *sampler)
{
    struct sampling_programs *programs = &recorder->programs;
    int r;

    programs->fd = fcntl(sampler_recorder_fd(sampler, false), F_DUPFD_CLOEXEC, 0);
    if (programs->fd >= 0)
        programs->software_fd = fcntl(sampler_recorder_fd(sampler, true), F_DUPFD_CLOEXEC, 0);
    if (programs->software_fd >= 0)
        return 0;
    r = -errno;
    close_programs(recorder);
    return r;
}

/* Begins what was asked for. The lock is held. */
static void begin(struct profile_recorder *recorder, struct sampler *sampler, size_t most_nodes,
                  const char *reason)
{
    int r = sampler ? sampler_begin_recording(sampler, &recorder->how, most_nodes) : -EAGAIN;

    if (r == 0) {
        r = take_programs(recorder, sampler);
        if (r < 0 && sampler_cut_recording(sampler, &recorder->recorded) == 0)
            recorder->recorded.tree = profile_tree_free(recorder->recorded.tree);
    }
    recorder->error = r;
    recorder->reason = sampler ? NULL : reason;
    recorder->state = r == 0 ? RECORDER_GOES_ON : RECORDER_IDLE;
    (void)pthread_cond_signal(&recorder->changed);
}

void profile_recorder_serve(struct profile_recorder *recorder, struct sampler *sampler,
                            size_t most_nodes, const char *reason)
{
    uint64_t number;

    (void)!read(recorder->bell_fd, &number, sizeof(number));
    (void)pthread_mutex_lock(&recorder->lock);
    switch (recorder->state) {
    case RECORDER_ASKED:
        begin(recorder, sampler, most_nodes, reason);
        break;
    case RECORDER_FINISHES:
        end_recording(recorder, sampler, false);
        break;
    case RECORDER_IS_CUT:
        end_recording(recorder, sampler, true);
        break;
    default:
        break;
    }
    (void)pthread_mutex_unlock(&recorder->lock);
}

void profile_recorder_cut(struct profile_recorder *recorder, struct sampler *sampler)
{
    (void)pthread_mutex_lock(&recorder->lock);
    if (recorder->state != RECORDER_IDLE && recorder->state != RECORDER_ASKED &&
        recorder->state != RECORDER_IS_OVER)
        end_recording(recorder, sampler, true);
    (void)pthread_mutex_unlock(&recorder->lock);
}
