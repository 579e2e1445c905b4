/* SPDX-License-Identifier: Apache-2.0 */
#include "service/runs_work.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "run/recording_text.h"
#include "run/schedule_text.h"
#include "service/runs_parts.h"
#include "web/route.h"

/* Somewhat less than what the server lends to all its clients together (web/connections.h). */
#define MOST_FILE_BYTES ((size_t)60 * 1024 * 1024)

struct asked_run {
    struct runs *runs;
    uint64_t id, other;
    enum runs_form form;
    struct schedule_map_range range;
    bool is_question; /* nothing changes */
    struct run_rename rename;
    struct text body; /* a run that is imported */
    char file_name[48];
};

static void asked_done(struct asked_run *asked)
{
    run_rename_done(&asked->rename);
    text_done(&asked->body);
}

static void free_asked(void *arguments)
{
    asked_done(arguments);
    free(arguments);
}

/* Takes over what is owned by what was asked. */
static int submit(struct history *history, struct asked_run *asked,
                  int (*work)(struct history_store *, const void *, struct text *),
                  struct deferred *answer, struct text *text)
{
    struct history_work todo = {.work = work,
                                .free_arguments = free_asked,
                                .is_question = asked->is_question,
                                .content_type = CONTENT_JSON};
    struct asked_run *copy = malloc(sizeof(*copy));

    if (!copy) {
        asked_done(asked);
        return -ENOMEM;
    }
    *copy = *asked;
    todo.arguments = copy;
    if (copy->form == RUNS_CSV_FILE)
        todo.content_type = "text/csv; charset=utf-8";
    if (*copy->file_name)
        todo.file_name = copy->file_name;
    return history_work_submit(history, &todo, answer, text);
}

static int refuse_id(uint64_t id, struct text *text)
{
    text_append_format(text, "there is no run %" PRIu64, id);
    return -ENOENT;
}

/* What is kept, as it stands now. */
static int read_kept(const struct history_run *run, bool with_rows,
                     struct recording **ret_recording)
{
    AUTO(recording) struct recording *recording = NULL;
    int r = recording_read_head(run->meta, &recording);

    if (r < 0)
        return r;
    free(recording->title);
    free(recording->notes);
    recording->title = strdup(run->title);
    recording->notes = strdup(run->notes);
    recording->id = run->id;
    if (!recording->title || !recording->notes)
        return -ENOMEM;
    if (recording->state == RUN_GOES_ON)
        recording->state = RUN_LOST;
    if (with_rows && run->data_bytes > 0)
        r = recording_unpack(recording, run->data, run->data_bytes);
    *ret_recording = TAKE(recording);
    return r;
}

int runs_find(struct runs *runs, struct history_store *store, uint64_t id, struct text *text,
              struct recording **ret_recording)
{
    AUTO(history_runs) struct history_runs *kept = NULL;
    int r;

    *ret_recording = runs_copy(runs, id, true);
    if (*ret_recording)
        return 0;
    r = history_store_get_run(store, id, &kept);
    if (r == 0)
        runs_note(runs, id);
    if (r == 0)
        r = read_kept(&kept->runs[0], true, ret_recording);
    if (r == -ENOENT)
        return refuse_id(id, text);
    if (r == -EBADMSG)
        text_append_format(text, "what is kept of run %" PRIu64 " is damaged", id);
    return r;
}

/* The same, but one that has recorded the scheduler, and is over. */
static int find_schedule(struct runs *runs, struct history_store *store, uint64_t id,
                         struct text *text, struct recording **ret_recording)
{
    const int r = runs_find(runs, store, id, text, ret_recording);

    if (r < 0 || (*ret_recording && (*ret_recording)->schedule))
        return r;
    text_append_format(text, "run %" PRIu64 " has no record of the scheduler, or none yet", id);
    return -ENOENT;
}

static int work_map(struct history_store *store, const void *arguments, struct text *text)
{
    const struct asked_run *asked = arguments;
    AUTO(recording) struct recording *recording = NULL;
    const int r = find_schedule(asked->runs, store, asked->id, text, &recording);

    return r < 0 ? r : schedule_map_append(recording->schedule, &asked->range, text);
}

int runs_ask_map(struct runs *runs, struct history *history, uint64_t id,
                 const struct schedule_map_range *range, struct deferred *answer, struct text *text)
{
    struct asked_run asked = {.runs = runs, .id = id, .range = *range, .is_question = true};

    return submit(history, &asked, work_map, answer, text);
}

