/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "expose/json_text.h"
#include "run/schedule_ended_trace.h"
#include "run/schedule_replay.h"
#include "run/schedule_text.h"

/* The process whose threads are the CPUs, and those behind it: no process has these numbers
 * (PID_MAX_LIMIT is 2^22). */
#define CPUS_PID 4194305

struct writing {
    const struct schedule_trace *trace;
    struct text *text;
    bool *is_shown; /* of each thread: it has a track */
};

static void append_us(struct text *text, const char *name, uint64_t ns)
{
    text_append_format(text, ",\"%s\":%" PRIu64 ".%03u", name, ns / 1000, (unsigned)(ns % 1000));
}

/* "name:tid" as a string; the idle task is only "idle". */
static void append_name(const struct writing *w, uint32_t index)
{
    const struct schedule_thread *thread = &w->trace->threads[index];
    char name[SCHEDULE_NAME_SIZE + 12];

    (void)snprintf(name, sizeof(name), index == SCHEDULE_IDLE ? "%s" : "%s:%" PRIu32, thread->name,
                   thread->tid);
    json_append_string(w->text, name);
}

static void append_slice(const struct writing *w, const struct schedule_slice *slice)
{
    const struct schedule_thread *thread = &w->trace->threads[slice->thread];

    text_append_format(w->text, ",\n{\"ph\":\"X\",\"pid\":%d,\"tid\":%u", CPUS_PID, slice->cpu);
    append_us(w->text, "ts", slice->start_ns);
    append_us(w->text, "dur", slice->end_ns - slice->start_ns);
    text_append_string(w->text, ",\"name\":");
    append_name(w, slice->thread);
    text_append_char(w->text, '}');
    if (slice->thread == SCHEDULE_IDLE)
        return;
    w->is_shown[slice->thread] = true;
    text_append_format(w->text, ",\n{\"ph\":\"X\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32,
                       thread->pid, thread->tid);
    append_us(w->text, "ts", slice->start_ns);
    append_us(w->text, "dur", slice->end_ns - slice->start_ns);
    text_append_format(w->text, ",\"name\":\"CPU %u\"}", slice->cpu);
}

static void append_wait(const struct writing *w, const struct schedule_wait *wait)
{
    const struct schedule_thread *thread = &w->trace->threads[wait->thread];

    w->is_shown[wait->thread] = true;
    text_append_format(w->text, ",\n{\"ph\":\"X\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32,
                       thread->pid, thread->tid);
    append_us(w->text, "ts", wait->start_ns);
    append_us(w->text, "dur", wait->end_ns - wait->start_ns);
    text_append_string(w->text, ",\"name\":\"waits for a CPU\",\"args\":{\"woken_by\":");
    if (wait->waker == SCHEDULE_NOBODY)
        text_append_string(w->text, "null");
    else
        append_name(w, wait->waker);
    text_append_string(w->text, "}}");
}

static void append_loss(const struct writing *w, const struct schedule_event *event)
{
    text_append_format(w->text, ",\n{\"ph\":\"i\",\"s\":\"t\",\"pid\":%d,\"tid\":%u", CPUS_PID,
                       event->cpu);
    append_us(w->text, "ts", event->time_ns);
    text_append_format(w->text, ",\"name\":\"%" PRIu32 " records lost\"}", event->lost);
}

static int append_steps(const struct writing *w)
{
    AUTO(schedule_replay) struct schedule_replay *replay = schedule_replay_new(w->trace);
    struct schedule_step step;
    struct schedule_slice last;

    if (!replay)
        return -ENOMEM;
    while (schedule_replay_next(replay, &step)) {
        if (step.event->lost > 0)
            append_loss(w, step.event);
        if (step.has_slice)
            append_slice(w, &step.slice);
        if (step.has_wait)
            append_wait(w, &step.wait);
    }
    for (size_t cpu = 0; cpu < w->trace->n_cpus; cpu++)
        if (schedule_replay_last(replay, cpu, &last))
            append_slice(w, &last);
    return 0;
}

/* Names of the tracks. A process is called as its first thread is, where that has been seen. */
static void append_names(const struct writing *w)
{
    const struct schedule_trace *trace = w->trace;

    for (size_t cpu = 0; cpu < trace->n_cpus; cpu++)
        text_append_format(w->text,
                           ",\n{\"ph\":\"M\",\"pid\":%d,\"tid\":%zu,\"name\":\"thread_name\","
                           "\"args\":{\"name\":\"CPU %zu\"}}",
                           CPUS_PID, cpu, cpu);
    for (size_t i = 1; i < trace->n_threads; i++) {
        const struct schedule_thread *thread = &trace->threads[i];

        if (!w->is_shown[i] && (thread->tid != thread->pid || !*thread->name))
            continue;
        text_append_format(w->text,
                           ",\n{\"ph\":\"M\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
                           ",\"name\":\"%s\",\"args\":{\"name\":",
                           thread->pid, thread->tid,
                           w->is_shown[i] ? "thread_name" : "process_name");
        json_append_string(w->text, thread->name);
        text_append_string(w->text, "}}");
        if (!w->is_shown[i] || thread->tid != thread->pid)
            continue;
        text_append_format(w->text,
                           ",\n{\"ph\":\"M\",\"pid\":%" PRIu32
                           ",\"name\":\"process_name\",\"args\":{\"name\":",
                           thread->pid);
        json_append_string(w->text, thread->name);
        text_append_string(w->text, "}}");
    }
}

int schedule_text_append_trace_events(const struct schedule_trace *trace, struct text *text)
{
    AUTO_FREE bool *is_shown = calloc(trace->n_threads, sizeof(*is_shown));
    const struct writing writing = {.trace = trace, .text = text, .is_shown = is_shown};
    int r;

    if (!is_shown)
        return -ENOMEM;
    text_append_format(text,
                       "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"clock\":\"CLOCK_MONOTONIC\","
                       "\"lost\":\"%" PRIu64 "\"},\"traceEvents\":[\n"
                       "{\"ph\":\"M\",\"pid\":%d,\"name\":\"process_name\","
                       "\"args\":{\"name\":\"CPUs\"}}",
                       trace->n_lost, CPUS_PID);
    r = append_steps(&writing);
    if (r < 0)
        return r;
    append_names(&writing);
    r = schedule_ended_append_trace_events(trace, CPUS_PID + 1, text);
    if (r < 0)
        return r;
    text_append_string(text, "]}\n");
    return text_error(text);
}
