/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/*
 * Which samples of a recording of software's events are kept, and how many events each stands for.
 *
 * The kernel adapts the period of such an event after each sample, by the time since the one before
 * and by the period that follows (perf_swevent_set_period(), __perf_event_overflow()). The first
 * samples are one event apart, within less than a microsecond: from them it may conclude that there
 * are billions of events a second, and wait for as many. So it is asked for far more samples than
 * are wanted, where it cannot be mistaken by much, and only some of them are kept here.
 *
 * Which ones is decided by events, not by samples: who has few events is sampled by the kernel as
 * often as who has many. One is kept whenever so many events have passed on its CPU as come in one
 * interval, more or less by chance, so that what repeats itself is not always met at the same
 * place.
 *
 * It tells a period one sample late: the one that is told with a sample passes until the next one.
 */

#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_helpers.h>

/* User space sets it when a recording begins. */
struct {
    __u64 interval_ns; /* between two samples of a CPU that are kept, about */
    __u32 number;      /* of the recording: what is remembered of another one is not true */
    __u32 of_threads;  /* its events are of threads, else of CPUs */
} recording;

/* The period that the last sample of an event has told. */
struct told_period {
    __u64 events;
    __u32 recording;
};

/* By the number of the event's thread, or of its CPU. */
struct {
    __uint(type, BPF_MAP_TYPE_LRU_HASH);
    __type(key, __u32);
    __type(value, struct told_period);
    __uint(max_entries, 8192);
} told_periods SEC(".maps");

/* What a CPU keeps. */
struct thinning {
    __u64 kept_ns;
    __u64 events; /* since then, of samples that were not kept */
    __u64 pace;   /* so many events come in one interval, about */
    __u64 wanted; /* with so many events the next one is kept */
    __u32 recording;
};

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __type(key, __u32);
    __type(value, struct thinning);
    __uint(max_entries, 1);
} thinnings SEC(".maps");

/*
 * No sample is waited for longer than so many intervals. The one that is kept then may not be of
 * those who had most of the events before it: that is one interval of so many.
 */
#define THINNING_PATIENCE 50

/* In one step the pace grows no more than so much: the time between two samples may be an
 * exception. */
#define THINNING_STEP 4

/*
 * How many events have passed since the last sample of this event. The first one of a thread has a
 * period that its parent had; nobody tells which, but it is about the same.
 */
static __always_inline __u64 events_since_last(__u64 told, __u32 thread)
{
    const __u32 key = recording.of_threads ? thread : bpf_get_smp_processor_id();
    struct told_period now = {.events = told, .recording = recording.number};
    struct told_period *last = bpf_map_lookup_elem(&told_periods, &key);
    __u64 events = told;

    if (last && last->recording == recording.number) {
        events = last->events;
        last->events = told;
    } else {
        (void)bpf_map_update_elem(&told_periods, &key, &now, BPF_ANY);
    }
    return events;
}

/* How many events come in one interval, where so many have passed in this time. */
static __always_inline __u64 next_pace(__u64 pace, __u64 events, __u64 passed_ns)
{
    const __u64 found = events * (recording.interval_ns / 1000) / (passed_ns / 1000 + 1);
    const __u64 most = pace * THINNING_STEP;

    if (found > most)
        return most;
    return found ? found : 1;
}

/* From half of it to one and a half, each as likely. */
static __always_inline __u64 about(__u64 events)
{
    return events / 2 + (events * (bpf_get_prandom_u32() >> 16) >> 16);
}

/*
 * How many events the sample stands for that the event `thread` has now, with those of samples
 * before it that were not kept; 0: it is not kept either.
 */
static __always_inline __u64 thin_out(__u64 told, __u32 thread)
{
    const __u64 now = bpf_ktime_get_ns(), events = events_since_last(told, thread);
    const __u32 zero = 0;
    struct thinning *thinning = bpf_map_lookup_elem(&thinnings, &zero);
    __u64 passed_ns, sum;

    if (!thinning)
        return events;
    if (thinning->recording != recording.number)
        *thinning = (struct thinning){.kept_ns = now, .pace = 1, .recording = recording.number};
    sum = thinning->events + events;
    passed_ns = now - thinning->kept_ns;
    if (sum < thinning->wanted && passed_ns < THINNING_PATIENCE * recording.interval_ns) {
        thinning->events = sum;
        return 0;
    }
    thinning->pace = next_pace(thinning->pace, sum, passed_ns);
    thinning->wanted = about(thinning->pace);
    thinning->kept_ns = now;
    thinning->events = 0;
    return sum;
}
