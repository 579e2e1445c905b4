/* SPDX-License-Identifier: Apache-2.0 */
#include "run/schedule_replay.h"

#include <stdlib.h>

/* Who has a CPU, as far as it is known. */
enum { CPU_UNKNOWN, CPU_AT_START, CPU_IS_OURS, CPU_IS_OTHERS };

struct cpu {
    int state;
    uint32_t thread; /* of CPU_IS_OURS */
    uint64_t since_ns;
};

enum thread_state { THREAD_UNKNOWN, THREAD_RUNS, THREAD_WAITS, THREAD_BLOCKED };

struct thread {
    enum thread_state state;
    uint32_t generation; /* of the gaps, when the state became known */
    uint32_t waker;
    bool was_woken;                /* while it still had its CPU */
    bool has_block;                /* it waits, and was blocked before */
    uint64_t since_ns, blocked_ns; /* the state; when the block before the wait began */
};

struct schedule_replay {
    const struct schedule_trace *trace;
    size_t next;
    uint32_t generation; /* how often records were missing */
    struct cpu *cpus;
    struct thread *threads;
};

struct schedule_replay *schedule_replay_new(const struct schedule_trace *trace)
{
    AUTO(schedule_replay) struct schedule_replay *replay = calloc(1, sizeof(*replay));

    if (!replay)
        return NULL;
    replay->trace = trace;
    replay->cpus = calloc(trace->n_cpus + 1, sizeof(*replay->cpus));
    replay->threads = calloc(trace->n_threads, sizeof(*replay->threads));
    if (!replay->cpus || !replay->threads)
        return NULL;
    for (size_t i = 0; i < trace->n_cpus; i++)
        replay->cpus[i].state = CPU_AT_START;
    return TAKE(replay);
}

struct schedule_replay *schedule_replay_free(struct schedule_replay *replay)
{
    if (!replay)
        return NULL;
    free(replay->cpus);
    free(replay->threads);
    free(replay);
    return NULL;
}

static void set_state(struct schedule_replay *replay, uint32_t index, enum thread_state state,
                      uint64_t now)
{
    struct thread *thread = &replay->threads[index];

    if (index == SCHEDULE_IDLE)
        return; /* there is one for each CPU */
    thread->state = state;
    thread->generation = replay->generation;
    thread->since_ns = now;
}

/* A thread of the target leaves its CPU. */
static void leave(struct schedule_replay *replay, const struct schedule_event *event,
                  struct schedule_step *step)
{
    struct cpu *cpu = &replay->cpus[event->cpu];
    struct thread *thread = &replay->threads[event->a];
    /* Later than that, a CPU of which nothing was told was others': who leaves it has only become
     * one of the target's while it ran, as what moves into a cgroup. */
    const bool has_run_from_start =
        cpu->state == CPU_AT_START && event->time_ns <= replay->trace->begun_ns;

    if ((cpu->state == CPU_IS_OURS && cpu->thread == event->a) || has_run_from_start) {
        step->has_slice = true;
        step->slice = (struct schedule_slice){.thread = event->a,
                                              .cpu = event->cpu,
                                              .start_ns = cpu->since_ns,
                                              .end_ns = event->time_ns};
    } else if (cpu->state != CPU_UNKNOWN) {
        step->is_gap = true;
    }
    if (schedule_state_is_end(event->state)) {
        set_state(replay, event->a, THREAD_UNKNOWN, event->time_ns);
        return;
    }
    set_state(replay, event->a, event->state ? THREAD_BLOCKED : THREAD_WAITS, event->time_ns);
    thread->has_block = false;
    if (!event->state)
        thread->waker = SCHEDULE_NOBODY;
}

/* A thread of the target gets a CPU. */
static void arrive(struct schedule_replay *replay, uint32_t index, uint64_t now,
                   struct schedule_step *step)
{
    struct thread *thread = &replay->threads[index];
    const bool is_known = thread->generation == replay->generation;
    /* Who is woken in the midst of leaving waits from then on. */
    const bool waits =
        thread->state == THREAD_WAITS || (thread->state == THREAD_BLOCKED && thread->was_woken);

