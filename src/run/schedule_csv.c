/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/utf8.h"
#include "run/schedule_ended_report.h"
#include "run/schedule_replay.h"
#include "run/schedule_text.h"
#include "sys/kvm_exit_reasons.h"

static const char *const kind_words[SCHEDULE_KIND_COUNT_] = {
    [SCHEDULE_RUNS] = "runs",       [SCHEDULE_SWITCH] = "switch", [SCHEDULE_WAKE] = "wake",
    [SCHEDULE_START] = "start",     [SCHEDULE_MOVE] = "move",     [SCHEDULE_LOSS] = "loss",
    [SCHEDULE_REQUEST] = "request", [SCHEDULE_EXIT] = "exit",
};

/*
 * A name in quotation marks (RFC 4180), with '?' for each byte that is no UTF-8 or steers a
 * terminal. A spreadsheet that takes "=1+1" for a formula takes "'=1+1" for a text.
 */
static void append_name(struct text *text, const char *name)
{
    text_append_string(text, *name && strchr("=+-@", *name) ? "\"'" : "\"");
    while (*name) {
        uint32_t code = 0;
        const size_t length = utf8_decode(name, UTF8_LONGEST, &code);

        if (length == 0 || code < 0x20 || (code >= 0x7f && code < 0xa0))
            text_append_char(text, '?');
        else if (code == '"')
            text_append_string(text, "\"\"");
        else
            text_append(text, name, length);
        name += length ? length : 1;
    }
    text_append_char(text, '"');
}

static void append_thread(const struct schedule_trace *trace, uint32_t index, struct text *text)
{
    const struct schedule_thread *thread = &trace->threads[index];

    text_append_format(text, ",%" PRIu32 ",%" PRIu32 ",", thread->tid, thread->pid);
    append_name(text, thread->name);
}

/* Appends a duration as another field, which is empty if it is not known. */
static void append_span(bool is_known, uint64_t start_ns, uint64_t end_ns, struct text *text)
{
    text_append_char(text, ',');
    if (is_known)
        text_append_seconds(text, end_ns - start_ns);
}

/* Appends the fields of a request, and the duration behind those of an exit. */
static void append_request(const struct schedule_trace *trace,
                           const struct schedule_request *request, struct text *text)
{
    const bool was_queued = schedule_request_queued(request) != SCHEDULE_UNKNOWN_NS;

    text_append_char(text, ',');
    append_name(text, trace->devices[request->device].name);
    text_append_format(text, ",%s,%" PRIu32 ",%" PRIu32, block_operation_name(request->operation),
                       request->bytes, request->error);
    append_span(was_queued, 0, was_queued ? schedule_request_queued(request) : 0, text);
    text_append_string(text, ",,");
    append_span(request->issued_ns != SCHEDULE_UNKNOWN_NS, 0, schedule_request_took(request), text);
}

static void append_exit(const struct schedule_exit *exit, struct text *text)
{
    char reason[KVM_EXIT_REASON_SIZE];

    kvm_exit_reason_name(exit->isa, exit->code, reason);
    text_append_format(text, ",,,,,,%s,", reason);
    if (exit->vcpu != SCHEDULE_NO_VCPU)
        text_append_u64(text, exit->vcpu);
    append_span(true, 0, schedule_exit_took(exit), text);
}

/* The line of what has ended: nobody comes, and nothing is known of a CPU. */
static void append_ended(const struct schedule_trace *trace, const struct schedule_event *event,
                         struct text *text)
{
    text_append_seconds(text, event->time_ns);
    text_append_format(text, ",%s,%u", kind_words[event->kind], event->cpu);
    append_thread(trace, event->a, text);
    text_append_format(text, ",,,,,,,,,,,%" PRIu32, event->lost);
    if (event->kind == SCHEDULE_REQUEST)
        append_request(trace, &trace->requests[event->state], text);
    else
        append_exit(&trace->exits[event->state], text);
    text_append_char(text, '\n');
}

static void append_step(const struct schedule_trace *trace, const struct schedule_step *step,
                        struct text *text)
{
    const struct schedule_event *event = step->event;
    const bool is_switch = event->kind == SCHEDULE_SWITCH;
    const char state[] = {is_switch ? schedule_state_letter(event->state) : '\0', '\0'};

    text_append_seconds(text, event->time_ns);
    text_append_format(text, ",%s,%u", kind_words[event->kind], event->cpu);
    append_thread(trace, event->a, text);
    text_append_format(text, ",%s", state);
    append_span(step->has_slice, step->slice.start_ns, step->slice.end_ns, text);
    append_thread(trace, event->b, text);
    append_span(step->has_wait, step->wait.start_ns, step->wait.end_ns, text);
    append_span(step->has_block, step->block.start_ns, step->block.end_ns, text);
    text_append_char(text, ',');
    if (step->has_wait && step->wait.waker != SCHEDULE_NOBODY)
        text_append_u64(text, trace->threads[step->wait.waker].tid);
    if (event->kind == SCHEDULE_MOVE)
        text_append_format(text, ",%" PRIu32 ",%u", event->state, event->to);
    else
        text_append_string(text, ",,");
    text_append_format(text, ",%" PRIu32 ",,,,,,,,\n", event->lost);
}

int schedule_text_append_csv(const struct schedule_trace *trace, struct text *text)
{
    AUTO(schedule_replay) struct schedule_replay *replay = schedule_replay_new(trace);
    struct schedule_step step;

    if (!replay)
        return -ENOMEM;
    text_append_string(text, "seconds,event,cpu,tid,pid,name,state,ran_seconds,to_tid,to_pid,"
                             "to_name,waited_seconds,blocked_seconds,waker_tid,from_cpu,to_cpu,"
                             "lost,device,operation,bytes,error,queued_seconds,reason,vcpu,"
                             "took_seconds\n");
    while (schedule_replay_next(replay, &step))
        if (schedule_event_is_on_cpu(step.event))
            append_step(trace, &step, text);
        else
            append_ended(trace, step.event, text);
    return text_error(text);
}
