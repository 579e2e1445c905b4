/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Whatever somebody sends as a run: it is taken, or refused with words. What is taken reads back,
 * also packed.
 */

#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "run/recording_text.h"
#include "run/request.h"

static void write_and_read_back(const struct recording *recording)
{
    AUTO_TEXT struct text text = {0}, bytes = {0};
    AUTO(recording) struct recording *copy = NULL;
    AUTO_FREE char *json = NULL;

    recording_append_csv(recording, &text);
    text_clear(&text);
    FUZZ_CHECK(recording_append_comparison(recording, recording, &text) ==
               (recording->n_columns > 0 ? 0 : -EINVAL));
    text_clear(&text);
    FUZZ_CHECK(recording_append_json(recording, false, &text) == 0);
    json = text_take(&text);
    FUZZ_CHECK(recording_read_head(json, &copy) == 0);
    FUZZ_CHECK(recording_pack(recording, &bytes) == 0);
    FUZZ_CHECK(recording_unpack(copy, bytes.data, bytes.length) == 0);
    FUZZ_CHECK(copy->n_rows == recording->n_rows);
}

/* What a request asks for, as a request. */
static json_t *request_json(const struct run_request *request)
{
    json_t *const object = json_pack(
        "{s:s, s:s, s:s, s:s, s:f, s:f, s:s}", "title", request->title, "notes", request->notes,
        "target", request->target, "kind", run_kind_name(request->kind), "interval_seconds",
        (double)request->interval_ns / 1e9, "duration_seconds", (double)request->duration_ns / 1e9,
        "counters", request->takes_free ? "free" : "budget");
    json_t *const events = json_loads(request->asked, 0, NULL);

    FUZZ_CHECK(object && events);
    if (request->kind != RUN_SCHEDULE)
        FUZZ_CHECK(json_object_set(object, "events", events) == 0);
    if (request->kind == RUN_RECORDS)
        FUZZ_CHECK(json_object_set_new(object, "rate", json_integer(request->rate_hz)) == 0);
    json_decref(events);
    return object;
}

static void expect_same_request(const struct run_request *one, const struct run_request *other)
{
    FUZZ_CHECK(one->kind == other->kind && one->place == other->place && one->pid == other->pid);
    FUZZ_CHECK(one->interval_ns == other->interval_ns && one->duration_ns == other->duration_ns);
    FUZZ_CHECK(one->rate_hz == other->rate_hz && one->takes_free == other->takes_free);
    FUZZ_CHECK(strcmp(one->title, other->title) == 0 && strcmp(one->notes, other->notes) == 0);
    FUZZ_CHECK(strcmp(one->target, other->target) == 0 && strcmp(one->asked, other->asked) == 0);
    FUZZ_CHECK(strcmp(one->place_name, other->place_name) == 0);
    FUZZ_CHECK(one->events.n == other->events.n);
    for (size_t i = 0; i < one->events.n; i++) {
        FUZZ_CHECK(one->events.groups[i].is_group == other->events.groups[i].is_group);
        FUZZ_CHECK(one->events.groups[i].n == other->events.groups[i].n);
    }
}

/* Its bounds hold, and what it asks for, written out, asks for the same. */
static void check_request(const struct run_request *request)
{
    AUTO_TEXT struct text message = {0};
    json_t *const object = request_json(request);
    char *const text = json_dumps(object, 0);
    struct run_request again;

    FUZZ_CHECK(*request->title && request->duration_ns <= RUN_DURATION_MOST_NS);
    FUZZ_CHECK(request->interval_ns >= RUN_INTERVAL_LEAST_NS);
    FUZZ_CHECK((request->kind == RUN_RECORDS) == (request->rate_hz > 0));
    FUZZ_CHECK((request->kind == RUN_SCHEDULE) == (request->events.n == 0));
    FUZZ_CHECK((request->place == RUN_OF_PID) == (request->pid > 0));
    FUZZ_CHECK(run_request_parse(text, strlen(text), &again, &message) == 0);
    expect_same_request(request, &again);
    run_request_done(&again);
    free(text);
    json_decref(object);
}

/* Any bytes as what is kept of a run of each kind: what is taken packs to the same run. */
static void unpack_and_pack(const uint8_t *data, size_t size, enum run_kind kind)
{
    AUTO_TEXT struct text once = {0}, twice = {0};
    AUTO(recording) struct recording *recording = recording_new(), *again = recording_new();

    recording->kind = again->kind = kind;
    for (struct recording *of = recording; of; of = of == recording ? again : NULL) {
        FUZZ_CHECK(recording_add_column(of, "a", "", 1, RUN_TOTAL) == 0);
        FUZZ_CHECK(recording_add_column(of, "b", "", 1, RUN_RATIO) == 0);
    }
    if (recording_unpack(recording, data, size) < 0)
        return;
    FUZZ_CHECK(kind == RUN_SCHEDULE || !recording->schedule);
    FUZZ_CHECK(kind == RUN_RECORDS || !recording->samples);
    FUZZ_CHECK(recording_pack(recording, &once) == 0);
    FUZZ_CHECK(recording_unpack(again, once.data, once.length) == 0);
    FUZZ_CHECK(recording_pack(again, &twice) == 0);
    FUZZ_CHECK(again->n_rows == recording->n_rows && once.length == twice.length);
    FUZZ_CHECK(memcmp(once.data, twice.data, once.length) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_TEXT struct text message = {0};
    AUTO(recording) struct recording *recording = NULL;
    struct run_request request;
    struct run_rename rename;
    int r = run_request_parse((const char *)data, size, &request, &message);

    FUZZ_CHECK(r == 0 || (r == -EINVAL && message.length > 0));
    if (r == 0)
        check_request(&request);
    run_request_done(&request);
    text_clear(&message);
    r = run_rename_parse((const char *)data, size, &rename, &message);
    FUZZ_CHECK(r == 0 || (r == -EINVAL && message.length > 0));
    run_rename_done(&rename);
    text_clear(&message);
    r = recording_parse_imported((const char *)data, size, &recording, &message);
    FUZZ_CHECK(r == 0 || (r == -EINVAL && message.length > 0));
    if (r == 0)
        write_and_read_back(recording);
    for (enum run_kind kind = 0; kind < RUN_KIND_COUNT_; kind++)
        unpack_and_pack(data, size, kind);
    return 0;
}
