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
#define CPUS_PID  4194305
#define ENDED_PID (CPUS_PID + 1)

/* The most that the names of a thread and of its process may take, which stand behind all events.
 */
#define NAME_BYTES 600

/* What is to be named in the end. */
#define HAS_TRACK    1 /* the thread */
#define HAS_A_THREAD 2 /* the process whose first thread it is */

struct writing {
    const struct schedule_trace *trace;
    struct text *text;
    size_t most_bytes;
    size_t n_tracks;
    uint8_t *flags; /* of each thread: HAS_… */
};

/* The thread has a track. */
static void show(struct writing *w, uint32_t index)
{
    w->n_tracks += !(w->flags[index] & HAS_TRACK);
    w->flags[index] |= HAS_TRACK;
    w->flags[w->trace->threads[index].leader] |= HAS_A_THREAD;
}

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

static void append_slice(struct writing *w, const struct schedule_slice *slice)
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
    show(w, slice->thread);
    text_append_format(w->text, ",\n{\"ph\":\"X\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32,
                       thread->pid, thread->tid);
    append_us(w->text, "ts", slice->start_ns);
    append_us(w->text, "dur", slice->end_ns - slice->start_ns);
    text_append_format(w->text, ",\"name\":\"CPU %u\"}", slice->cpu);
}

static void append_wait(struct writing *w, const struct schedule_wait *wait)
{
    const struct schedule_thread *thread = &w->trace->threads[wait->thread];

    show(w, wait->thread);
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

static void append_step(struct writing *w, const struct schedule_step *step)
{
    if (step->event->lost > 0)
        append_loss(w, step->event);
    if (step->has_slice)
        append_slice(w, &step->slice);
    if (step->has_wait)
        append_wait(w, &step->wait);
    if (!schedule_event_is_on_cpu(step->event))
        schedule_ended_append_trace_event(w->trace, step->event, ENDED_PID, w->text);
}

/* What the CPUs do when the recording ends. */
static void append_last(struct writing *w, const struct schedule_replay *replay)
{
    struct schedule_slice last;

    for (size_t cpu = 0; cpu < w->trace->n_cpus; cpu++)
        if (schedule_replay_last(replay, cpu, &last))
            append_slice(w, &last);
}

static bool has_room(const struct writing *w)
{
    return w->text->length + w->n_tracks * NAME_BYTES < w->most_bytes;
}

static int append_steps(struct writing *w)
{
    AUTO(schedule_replay) struct schedule_replay *replay = schedule_replay_new(w->trace);
    struct schedule_step step;

    if (!replay)
        return -ENOMEM;
    while (schedule_replay_next(replay, &step)) {
        if (!has_room(w)) {
            text_append_format(w->text, ",\n{\"ph\":\"i\",\"s\":\"g\",\"pid\":%d,\"tid\":0",
                               CPUS_PID);
            append_us(w->text, "ts", step.event->time_ns);
            text_append_string(w->text, ",\"name\":\"what follows is left out\"}");
            return 0;
        }
        append_step(w, &step);
    }
    append_last(w, replay);
    return 0;
}

static void append_process_name(const struct writing *w, const struct schedule_thread *leader)
{
    text_append_format(w->text,
                       ",\n{\"ph\":\"M\",\"pid\":%" PRIu32
                       ",\"name\":\"process_name\",\"args\":{\"name\":",
                       leader->pid);
    json_append_string(w->text, leader->name);
    text_append_string(w->text, "}}");
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

        if (w->flags[i] & HAS_TRACK) {
            text_append_format(w->text,
                               ",\n{\"ph\":\"M\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
                               ",\"name\":\"thread_name\",\"args\":{\"name\":",
                               thread->pid, thread->tid);
            json_append_string(w->text, thread->name);
            text_append_string(w->text, "}}");
        }
        if (w->flags[i] & HAS_A_THREAD && *thread->name)
            append_process_name(w, thread);
    }
}

int schedule_text_append_trace_events(const struct schedule_trace *trace, size_t most_bytes,
                                      struct text *text)
{
    AUTO_FREE uint8_t *flags = calloc(trace->n_threads, sizeof(*flags));
    struct writing writing = {
        .trace = trace, .text = text, .most_bytes = most_bytes, .flags = flags};
    int r;

    if (!flags)
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
    r = schedule_ended_append_names(trace, ENDED_PID, text);
    if (r < 0)
        return r;
    text_append_string(text, "]}\n");
    return text_error(text);
}
