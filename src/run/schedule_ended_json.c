/* SPDX-License-Identifier: Apache-2.0 */
#include "run/schedule_ended_json.h"

#include <errno.h>
#include <inttypes.h>

#include "expose/json_text.h"
#include "run/schedule_text.h"
#include "sys/kvm_exit_reasons.h"

void schedule_ended_append_device(const struct schedule_trace *trace, uint32_t device,
                                  struct text *text)
{
    json_append_string(text, trace->devices[device].name);
}

void schedule_ended_append_reason(uint32_t isa, uint32_t code, struct text *text)
{
    char reason[KVM_EXIT_REASON_SIZE];

    kvm_exit_reason_name(isa, code, reason);
    json_append_string(text, reason);
}

void schedule_ended_append_thread(const struct schedule_trace *trace, uint32_t thread,
                                  struct text *text)
{
    text_append_format(text, "{\"tid\":%" PRIu32 ",\"pid\":%" PRIu32 ",\"name\":",
                       trace->threads[thread].tid, trace->threads[thread].pid);
    json_append_string(text, trace->threads[thread].name);
    text_append_char(text, '}');
}

static void append_time(struct text *text, const char *name, bool is_known, uint64_t ns)
{
    text_append_format(text, ",\"%s\":", name);
    if (is_known)
        json_append_seconds(text, ns);
    else
        text_append_string(text, "null");
}

/* The members that say how long they took. Who the longest one was of follows. */
static void append_durations(const struct schedule_durations *took, struct text *text)
{
    const bool is_known = took->n > 0;

    append_time(text, "seconds", true, took->ns);
    append_time(text, "mean_seconds", is_known, is_known ? took->ns / took->n : 0);
    append_time(text, "p50_seconds", is_known, took->p50_ns);
    append_time(text, "p99_seconds", is_known, took->p99_ns);
    text_append_string(text, ",\"longest\":");
}

static void append_longest(const struct schedule_trace *trace, uint32_t thread, uint64_t begun_ns,
                           uint64_t took_ns, struct text *text)
{
    text_append_string(text, "{\"thread\":");
    schedule_ended_append_thread(trace, thread, text);
    append_time(text, "start", true, begun_ns);
    append_time(text, "seconds", true, took_ns);
    text_append_char(text, '}');
}

static void append_request_figures(const struct schedule_trace *trace,
                                   const struct schedule_request_figures *figures,
                                   struct text *text)
{
    text_append_string(text, "{\"device\":");
    schedule_ended_append_device(trace, figures->device, text);
    text_append_format(
        text,
        ",\"operation\":\"%s\",\"count\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"errors\":%" PRIu64,
        block_operation_name(figures->operation), figures->n, figures->bytes, figures->n_errors);
    append_time(text, "queued_mean_seconds", figures->n_queued > 0,
                figures->n_queued > 0 ? figures->queued_ns / figures->n_queued : 0);
    append_durations(&figures->took, text);
    if (figures->took.n > 0) {
        const struct schedule_request *longest = &trace->requests[figures->took.longest];

        append_longest(trace, longest->thread, longest->issued_ns, schedule_request_took(longest),
                       text);
    } else {
        text_append_string(text, "null");
    }
    text_append_char(text, '}');
}

static void append_exit_figures(const struct schedule_trace *trace,
                                const struct schedule_exit_figures *figures, struct text *text)
{
    const struct schedule_exit *longest = &trace->exits[figures->took.longest];

    text_append_string(text, "{\"guest\":");
    schedule_ended_append_thread(trace, figures->process, text);
    if (figures->vcpu == SCHEDULE_NO_VCPU)
        text_append_string(text, ",\"vcpu\":null");
    else
        text_append_format(text, ",\"vcpu\":%" PRIu32, figures->vcpu);
    text_append_string(text, ",\"reason\":");
    schedule_ended_append_reason(figures->isa, figures->code, text);
    text_append_format(text, ",\"count\":%" PRIu64, figures->took.n);
    append_durations(&figures->took, text);
    append_longest(trace, longest->thread, longest->begun_ns, schedule_exit_took(longest), text);
    text_append_char(text, '}');
}

/* Opens the object, with why there are none. false: nothing is known of them, and null is said. */
static bool begin(const struct schedule_told *told, const char *name, struct text *text)
{
    text_append_format(text, ",\"%s\":", name);
    if (!told->is_told && !*told->refusal) {
        text_append_string(text, "null");
        return false;
    }
    text_append_string(text, "{\"refusal\":");
    json_append_string(text, told->is_told ? NULL : told->refusal);
    return true;
}

static void append_requests(const struct schedule_trace *trace,
                            const struct schedule_ended_report *report, struct text *text)
{
    uint64_t bytes = 0, n_errors = 0;

    if (!begin(&trace->requests_told, "requests", text))
        return;
    for (size_t i = 0; i < report->n_requests; i++) {
        bytes += report->requests[i].bytes;
        n_errors += report->requests[i].n_errors;
    }
    text_append_format(
        text, ",\"count\":%zu,\"bytes\":%" PRIu64 ",\"errors\":%" PRIu64 ",\"by_device\":[",
        trace->n_requests, bytes, n_errors);
    for (size_t i = 0; i < report->n_requests && i < SCHEDULE_LISTED_ENDED; i++) {
        text_append_string(text, i > 0 ? ",\n" : "");
        append_request_figures(trace, &report->requests[i], text);
    }
    text_append_string(text, "]}");
}

static void append_exits(const struct schedule_trace *trace,
                         const struct schedule_ended_report *report, struct text *text)
{
    uint64_t ns = 0;

    if (!begin(&trace->exits_told, "exits", text))
        return;
    for (size_t i = 0; i < report->n_exits; i++)
        ns += report->exits[i].took.ns;
    text_append_format(text, ",\"count\":%zu", trace->n_exits);
    append_time(text, "seconds", true, ns);
    text_append_format(text, ",\"n_lines\":%zu,\"by_vcpu\":[", report->n_exits);
    for (size_t i = 0; i < report->n_exits && i < SCHEDULE_LISTED_ENDED; i++) {
        text_append_string(text, i > 0 ? ",\n" : "");
        append_exit_figures(trace, &report->exits[i], text);
    }
    text_append_string(text, "]}");
}

int schedule_ended_append_report(const struct schedule_trace *trace, struct text *text)
{
    struct schedule_ended_report report;
    const int r = schedule_ended_report_make(trace, &report);

    if (r == 0) {
        append_requests(trace, &report, text);
        append_exits(trace, &report, text);
    }
    schedule_ended_report_done(&report);
    return r;
}
