/* SPDX-License-Identifier: Apache-2.0 */
#include "history/history.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "history/store.h"
#include "sys/thread.h"

/* Snapshots and tasks that may wait. A snapshot of 1,000 targets takes half a megabyte. */
#define SNAPSHOTS_MAX 4
#define TASKS_MAX     64

struct task {
    history_task *run;
    void *context;
};

struct history {
    pthread_t thread;
    pthread_mutex_t mutex; /* guards what follows, up to the store */
    pthread_cond_t news;
    struct snapshot *snapshots[SNAPSHOTS_MAX];
    size_t n_snapshots;
    struct task tasks[TASKS_MAX];
    size_t n_tasks;
    struct history_limits limits;
    struct history_status status;
    uint64_t n_dropped;
    bool ends;
    struct history_store store; /* of the historian's thread */
};

/* Takes the first of what waits. Called with the lock. */
static struct snapshot *take_snapshot(struct history *history)
{
    struct snapshot *first = history->n_snapshots ? history->snapshots[0] : NULL;

    if (!first)
        return NULL;
    history->n_snapshots--;
    memmove(history->snapshots, history->snapshots + 1,
            history->n_snapshots * sizeof(history->snapshots[0]));
    return first;
}

static struct task take_task(struct history *history)
{
    struct task first = {0};

    if (history->n_tasks == 0)
        return first;
    first = history->tasks[0];
    history->n_tasks--;
    memmove(history->tasks, history->tasks + 1, history->n_tasks * sizeof(history->tasks[0]));
    return first;
}

static void publish_status(struct history *history)
{
    (void)pthread_mutex_lock(&history->mutex);
    history->status = history->store.status;
    history->store.limits = history->limits;
    (void)pthread_mutex_unlock(&history->mutex);
}

/* Returns false when there is nothing left to do, and there never will be. */
static bool wait_for_work(struct history *history, struct snapshot **ret_snapshot,
                          struct task *ret_task)
{
    bool goes_on;

    (void)pthread_mutex_lock(&history->mutex);
    if (history->ends)
        history->store.reductions_left = 0;
    while (history->n_snapshots == 0 && history->n_tasks == 0 && !history->ends &&
           history->store.reductions_left == 0)
        (void)pthread_cond_wait(&history->news, &history->mutex);
    *ret_snapshot = take_snapshot(history);
    *ret_task = take_task(history);
    goes_on = *ret_snapshot || ret_task->run || !history->ends;
    (void)pthread_mutex_unlock(&history->mutex);
    return goes_on;
}

static void record(struct history *history, struct snapshot *snapshot)
{
    history_store_record(&history->store, snapshot);
    (void)snapshot_unref(snapshot);
    publish_status(history);
}

void history_store_catch_up(struct history_store *store)
{
    struct history *history = store->history;
    struct snapshot *snapshot;

    while (history) {
        (void)pthread_mutex_lock(&history->mutex);
        snapshot = take_snapshot(history);
        (void)pthread_mutex_unlock(&history->mutex);
        if (!snapshot)
            return;
        record(history, snapshot);
    }
}

static void *run(void *context)
{
    struct history *history = context;
    struct snapshot *snapshot;
    struct task task;

    history_store_open(&history->store);
    publish_status(history);
    while (wait_for_work(history, &snapshot, &task)) {
        if (snapshot)
            record(history, snapshot);
        if (task.run)
            task.run(&history->store, task.context);
        if (history->store.reductions_left > 0)
            (void)thinning_go_on(&history->store);
    }
    history_store_done(&history->store);
    return NULL;
}

int history_new(const struct history_options *options, struct history **ret_history)
{
    AUTO_FREE struct history *history = calloc(1, sizeof(*history));
    int r;

    if (!history)
        return -ENOMEM;
    history->limits = options->limits;
    (void)pthread_mutex_init(&history->mutex, NULL); /* cannot fail on Linux */
    (void)pthread_cond_init(&history->news, NULL);
    r = history_store_init(&history->store, options);
    history->store.history = history;
    if (r == 0)
        r = thread_start_to_write("historian", options->directory, run, history, &history->thread);
    if (r < 0) {
        history_store_done(&history->store);
        return r;
    }
    *ret_history = TAKE(history);
    return 0;
}

struct history *history_free(struct history *history)
{
    if (!history)
        return NULL;
    (void)pthread_mutex_lock(&history->mutex);
    history->ends = true;
    (void)pthread_cond_signal(&history->news);
    (void)pthread_mutex_unlock(&history->mutex);
    (void)pthread_join(history->thread, NULL);
    (void)pthread_cond_destroy(&history->news);
    (void)pthread_mutex_destroy(&history->mutex);
    free(history);
    return NULL;
}

void history_record(struct history *history, struct snapshot *snapshot)
{
    if (!history)
        return;
    (void)pthread_mutex_lock(&history->mutex);
    if (history->n_snapshots < SNAPSHOTS_MAX)
        history->snapshots[history->n_snapshots++] = snapshot_ref(snapshot);
    else
        history->n_dropped++;
    (void)pthread_cond_signal(&history->news);
    (void)pthread_mutex_unlock(&history->mutex);
}

int history_submit(struct history *history, history_task *task, void *context)
{
    int r = -EBUSY;

    if (!history)
        return -EOPNOTSUPP;
    (void)pthread_mutex_lock(&history->mutex);
    if (history->n_tasks < TASKS_MAX && !history->ends) {
        history->tasks[history->n_tasks++] = (struct task){task, context};
        (void)pthread_cond_signal(&history->news);
        r = 0;
    }
    (void)pthread_mutex_unlock(&history->mutex);
    return r;
}

void history_set_limits(struct history *history, const struct history_limits *limits)
{
    if (!history)
        return;
    (void)pthread_mutex_lock(&history->mutex);
    history->limits = *limits;
    (void)pthread_mutex_unlock(&history->mutex);
}

void history_get_status(struct history *history, struct history_status *ret_status)
{
    (void)pthread_mutex_lock(&history->mutex);
    *ret_status = history->status;
    ret_status->dropped += history->n_dropped;
    (void)pthread_mutex_unlock(&history->mutex);
}
