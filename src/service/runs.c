/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A request takes a slot at once, so that no more are under way than there are slots, and wakes the
 * thread (runs_thread.c).
 */
#include "service/runs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/eventfd.h>

#include "run/recording_text.h"
#include "service/runs_parts.h"
#include "sys/thread.h"

#define MOST_ROWS 1000 /* of one event of a stream */

static void wake(int fd)
{
    const uint64_t one = 1;

    (void)!write(fd, &one, sizeof(one));
}

void runs_set_server(struct runs *runs, struct http_server *server)
{
    if (!runs)
        return;
    (void)pthread_mutex_lock(&runs->lock);
    runs->server = server;
    (void)pthread_mutex_unlock(&runs->lock);
}

void runs_set_limits(struct runs *runs, uint64_t pmu_counters, uint64_t schedule_ring,
                     size_t descriptors)
{
    (void)pthread_mutex_lock(&runs->lock);
    runs->pmu_counters = pmu_counters;
    runs->schedule_ring = schedule_ring;
    runs->descriptors = descriptors;
    (void)pthread_mutex_unlock(&runs->lock);
}

size_t runs_descriptors(struct runs *runs)
{
    size_t n;

    (void)pthread_mutex_lock(&runs->lock);
    n = runs->held;
    (void)pthread_mutex_unlock(&runs->lock);
    return n;
}

void runs_set_paused(struct runs *runs, bool is_paused)
{
    bool has_changed;

    (void)pthread_mutex_lock(&runs->lock);
    has_changed = runs->is_paused != is_paused;
    runs->is_paused = is_paused;
    (void)pthread_mutex_unlock(&runs->lock);
    if (has_changed)
        wake(runs->wake_fd);
}

int runs_begin(struct runs *runs, struct run_request *request, struct deferred *answer,
               struct text *text)
{
    const enum run_slot_state first = request->place == RUN_OF_PROCESSES ? SLOT_NAMED : SLOT_ASKED;
    struct run_slot *slot = NULL;

    if (!runs || !runs->setup.history) {
        text_append_string(text, "this program keeps no history, as it runs, and so no run");
        return -EPERM;
    }
    (void)pthread_mutex_lock(&runs->lock);
    for (size_t i = 0; i < RUNS_AT_ONCE && !slot; i++)
        if ((runs->slots[i].state == SLOT_FREE || runs->slots[i].state == SLOT_KEPT) &&
            !runs->is_stopping)
            slot = &runs->slots[i];
    if (slot) {
        slot->recording = recording_free(slot->recording);
        *slot =
            (struct run_slot){.runs = runs, .state = first, .request = *request, .answer = answer};
        *request = (struct run_request){0};
    }
    (void)pthread_mutex_unlock(&runs->lock);
    if (!slot) {
        text_append_format(text, "%d runs are under way already", RUNS_AT_ONCE);
        return -EBUSY;
    }
    wake(first == SLOT_NAMED ? runs->named_fd : runs->wake_fd);
    return 0;
}

int runs_named_fd(const struct runs *runs)
{
    return runs->named_fd;
}

/* The first slot that waits for its processes. NULL: none does. */
static struct run_slot *find_named(struct runs *runs)
{
    struct run_slot *slot = NULL;

    (void)pthread_mutex_lock(&runs->lock);
    for (size_t i = 0; i < RUNS_AT_ONCE && !slot; i++)
        if (runs->slots[i].state == SLOT_NAMED)
            slot = &runs->slots[i];
    (void)pthread_mutex_unlock(&runs->lock);
    return slot;
}

void runs_find_processes(struct runs *runs, struct collector *collector)
{
    struct run_slot *slot;
    uint64_t number;

    (void)!read(runs->named_fd, &number, sizeof(number));
    while ((slot = find_named(runs))) {
        /* Without any the thread refuses the run. */
        (void)collector_list_processes(collector, slot->request.place_name, &slot->processes,
                                       &slot->n_processes);
        (void)pthread_mutex_lock(&runs->lock);
        slot->state = SLOT_ASKED;
        (void)pthread_mutex_unlock(&runs->lock);
        wake(runs->wake_fd);
    }
}

/* The slot of a run that others can see. The lock is held. */
static struct run_slot *find_shown(struct runs *runs, uint64_t id)
{
    for (size_t i = 0; i < RUNS_AT_ONCE && id > 0; i++)
        if (runs->slots[i].id == id && runs->slots[i].state >= SLOT_OPEN)
            return &runs->slots[i];
    return NULL;
}

/* The same, but for one that is kept already: then the historian has what is true. */
static struct run_slot *find_slot(struct runs *runs, uint64_t id)
{
    struct run_slot *slot = find_shown(runs, id);

    return slot && slot->state != SLOT_KEPT ? slot : NULL;
}

void runs_end(struct runs *runs, uint64_t id, bool is_unwanted)
{
    struct run_slot *slot;

    if (!runs)
        return;
    (void)pthread_mutex_lock(&runs->lock);
    slot = find_slot(runs, id);
    if (slot && slot->wanted == RUN_GOES_ON)
        slot->wanted = RUN_WAS_STOPPED;
    if (slot)
        slot->is_unwanted |= is_unwanted;
    (void)pthread_mutex_unlock(&runs->lock);
    wake(runs->wake_fd);
}

struct recording *runs_copy(struct runs *runs, uint64_t id, bool with_rows)
{
    struct recording *copy = NULL;
    struct run_slot *slot;

