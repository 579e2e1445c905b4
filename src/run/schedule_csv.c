/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/utf8.h"
#include "run/schedule_replay.h"
#include "run/schedule_text.h"

static const char *const kind_words[SCHEDULE_KIND_COUNT_] = {
    [SCHEDULE_RUNS] = "runs",   [SCHEDULE_SWITCH] = "switch", [SCHEDULE_WAKE] = "wake",
    [SCHEDULE_START] = "start", [SCHEDULE_MOVE] = "move",     [SCHEDULE_LOSS] = "loss",
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
    text_append_format(text, ",%" PRIu32 "\n", event->lost);
}

int schedule_text_append_csv(const struct schedule_trace *trace, struct text *text)
{
    AUTO(schedule_replay) struct schedule_replay *replay = schedule_replay_new(trace);
    struct schedule_step step;

    if (!replay)
        return -ENOMEM;
    text_append_string(text, "seconds,event,cpu,tid,pid,name,state,ran_seconds,to_tid,to_pid,"
                             "to_name,waited_seconds,blocked_seconds,waker_tid,from_cpu,to_cpu,"
                             "lost\n");
    while (schedule_replay_next(replay, &step))
        append_step(trace, &step, text);
    return text_error(text);
}
