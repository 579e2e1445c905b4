/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What a database keeps of what the scheduler has done. Whatever bytes are taken for it, what is
 * taken packs to the same trace, and who reads it finds all that it refers to.
 */

#include <jansson.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "run/schedule_ended_report.h"
#include "run/schedule_map.h"
#include "run/schedule_report.h"
#include "run/schedule_text.h"

/* Of the traces that are written as texts; for more CPUs a map has a million cells. */
#define CPUS_MOST 64

/* The second time, the same bytes come: what was read was all there is. */
static void pack_and_unpack(const struct schedule_trace *trace)
{
    AUTO_TEXT struct text once = {0}, twice = {0};
    AUTO(schedule_trace) struct schedule_trace *again = NULL;

    FUZZ_CHECK(schedule_trace_pack(trace, &once) == 0);
    FUZZ_CHECK(schedule_trace_unpack(once.data, once.length, &again) == 0);
    FUZZ_CHECK(schedule_trace_pack(again, &twice) == 0);
    FUZZ_CHECK(once.length == twice.length && memcmp(once.data, twice.data, once.length) == 0);
    FUZZ_CHECK(again->n_cpus == trace->n_cpus);
    for (size_t cut = 1; cut < once.length; cut *= 2) {
        AUTO(schedule_trace) struct schedule_trace *none = NULL;

        FUZZ_CHECK(schedule_trace_unpack(once.data, once.length - cut, &none) < 0);
    }
}

/* Times with which all that is computed of them is exact. */
static void check_times(const struct schedule_trace *trace)
{
    FUZZ_CHECK(trace->duration_ns <= SCHEDULE_LATEST_NS && trace->begun_ns <= SCHEDULE_LATEST_NS);
    for (size_t i = 0; i < trace->n_events; i++)
        FUZZ_CHECK(trace->events[i].time_ns <= SCHEDULE_LATEST_NS);
    for (size_t i = 0; i < trace->n_exits; i++)
        FUZZ_CHECK(schedule_exit_took(&trace->exits[i]) <= SCHEDULE_LATEST_NS);
    for (size_t i = 0; i < trace->n_requests; i++)
        FUZZ_CHECK(schedule_request_took(&trace->requests[i]) <= SCHEDULE_LATEST_NS ||
                   trace->requests[i].issued_ns == SCHEDULE_UNKNOWN_NS);
}

static void check_report(const struct schedule_trace *trace)
{
    struct schedule_report report;
    struct schedule_ended_report ended;
    size_t n = 0;

    FUZZ_CHECK(schedule_report_make(trace, &report) == 0);
    FUZZ_CHECK(report.n_longest <= SCHEDULE_WAITS_MAX);
    for (size_t i = 0; i < report.n_longest; i++)
        FUZZ_CHECK(report.longest[i].thread < trace->n_threads);
    schedule_report_done(&report);
    FUZZ_CHECK(schedule_ended_report_make(trace, &ended) == 0);
    for (size_t i = 0; i < ended.n_requests; i++) {
        FUZZ_CHECK(ended.requests[i].device < trace->n_devices);
        n += ended.requests[i].n;
    }
    FUZZ_CHECK(n == trace->n_requests && ended.n_exits <= trace->n_exits);
    schedule_ended_report_done(&ended);
}

/* A text that the page reads is JSON. */
static void check_json(struct text *text, int r)
{
    json_t *value;

    FUZZ_CHECK(r == 0);
    value = json_loadb(text->data, text->length, 0, NULL);
    FUZZ_CHECK(value);
    json_decref(value);
    text_clear(text);
}

static void check_texts(const struct schedule_trace *trace)
{
    static const struct schedule_map_range all = {.columns = 7};
    const struct schedule_map_range part = {trace->duration_ns / 4, trace->duration_ns / 2, 3};
    AUTO_TEXT struct text text = {0};
    size_t n_lines = 0;

    check_json(&text, schedule_map_append(trace, &all, &text));
    check_json(&text, schedule_map_append(trace, &part, &text));
    text_append_char(&text, '{');
    FUZZ_CHECK(schedule_text_append_report(trace, &text) == 0);
    text_clear(&text);
    check_json(&text, schedule_text_append_trace_events(trace, (size_t)1 << 20, &text));
    FUZZ_CHECK(schedule_text_append_csv(trace, &text) == 0);
    for (size_t i = 0; i < text.length; i++)
        n_lines += text.data[i] == '\n';
    FUZZ_CHECK(n_lines >= trace->n_events + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(schedule_trace) struct schedule_trace *trace = NULL;

    if (schedule_trace_unpack(data, size, &trace) < 0)
        return 0;
    check_times(trace);
    pack_and_unpack(trace);
    check_report(trace);
    if (trace->n_cpus <= CPUS_MOST)
        check_texts(trace);
    return 0;
}
