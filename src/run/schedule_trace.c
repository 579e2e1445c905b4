/* SPDX-License-Identifier: Apache-2.0 */
#include "run/schedule_trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "run/schedule_ended.h"

/* States of tasks, as in the kernel's sched.h. */
#define TASK_UNINTERRUPTIBLE 0x0002
#define TASK_STOPPED         0x0004
#define TASK_TRACED          0x0008
#define EXIT_DEAD            0x0010
#define EXIT_ZOMBIE          0x0020
#define TASK_DEAD            0x0080
#define TASK_NOLOAD          0x0400 /* with TASK_UNINTERRUPTIBLE: an idle thread of the kernel */

char schedule_state_letter(uint32_t state)
{
    if (state == 0)
        return 'R';
    if (schedule_state_is_end(state))
        return 'X';
    if (state & TASK_TRACED)
        return 't';
    if (state & TASK_STOPPED)
        return 'T';
    if (state & TASK_UNINTERRUPTIBLE)
        return state & TASK_NOLOAD ? 'I' : 'D';
    return 'S';
}

bool schedule_state_is_end(uint32_t state)
{
    return state & (TASK_DEAD | EXIT_DEAD | EXIT_ZOMBIE);
}

struct schedule_trace *schedule_trace_new(void)
{
    struct schedule_trace *trace = calloc(1, sizeof(*trace));

    if (!trace)
        return NULL;
    reference_init(&trace->reference);
    trace->threads = array_reserve(NULL, sizeof(*trace->threads), &trace->most_threads, 1);
    if (!trace->threads)
        return schedule_trace_unref(trace);
    trace->threads[trace->n_threads++] = (struct schedule_thread){.name = "idle"};
    return trace;
}

struct schedule_trace *schedule_trace_ref(struct schedule_trace *trace)
{
    if (trace)
        reference_take(&trace->reference);
    return trace;
}

struct schedule_trace *schedule_trace_unref(struct schedule_trace *trace)
{
    if (!trace || !reference_drop(&trace->reference))
        return NULL;
    free(trace->threads);
    free(trace->events);
    free(trace->index);
    free(trace->devices);
    free(trace->requests);
    free(trace->exits);
    free(trace);
    return NULL;
}

/* The place of a number in the index: that of the thread that has it, or a free one. */
static size_t place_of(const struct schedule_trace *trace, uint32_t tid)
{
    size_t place = (size_t)(tid * UINT32_C(0x9e3779b1)) & (trace->most_index - 1);

    while (trace->index[place] && trace->threads[trace->index[place]].tid != tid)
        place = (place + 1) & (trace->most_index - 1);
    return place;
}

/* Makes the index twice as large, before it is half full. 0 or -ENOMEM. */
static int grow_index(struct schedule_trace *trace)
{
    const size_t most = trace->most_index ? 2 * trace->most_index : 64;

    if (2 * trace->n_threads < trace->most_index)
        return 0;
    free(trace->index);
    trace->index = calloc(most, sizeof(*trace->index));
    trace->most_index = trace->index ? most : 0;
    if (!trace->index)
        return -ENOMEM;
    for (size_t i = 1; i < trace->n_threads; i++) /* of two of a number the later one stays */
        trace->index[place_of(trace, trace->threads[i].tid)] = (uint32_t)i;
    return 0;
}

/* Adds a thread, and gives its number to it. 0 or -ENOMEM. */
static int add_thread(struct schedule_trace *trace, uint32_t tid, uint32_t pid)
{
    struct schedule_thread *threads;

    if (grow_index(trace) < 0)
        return -ENOMEM;
    threads =
        array_reserve(trace->threads, sizeof(*threads), &trace->most_threads, trace->n_threads + 1);
    if (!threads)
        return -ENOMEM;
    trace->threads = threads;
    threads[trace->n_threads] =
        (struct schedule_thread){.tid = tid, .pid = pid, .leader = (uint32_t)trace->n_threads};
    trace->index[place_of(trace, tid)] = (uint32_t)trace->n_threads++;
    return 0;
}

/* Finds, or adds, the first thread of the process of a thread that was just added. 0 or -ENOMEM. */
static int find_leader(struct schedule_trace *trace, uint32_t index)
{
    const uint32_t pid = trace->threads[index].pid;

    if (pid == trace->threads[index].tid)
        return 0;
    if (!trace->index[place_of(trace, pid)] && add_thread(trace, pid, pid) < 0)
        return -ENOMEM;
    trace->threads[index].leader = trace->index[place_of(trace, pid)];
    return 0;
}

/* The index of a thread. is_new: it has just been born. 0 or -ENOMEM. */
static int find_thread(struct schedule_trace *trace, const struct schedule_task *task, bool is_new,
                       uint32_t *ret_thread)
{
    struct schedule_thread *thread;

    if (task->tid == 0) {
        *ret_thread = SCHEDULE_IDLE;
        return 0;
    }
    if (grow_index(trace) < 0)
        return -ENOMEM;
    *ret_thread = trace->index[place_of(trace, task->tid)];
    if (!*ret_thread || is_new) {
        if (add_thread(trace, task->tid, task->pid) < 0)
            return -ENOMEM;
        *ret_thread = (uint32_t)trace->n_threads - 1;
        if (find_leader(trace, *ret_thread) < 0)
            return -ENOMEM;
    }
    thread = &trace->threads[*ret_thread];
    memcpy(thread->name, task->name, sizeof(thread->name));
    thread->name[sizeof(thread->name) - 1] = '\0';
    return 0;
}

void schedule_trace_name(struct schedule_trace *trace, uint32_t thread, const char *name)
{
    char *own = trace->threads[thread].name;

    if (!*own)
        memcpy(own, name, strnlen(name, sizeof(trace->threads[thread].name) - 1));
}

/* CPUs fill their records in parallel, so that the last ones may have to change their places. */
static void insert(struct schedule_trace *trace, const struct schedule_event *event)
{
    size_t at = trace->n_events++;

    for (; at > 0 && trace->events[at - 1].time_ns > event->time_ns; at--)
        trace->events[at] = trace->events[at - 1];
    trace->events[at] = *event;
}

int schedule_trace_add(struct schedule_trace *trace, const struct schedule_record *record,
                       uint64_t start_ns)
{
    struct schedule_event event = {.time_ns =
                                       record->time_ns > start_ns ? record->time_ns - start_ns : 0,
                                   .state = record->state,
                                   .lost = record->lost,
                                   .to = (uint16_t)record->to,
                                   .cpu = record->cpu,
                                   .kind = record->kind,
                                   .flags = record->flags};
    const bool has_b = schedule_event_is_on_cpu(&event);
    struct schedule_event *events;
    int r;

    if (trace->n_events >= SCHEDULE_EVENTS_MAX) {
        trace->is_full = true;
        return -ENOSPC;
    }
    events =
        array_reserve(trace->events, sizeof(*events), &trace->most_events, trace->n_events + 1);
    if (!events)
        return -ENOMEM;
    trace->events = events;
    r = find_thread(trace, &record->a, false, &event.a);
    event.b = event.a;
    if (r == 0 && has_b)
        r = find_thread(trace, &record->b, record->kind == SCHEDULE_START, &event.b);
    if (r == 0 && !has_b)
        r = schedule_ended_add(trace, record, start_ns, &event);
    if (r < 0)
        return r;
    insert(trace, &event);
    if (trace->n_cpus <= event.cpu)
        trace->n_cpus = (size_t)event.cpu + 1;
    return 0;
}
