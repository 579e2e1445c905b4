/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Requests and exits over time: a lane for each device and operation, and for each vCPU and reason,
 * of which those are shown that took longest in all. How many of them there were at a time is the
 * sum of their parts of a column over its width. An item may cover all columns, and so only its two
 * ends are looked at: what it covers whole is a step up and one down.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "run/schedule_ended_json.h"

#define LANES 24

struct lane {
    uint32_t *counts; /* ended in the column */
    double *parts;    /* columns, of items that begin or end there */
    int32_t *steps;   /* of how many items cover a column whole */
};

struct lanes {
    const struct schedule_trace *trace;
    const struct schedule_ended_report *report;
    uint64_t start_ns, end_ns;
    size_t columns;
    struct lane all[LANES];
};

static int make(struct lanes *lanes, size_t n)
{
    for (size_t i = 0; i < n && i < LANES; i++) {
        struct lane *lane = &lanes->all[i];

        lane->counts = calloc(lanes->columns, sizeof(*lane->counts));
        lane->parts = calloc(lanes->columns, sizeof(*lane->parts));
        lane->steps = calloc(lanes->columns + 1, sizeof(*lane->steps));
        if (!lane->counts || !lane->parts || !lane->steps)
            return -ENOMEM;
    }
    return 0;
}

static void done(struct lanes *lanes)
{
    for (size_t i = 0; i < LANES; i++) {
        free(lanes->all[i].counts);
        free(lanes->all[i].parts);
        free(lanes->all[i].steps);
        lanes->all[i] = (struct lane){0};
    }
}

/* A time within the range, in columns. */
static double place_of(const struct lanes *lanes, uint64_t time_ns)
{
    return (double)(time_ns - lanes->start_ns) * (double)lanes->columns /
           (double)(lanes->end_ns - lanes->start_ns);
}

static size_t column_of(const struct lanes *lanes, double place)
{
    return place < (double)lanes->columns ? (size_t)place : lanes->columns - 1;
}

static void add(struct lanes *lanes, size_t index, uint64_t begun_ns, uint64_t ended_ns)
{
    const uint64_t from = begun_ns > lanes->start_ns ? begun_ns : lanes->start_ns;
    const uint64_t to = ended_ns < lanes->end_ns ? ended_ns : lanes->end_ns;
    struct lane *lane = &lanes->all[index];
    double begun, ended;
    size_t first, last;

    if (from > to)
        return;
    begun = place_of(lanes, from);
    ended = place_of(lanes, to);
    first = column_of(lanes, begun);
    last = column_of(lanes, ended);
    if (ended_ns <= lanes->end_ns && ended_ns >= lanes->start_ns)
        lane->counts[last]++;
    if (first == last) {
        lane->parts[first] += ended - begun;
        return;
    }
    lane->parts[first] += (double)(first + 1) - begun;
    lane->parts[last] += ended - (double)last;
    lane->steps[first + 1]++;
    lane->steps[last]--;
}

static void append_lane(const struct lanes *lanes, size_t index, struct text *text)
{
    const struct lane *lane = &lanes->all[index];
    int32_t whole = 0;

    text_append_string(text, ",\"counts\":[");
    for (size_t i = 0; i < lanes->columns; i++)
        text_append_format(text, i > 0 ? ",%" PRIu32 : "%" PRIu32, lane->counts[i]);
    text_append_string(text, "],\"shares\":[");
    for (size_t i = 0; i < lanes->columns; i++) {
        const double share = (double)(whole += lane->steps[i]) + lane->parts[i];

        text_append_format(text, i > 0 ? ",%.3g" : "%.3g", share > 0 ? share : 0);
    }
    text_append_string(text, "]}");
}

static void fill_requests(struct lanes *lanes)
{
    const struct schedule_trace *trace = lanes->trace;
    const struct schedule_ended_report *report = lanes->report;

    for (size_t i = 0; i < trace->n_requests; i++) {
        const struct schedule_request *request = &trace->requests[i];
        const bool is_known = request->issued_ns != SCHEDULE_UNKNOWN_NS;

        for (size_t k = 0; k < report->n_requests && k < LANES; k++)
            if (report->requests[k].device == request->device &&
                report->requests[k].operation == request->operation)
                add(lanes, k, is_known ? request->issued_ns : request->ended_ns, request->ended_ns);
    }
}

static void fill_exits(struct lanes *lanes)
{
    const struct schedule_trace *trace = lanes->trace;

    for (size_t i = 0; i < trace->n_exits; i++) {
        const struct schedule_exit *exit = &trace->exits[i];
        const uint32_t process = trace->threads[exit->thread].leader;

        for (size_t k = 0; k < lanes->report->n_exits && k < LANES; k++) {
            const struct schedule_exit_figures *line = &lanes->report->exits[k];

            if (line->process == process && line->vcpu == exit->vcpu && line->isa == exit->isa &&
                line->code == exit->code)
                add(lanes, k, exit->begun_ns, exit->ended_ns);
        }
    }
}

static int append_requests(struct lanes *lanes, struct text *text)
{
    const struct schedule_ended_report *report = lanes->report;
    const int r = make(lanes, report->n_requests);

    if (r < 0)
        return r;
    fill_requests(lanes);
    text_append_string(text, ",\"requests\":[");
    for (size_t i = 0; i < report->n_requests && i < LANES; i++) {
        text_append_string(text, i > 0 ? ",\n{\"device\":" : "{\"device\":");
        schedule_ended_append_device(lanes->trace, report->requests[i].device, text);
        text_append_format(text, ",\"operation\":\"%s\"",
                           block_operation_name(report->requests[i].operation));
        append_lane(lanes, i, text);
    }
    text_append_char(text, ']');
    return 0;
}

static int append_exits(struct lanes *lanes, struct text *text)
{
    const struct schedule_ended_report *report = lanes->report;
    const int r = make(lanes, report->n_exits);

    if (r < 0)
        return r;
    fill_exits(lanes);
    text_append_string(text, ",\"exits\":[");
    for (size_t i = 0; i < report->n_exits && i < LANES; i++) {
        const struct schedule_exit_figures *line = &report->exits[i];

        text_append_string(text, i > 0 ? ",\n{\"guest\":" : "{\"guest\":");
        schedule_ended_append_thread(lanes->trace, line->process, text);
        if (line->vcpu == SCHEDULE_NO_VCPU)
            text_append_string(text, ",\"vcpu\":null");
        else
            text_append_format(text, ",\"vcpu\":%" PRIu32, line->vcpu);
        text_append_string(text, ",\"reason\":");
        schedule_ended_append_reason(line->isa, line->code, text);
        append_lane(lanes, i, text);
    }
    text_append_char(text, ']');
    return 0;
}

int schedule_ended_append_map(const struct schedule_trace *trace, uint64_t start_ns,
                              uint64_t end_ns, size_t columns, struct text *text)
{
    struct schedule_ended_report report = {0};
    struct lanes lanes = {.trace = trace,
                          .report = &report,
                          .start_ns = start_ns,
                          .end_ns = end_ns,
                          .columns = columns};
    int r = end_ns > start_ns ? schedule_ended_report_make(trace, &report) : 0;

    if (r == 0)
        r = append_requests(&lanes, text);
    done(&lanes);
    if (r == 0)
        r = append_exits(&lanes, text);
    done(&lanes);
    schedule_ended_report_done(&report);
    return r;
}
