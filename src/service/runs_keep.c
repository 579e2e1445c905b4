/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "run/recording_text.h"
#include "service/runs_parts.h"
#include "web/route.h"

int runs_describe(const struct recording *recording, bool with_rows, struct history_run *ret_run)
{
    AUTO_TEXT struct text meta = {0}, data = {0};
    int r = recording_append_json(recording, false, &meta);

    if (r == 0 && with_rows)
        r = recording_pack(recording, &data);
    if (r < 0)
        return r;
    *ret_run = (struct history_run){.id = recording->id,
                                    .start_ns = recording->start_realtime_ns,
                                    .end_ns = recording->end_realtime_ns,
                                    .title = strdup(recording->title),
                                    .notes = strdup(recording->notes),
                                    .meta = text_take(&meta),
                                    .data_bytes = data.length};
    ret_run->data = with_rows ? text_take(&data) : NULL;
    if (ret_run->title && ret_run->notes && ret_run->meta && (!with_rows || ret_run->data))
        return 0;
    runs_description_done(ret_run);
    return -ENOMEM;
}

void runs_description_done(struct history_run *run)
{
    free(run->title);
    free(run->notes);
    free(run->meta);
    free(run->data);
    *run = (struct history_run){0};
}

/* Answers who asked for the run; the lock is held. */
static void answer_begun(struct run_slot *slot, int error)
{
    struct text text = {0};

    if (error == 0)
        error = recording_append_json(run_slot_recording(slot), false, &text);
    if (error == 0) {
        deferred_answer(TAKE(slot->answer), CONTENT_JSON, &text);
        return;
    }
    slot->is_unwanted = true;
    if (error == -ENOSPC) {
        text_append_string(&text, RUNS_ARE_FULL);
        error = -EBUSY;
    }
    deferred_refuse(TAKE(slot->answer), error, &text);
}

static void keep_new(struct history_store *store, void *context)
{
    struct run_slot *slot = context;
    struct runs *runs = slot->runs;
    struct history_run run = {0};
    uint64_t id = 0;
    int r;

    (void)pthread_mutex_lock(&runs->lock);
    r = runs_describe(run_slot_recording(slot), false, &run);
    (void)pthread_mutex_unlock(&runs->lock);
    if (r == 0)
        r = history_store_add_run(store, &run, &id);
    runs_description_done(&run);
    (void)pthread_mutex_lock(&runs->lock);
    slot->id = run_slot_recording(slot)->id = id;
    if (id > 0)
        run_numbers_add(&runs->numbers, id);
    answer_begun(slot, r);
    (void)pthread_mutex_unlock(&runs->lock);
}

/* The recording of a run that is over, if it is to be kept. NULL: it is not, or no memory. */
static struct recording *copy_ended(struct run_slot *slot)
{
    struct recording *copy = NULL;

    (void)pthread_mutex_lock(&slot->runs->lock);
    if (slot->id && !slot->is_unwanted)
        copy = recording_copy(slot->recording, 0);
    (void)pthread_mutex_unlock(&slot->runs->lock);
    return copy;
}

/*
 * It is packed without the lock, since a large one takes long, and streams and the collector wait
 * for the lock. Only the historian's thread, which is this one, renames runs.
 */
static void keep_ended(struct history_store *store, void *context)
{
    struct run_slot *slot = context;
    struct runs *runs = slot->runs;
    AUTO(recording) struct recording *recording = copy_ended(slot);
    struct history_run run = {0};

    if (recording && runs_describe(recording, true, &run) == 0)
        (void)history_store_complete_run(store, &run); /* /metrics counts what cannot be written */
    runs_description_done(&run);
    (void)pthread_mutex_lock(&runs->lock);
    slot->kept_ns = clock_monotonic_ns() + RUN_LINGER_NS;
    slot->state = SLOT_KEPT;
    (void)pthread_mutex_unlock(&runs->lock);
}

int runs_keep_new(struct run_slot *slot)
{
    return history_submit(slot->runs->setup.history, keep_new, slot);
}

int runs_keep_ended(struct run_slot *slot)
{
    return history_submit(slot->runs->setup.history, keep_ended, slot);
}