    if (index != SCHEDULE_IDLE && is_known && waits) {
        step->has_wait = true;
        step->wait = (struct schedule_wait){
            .thread = index, .waker = thread->waker, .start_ns = thread->since_ns, .end_ns = now};
        step->has_block = thread->state == THREAD_WAITS && thread->has_block;
        step->block = (struct schedule_wait){.thread = index,
                                             .waker = thread->waker,
                                             .start_ns = thread->blocked_ns,
                                             .end_ns = thread->since_ns};
    }
    thread->was_woken = thread->has_block = false;
    set_state(replay, index, THREAD_RUNS, now);
}

static void wake(struct schedule_replay *replay, const struct schedule_event *event)
{
    struct thread *thread = &replay->threads[event->b];
    const bool is_known = thread->generation == replay->generation;

    if (thread->state == THREAD_RUNS && is_known)
        thread->was_woken = true;
    else if (thread->state == THREAD_WAITS && is_known)
        return; /* it was woken already */
    else {
        thread->has_block = thread->state == THREAD_BLOCKED && is_known;
        thread->blocked_ns = thread->since_ns;
        set_state(replay, event->b, THREAD_WAITS, event->time_ns);
    }
    thread->waker = event->a;
}

/* What is missing may have changed any thread that is not on a CPU. */
static void note_loss(struct schedule_replay *replay, const struct schedule_event *event)
{
    replay->generation++;
    replay->cpus[event->cpu].state = CPU_UNKNOWN;
    for (size_t i = 0; i < replay->trace->n_cpus; i++)
        if (replay->cpus[i].state == CPU_IS_OURS)
            replay->threads[replay->cpus[i].thread].generation = replay->generation;
}

static void switch_cpu(struct schedule_replay *replay, const struct schedule_event *event,
                       struct schedule_step *step)
{
    struct cpu *cpu = &replay->cpus[event->cpu];

    if (event->flags & SCHEDULE_A_IS_OURS)
        leave(replay, event, step);
    else if (cpu->state == CPU_IS_OURS)
        step->is_gap = true;
    if (event->flags & SCHEDULE_B_IS_OURS)
        arrive(replay, event->b, event->time_ns, step);
    *cpu = (struct cpu){.state = event->flags & SCHEDULE_B_IS_OURS ? CPU_IS_OURS : CPU_IS_OTHERS,
                        .thread = event->b,
                        .since_ns = event->time_ns};
}

/* Who runs when recording begins has run since its beginning. */
static void note_runner(struct schedule_replay *replay, const struct schedule_event *event)
{
    struct cpu *cpu = &replay->cpus[event->cpu];

    if (cpu->state != CPU_AT_START && cpu->state != CPU_UNKNOWN)
        return;
    *cpu = (struct cpu){.state = CPU_IS_OURS,
                        .thread = event->b,
                        .since_ns = cpu->state == CPU_AT_START ? 0 : event->time_ns};
    set_state(replay, event->b, THREAD_RUNS, event->time_ns);
}

bool schedule_replay_next(struct schedule_replay *replay, struct schedule_step *ret_step)
{
    const struct schedule_event *event;

    if (replay->next >= replay->trace->n_events)
        return false;
    event = &replay->trace->events[replay->next++];
    *ret_step = (struct schedule_step){.event = event, .is_gap = event->lost > 0};
    if (event->lost > 0)
        note_loss(replay, event);
    if (event->kind == SCHEDULE_SWITCH)
        switch_cpu(replay, event, ret_step);
    else if (event->kind == SCHEDULE_WAKE || event->kind == SCHEDULE_START)
        wake(replay, event);
    else if (event->kind == SCHEDULE_RUNS)
        note_runner(replay, event);
    return true;
}

bool schedule_replay_last(const struct schedule_replay *replay, size_t cpu,
                          struct schedule_slice *ret_slice)
{
    const struct cpu *last = &replay->cpus[cpu];

    if (last->state != CPU_IS_OURS || last->since_ns > replay->trace->duration_ns)
        return false;
    *ret_slice = (struct schedule_slice){.thread = last->thread,
                                         .cpu = (uint16_t)cpu,
                                         .start_ns = last->since_ns,
                                         .end_ns = replay->trace->duration_ns};
    return true;
}