/* Refuses a file that the server would not hand out, as names that are long can make it. */
static int check_size(uint64_t id, struct text *text)
{
    if (text->length <= MOST_FILE_BYTES)
        return 0;
    text_clear(text);
    text_append_format(text, "what run %" PRIu64 " has recorded makes a file of more than %zu MiB",
                       id, MOST_FILE_BYTES >> 20);
    return -EINVAL;
}

static int work_trace(struct history_store *store, const void *arguments, struct text *text)
{
    const struct asked_run *asked = arguments;
    AUTO(recording) struct recording *recording = NULL;
    int r = find_schedule(asked->runs, store, asked->id, text, &recording);

    if (r == 0)
        r = schedule_text_append_trace_events(recording->schedule, MOST_FILE_BYTES, text);
    return r;
}

static int append_csv(const struct recording *recording, struct text *text)
{
    int r;

    if (!recording->schedule) {
        recording_append_csv(recording, text);
        return 0;
    }
    r = schedule_text_append_csv(recording->schedule, text);
    return r < 0 ? r : check_size(recording->id, text);
}

static int work_show(struct history_store *store, const void *arguments, struct text *text)
{
    const struct asked_run *asked = arguments;
    AUTO(recording) struct recording *recording = NULL;
    int r = runs_find(asked->runs, store, asked->id, text, &recording);

    if (r == 0 && asked->form == RUNS_CSV_FILE)
        r = append_csv(recording, text);
    else if (r == 0)
        r = recording_append_json(recording, true, text);
    return r;
}

int runs_ask_show(struct runs *runs, struct history *history, uint64_t id, enum runs_form form,
                  struct deferred *answer, struct text *text)
{
    static const char *const endings[] = {
        [RUNS_JSON_FILE] = "json", [RUNS_CSV_FILE] = "csv", [RUNS_TRACE_FILE] = "trace.json"};
    struct asked_run asked = {.runs = runs, .id = id, .form = form, .is_question = true};

    if (form != RUNS_JSON)
        (void)snprintf(asked.file_name, sizeof(asked.file_name), "run-%" PRIu64 ".%s", id,
                       endings[form]);
    return submit(history, &asked, form == RUNS_TRACE_FILE ? work_trace : work_show, answer, text);
}

/* The object of a run in the list. The meta is that of its last change but for its names. */
static json_t *listed(struct runs *runs, const struct history_run *run)
{
    AUTO(recording) struct recording *active = runs_copy(runs, run->id, true);
    struct text text = {0};
    AUTO_FREE char *meta = NULL;
    enum run_state state;
    json_t *object;

    if (active && recording_append_json(active, false, &text) == 0)
        meta = text_take(&text);
    object = json_loads(meta ? meta : run->meta, 0, NULL);
    if (!json_is_object(object) || meta)
        return object;
    state = run->end_ns ? run_state_parse(json_string_value(json_object_get(object, "state")))
                        : RUN_LOST;
    (void)json_object_set_new(object, "id", json_integer((json_int_t)run->id));
    (void)json_object_set_new(object, "title", json_string(run->title));
    (void)json_object_set_new(object, "notes", json_string(run->notes));
    if (!json_object_get(object, "kind"))
        (void)json_object_set_new(object, "kind", json_string(run_kind_name(RUN_COUNTS)));
    if (!json_object_get(object, "asked"))
        (void)json_object_set_new(object, "asked", json_null()); /* an earlier version kept it */
    (void)json_object_set_new(object, "state", json_string(run_state_name(state)));
    return object;
}

static int work_list(struct history_store *store, const void *arguments, struct text *text)
{
    const struct asked_run *asked = arguments;
    AUTO(history_runs) struct history_runs *kept = NULL;
    int r = history_store_list_runs(store, &kept);
    const char *between = "";

    if (r < 0)
        return r;
    text_append_string(text, "{\"runs\": [");
    for (size_t i = 0; i < kept->n_runs; i++) {
        json_t *object = listed(asked->runs, &kept->runs[i]);
        AUTO_FREE char *dumped = object ? json_dumps(object, JSON_COMPACT) : NULL;

        json_decref(object);
        runs_note(asked->runs, kept->runs[i].id);
        if (!dumped)
            continue; /* it cannot be read, and does not hide the others */
        text_append_string(text, between);
        text_append_string(text, dumped);
        between = ",\n";
    }
    text_append_string(text, "]}");
    return 0;
}