    if (!runs)
        return NULL;
    (void)pthread_mutex_lock(&runs->lock);
    slot = find_slot(runs, id);
    if (slot)
        copy = recording_copy(run_slot_recording(slot),
                              with_rows ? 0 : run_slot_recording(slot)->n_rows);
    (void)pthread_mutex_unlock(&runs->lock);
    return copy;
}

void runs_note(struct runs *runs, uint64_t id)
{
    if (!runs)
        return;
    (void)pthread_mutex_lock(&runs->lock);
    run_numbers_add(&runs->numbers, id);
    (void)pthread_mutex_unlock(&runs->lock);
}

void runs_rename(struct runs *runs, uint64_t id, const struct run_rename *rename)
{
    struct run_slot *slot;

    if (!runs)
        return;
    (void)pthread_mutex_lock(&runs->lock);
    slot = find_slot(runs, id);
    if (slot) {
        struct recording *recording = run_slot_recording(slot);
        char *title = rename->title ? strdup(rename->title) : NULL;
        char *notes = rename->notes ? strdup(rename->notes) : NULL;

        free(title ? recording->title : NULL);
        free(notes ? recording->notes : NULL);
        recording->title = title ? title : recording->title;
        recording->notes = notes ? notes : recording->notes;
    }
    (void)pthread_mutex_unlock(&runs->lock);
}

/* Writes the rows that a client at the cursor has not had; the cursor is one more than their
 * number.
 */
static void write_points(const struct recording *recording, uint64_t *cursor, struct text *text)
{
    size_t first = *cursor > 0 ? (size_t)*cursor - 1 : 0;

    if (recording->n_rows - first > MOST_ROWS)
        first = recording->n_rows - MOST_ROWS;
    *cursor = recording->n_rows + 1;
    if (first == recording->n_rows)
        return;
    text_append_string(text, "event: points\ndata: ");
    recording_append_rows(recording, first, text);
    text_append_string(text, "\n\n");
}

int runs_stream(struct runs *runs, uint64_t id, uint64_t *cursor, struct text *text)
{
    const struct run_slot *slot;

    if (*cursor == UINT64_MAX)
        return 0;
    if (!runs)
        return -ENOENT;
    (void)pthread_mutex_lock(&runs->lock);
    slot = find_shown(runs, id);
    if (slot)
        write_points(run_slot_recording(slot), cursor, text);
    else if (run_numbers_have(&runs->numbers, id))
        *cursor = 1; /* it has ended, and may have gone on when the client was told of it */
    if (*cursor > 0 && (!slot || slot->state > SLOT_SETTLES)) {
        text_append_string(text, "event: end\ndata: {}\n\n");
        *cursor = UINT64_MAX;
    }
    (void)pthread_mutex_unlock(&runs->lock);
    if (*cursor > 0)
        return 0;
    text_append_format(text, "there is no run %" PRIu64, id);
    return -ENOENT;
}

static int open_parts(struct runs *runs)
{
    runs->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    runs->named_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    runs->sysfs_fd = open(runs->setup.sysfs, O_PATH | O_DIRECTORY | O_CLOEXEC);
    runs->procfs_fd = open(runs->setup.procfs, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (runs->wake_fd < 0 || runs->named_fd < 0 || runs->sysfs_fd < 0 || runs->procfs_fd < 0)
        return -errno;
    runs->mechanism = mechanism_direct_new(&perf_ops_kernel);
    return runs->mechanism ? 0 : -ENOMEM;
}

/* A stream of a run that an earlier program has counted is asked for as well. */
static void note_kept(struct history_store *store, void *context)
{
    AUTO(history_runs) struct history_runs *kept = NULL;

    if (history_store_list_runs(store, &kept) < 0)
        return;
    for (size_t i = 0; i < kept->n_runs; i++)
        runs_note(context, kept->runs[i].id);
}

int runs_new(const struct runs_setup *setup, struct runs **ret_runs)
{
    struct runs *runs = calloc(1, sizeof(*runs));
    int r;

    if (!runs)
        return -ENOMEM;
    runs->setup = *setup;
    runs->wake_fd = runs->named_fd = runs->sysfs_fd = runs->procfs_fd = -1;
    (void)pthread_mutex_init(&runs->lock, NULL);
    r = open_parts(runs);
    if (r == 0)
        r = thread_start("runs", THREAD_HAS_ALL, runs_work, runs, &runs->thread);
    runs->has_thread = r == 0;
    if (r < 0) {
        (void)runs_free(runs);
        return r;
    }
    (void)history_submit(setup->history, note_kept, runs); /* else the first list tells them */
    *ret_runs = runs;
    return 0;
}

void runs_stop(struct runs *runs)
{
    if (!runs || !runs->has_thread)
        return;
    (void)pthread_mutex_lock(&runs->lock);
    runs->is_stopping = true;
    (void)pthread_mutex_unlock(&runs->lock);
    wake(runs->wake_fd);
    (void)pthread_join(runs->thread, NULL);
    runs->has_thread = false;
}

struct runs *runs_free(struct runs *runs)
{
    if (!runs)
        return NULL;
    runs_stop(runs);
    for (size_t i = 0; i < RUNS_AT_ONCE; i++)
        runs->slots[i].recording = recording_free(runs->slots[i].recording);
    runs->mechanism = mechanism_free(runs->mechanism);
    cleanup_close(&runs->wake_fd);
    cleanup_close(&runs->named_fd);
    cleanup_close(&runs->sysfs_fd);
    cleanup_close(&runs->procfs_fd);
    run_numbers_done(&runs->numbers);
    (void)pthread_mutex_destroy(&runs->lock);
    free(runs);
    return NULL;
}