int runs_ask_list(struct runs *runs, struct history *history, struct deferred *answer,
                  struct text *text)
{
    struct asked_run asked = {.runs = runs, .is_question = true};

    return submit(history, &asked, work_list, answer, text);
}

static int work_compare(struct history_store *store, const void *arguments, struct text *text)
{
    const struct asked_run *asked = arguments;
    AUTO(recording) struct recording *a = NULL;
    AUTO(recording) struct recording *b = NULL;
    int r = runs_find(asked->runs, store, asked->id, text, &a);

    if (r == 0)
        r = runs_find(asked->runs, store, asked->other, text, &b);
    return r < 0 ? r : recording_append_comparison(a, b, text);
}

int runs_ask_compare(struct runs *runs, struct history *history, uint64_t a, uint64_t b,
                     struct deferred *answer, struct text *text)
{
    struct asked_run asked = {.runs = runs, .id = a, .other = b, .is_question = true};

    return submit(history, &asked, work_compare, answer, text);
}

static int work_delete(struct history_store *store, const void *arguments, struct text *text)
{
    const struct asked_run *asked = arguments;
    const int r = history_store_delete_run(store, asked->id);

    if (r == -ENOENT)
        return refuse_id(asked->id, text);
    text_append_string(text, "{}");
    return r;
}

int runs_ask_delete(struct runs *runs, struct history *history, uint64_t id,
                    struct deferred *answer, struct text *text)
{
    struct asked_run asked = {.runs = runs, .id = id};

    runs_end(runs, id, true);
    return submit(history, &asked, work_delete, answer, text);
}

static int rename_kept(struct history_store *store, uint64_t id, const struct run_rename *rename)
{
    AUTO(history_runs) struct history_runs *kept = NULL;
    int r = history_store_get_run(store, id, &kept);
    struct history_run run;

    if (r == -EBADMSG)
        return -ENOENT; /* there is nothing left to have a name */
    if (r < 0)
        return r;
    run = kept->runs[0];
    run.title = rename->title ? rename->title : run.title;
    run.notes = rename->notes ? rename->notes : run.notes;
    run.data = NULL; /* it stays as it is */
    return history_store_update_run(store, &run);
}

static int work_rename(struct history_store *store, const void *arguments, struct text *text)
{
    const struct asked_run *asked = arguments;
    AUTO(recording) struct recording *recording = NULL;
    int r = rename_kept(store, asked->id, &asked->rename);

    if (r == -ENOENT)
        return refuse_id(asked->id, text);
    runs_rename(asked->runs, asked->id, &asked->rename);
    if (r == 0)
        r = runs_find(asked->runs, store, asked->id, text, &recording);
    return r < 0 ? r : recording_append_json(recording, false, text);
}

int runs_ask_rename(struct runs *runs, struct history *history, uint64_t id,
                    struct run_rename *rename, struct deferred *answer, struct text *text)
{
    struct asked_run asked = {.runs = runs, .id = id, .rename = *rename};

    *rename = (struct run_rename){0};
    return submit(history, &asked, work_rename, answer, text);
}

static int work_keep(struct history_store *store, const void *arguments, struct text *text)
{
    const struct asked_run *asked = arguments;
    AUTO(recording) struct recording *recording = NULL;
    struct history_run run = {0};
    int r = recording_parse_imported(asked->body.data, asked->body.length, &recording, text);

    if (r < 0)
        return r;
    history_store_catch_up(store);
    r = runs_describe(recording, true, &run);
    if (r == 0)
        r = history_store_add_run(store, &run, &recording->id);
    runs_description_done(&run);
    if (r == 0)
        runs_note(asked->runs, recording->id);
    if (r == -ENOSPC || r == -EFBIG) {
        text_append_string(text, RUNS_ARE_FULL);
        return -EBUSY;
    }
    return r < 0 ? r : recording_append_json(recording, false, text);
}

int runs_ask_keep(struct runs *runs, struct history *history, const char *body, size_t length,
                  struct deferred *answer, struct text *text)
{
    struct asked_run asked = {.runs = runs};

    text_append(&asked.body, body, length);
    if (text_error(&asked.body) < 0)
        return -ENOMEM;
    return submit(history, &asked, work_keep, answer, text);
}
