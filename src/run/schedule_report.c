/* SPDX-License-Identifier: Apache-2.0 */
#include "run/schedule_report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Of two numbers below 2^32, each known once. */
static size_t place_of(const struct schedule_pairs *pairs, uint32_t a, uint32_t b)
{
    const uint64_t key = (uint64_t)a << 32 | b;
    size_t place = (key * UINT64_C(0x9e3779b97f4a7c15)) >> 32 & (pairs->most - 1);

    while (pairs->pairs[place].n && (pairs->pairs[place].a != a || pairs->pairs[place].b != b))
        place = (place + 1) & (pairs->most - 1);
    return place;
}

static int grow_pairs(struct schedule_pairs *pairs)
{
    struct schedule_pairs grown = {.most = pairs->most ? 2 * pairs->most : 64, .n = pairs->n};

    grown.pairs = calloc(grown.most, sizeof(*grown.pairs));
    if (!grown.pairs)
        return -ENOMEM;
    for (size_t i = 0; i < pairs->most; i++)
        if (pairs->pairs[i].n)
            grown.pairs[place_of(&grown, pairs->pairs[i].a, pairs->pairs[i].b)] = pairs->pairs[i];
    free(pairs->pairs);
    *pairs = grown;
    return 0;
}

static int add_pair(struct schedule_pairs *pairs, uint32_t a, uint32_t b, uint64_t ns)
{
    struct schedule_pair *pair;

    if (2 * (pairs->n + 1) > pairs->most && grow_pairs(pairs) < 0)
        return -ENOMEM;
    pair = &pairs->pairs[place_of(pairs, a, b)];
    if (!pair->n)
        pairs->n++;
    *pair = (struct schedule_pair){.a = a, .b = b, .n = pair->n + 1, .ns = pair->ns + ns};
    return 0;
}

static int descending(uint64_t a, uint64_t b)
{
    return (a < b) - (a > b);
}

static int compare_shares(const void *left, const void *right)
{
    const struct schedule_pair *a = left, *b = right;

    if (!a->n || !b->n)
        return descending(a->n, b->n); /* free places are the last */
    return a->a != b->a ? (a->a > b->a) - (a->a < b->a) : descending(a->ns, b->ns);
}

static int compare_preemptions(const void *left, const void *right)
{
    const struct schedule_pair *a = left, *b = right;

    return descending(a->n, b->n);
}

/* Makes a list of the table; nothing can be added any more. */
static void sort_pairs(struct schedule_pairs *pairs, int (*compare)(const void *, const void *))
{
    if (pairs->most > 0)
        qsort(pairs->pairs, pairs->most, sizeof(*pairs->pairs), compare);
}

static int add_slice(struct schedule_report *report, const struct schedule_slice *slice)
{
    const uint64_t ns = slice->end_ns - slice->start_ns;
    struct schedule_cpu_figures *cpu = &report->cpus[slice->cpu];

    report->threads[slice->thread].ran_ns += ns;
    report->threads[slice->thread].n_slices++;
    if (slice->thread == SCHEDULE_IDLE)
        cpu->idle_ns += ns;
    else {
        cpu->ran_ns += ns;
        report->ran_ns += ns;
    }
    cpu->is_seen = true;
    return add_pair(&report->shares, slice->cpu, slice->thread, ns);
}

/* Keeps the wait if it is one of the longest. */
static void keep_longest(struct schedule_report *report, const struct schedule_wait *wait)
{
    const uint64_t ns = wait->end_ns - wait->start_ns;
    struct schedule_wait *longest = report->longest;
    size_t at = report->n_longest;

    if (at == SCHEDULE_WAITS_MAX && longest[at - 1].end_ns - longest[at - 1].start_ns >= ns)
        return;
    if (at < SCHEDULE_WAITS_MAX)
        report->n_longest++;
    else
        at--;
    for (; at > 0 && longest[at - 1].end_ns - longest[at - 1].start_ns < ns; at--)
        longest[at] = longest[at - 1];
    longest[at] = *wait;
}

static void add_wait(struct schedule_report *report, const struct schedule_wait *wait)
{
    struct schedule_thread_figures *thread = &report->threads[wait->thread];
    const uint64_t ns = wait->end_ns - wait->start_ns;

    thread->n_waits++;
    thread->waited_ns += ns;
    report->waited_ns += ns;
    if (thread->n_waits == 1 || ns > thread->longest_ns) {
        thread->longest_ns = ns;
        thread->longest = *wait;
    }
    keep_longest(report, wait);
}

static int add_switch(struct schedule_report *report, const struct schedule_event *event)
{
    struct schedule_thread_figures *thread = &report->threads[event->a];

    report->n_switches++;
    report->cpus[event->cpu].n_switches++;
    if (!(event->flags & SCHEDULE_A_IS_OURS) || event->a == SCHEDULE_IDLE)
        return 0;
    if (event->state) {
        thread->n_voluntary++;
        return 0;
    }
    thread->n_involuntary++;
    report->n_preemptions++;
    return add_pair(&report->preemptions, event->b, event->a, 0);
}

static int add_step(struct schedule_report *report, const struct schedule_step *step)
{
    const struct schedule_event *event = step->event;
    struct schedule_thread_figures *b = &report->threads[event->b];

    report->cpus[event->cpu].is_seen |= schedule_event_is_on_cpu(event);
    report->n_gaps += step->is_gap;
    if (step->has_wait)
        add_wait(report, &step->wait);
    if (step->has_block) {
        b->n_blocks++;
        b->blocked_ns += step->block.end_ns - step->block.start_ns;
    }
    if (event->kind == SCHEDULE_WAKE || event->kind == SCHEDULE_START) {
        report->n_wakes += event->kind == SCHEDULE_WAKE;
        report->n_starts += event->kind == SCHEDULE_START;
        report->cpus[event->cpu].n_wakes++;
        b->n_wakes++;
    }
    if (event->kind == SCHEDULE_MOVE) {
        report->n_moves++;
        b->n_moves++;
    }
    if (step->has_slice && add_slice(report, &step->slice) < 0)
        return -ENOMEM;
    return event->kind == SCHEDULE_SWITCH ? add_switch(report, event) : 0;
}

int schedule_report_make(const struct schedule_trace *trace, struct schedule_report *ret_report)
{
    AUTO(schedule_replay) struct schedule_replay *replay = schedule_replay_new(trace);
    struct schedule_step step;
    struct schedule_slice last;
    int r = 0;

    *ret_report = (struct schedule_report){0};
    ret_report->threads = calloc(trace->n_threads, sizeof(*ret_report->threads));
    ret_report->cpus = calloc(trace->n_cpus + 1, sizeof(*ret_report->cpus));
    if (!replay || !ret_report->threads || !ret_report->cpus)
        return -ENOMEM;
    while (r == 0 && schedule_replay_next(replay, &step))
        r = add_step(ret_report, &step);
    for (size_t cpu = 0; cpu < trace->n_cpus && r == 0; cpu++)
        if (schedule_replay_last(replay, cpu, &last))
            r = add_slice(ret_report, &last);
    sort_pairs(&ret_report->shares, compare_shares);
    sort_pairs(&ret_report->preemptions, compare_preemptions);
    return r;
}

void schedule_report_done(struct schedule_report *report)
{
    free(report->threads);
    free(report->cpus);
    free(report->shares.pairs);
    free(report->preemptions.pairs);
    *report = (struct schedule_report){0};
}

struct ranked {
    uint64_t ran_ns;
    uint32_t thread;
};

static int compare_ranked(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;

    return a->ran_ns != b->ran_ns ? descending(a->ran_ns, b->ran_ns)
                                  : (a->thread > b->thread) - (a->thread < b->thread);
}

/* Whether anything is told of the thread: others are there as those who woke, or came before. */
static bool has_figures(const struct schedule_thread_figures *figures)
{
    return figures->n_slices || figures->n_voluntary || figures->n_involuntary ||
           figures->n_waits || figures->n_wakes || figures->n_moves;
}

int schedule_report_order(const struct schedule_trace *trace, const struct schedule_report *report,
                          uint32_t **ret_order, size_t *ret_n)
{
    AUTO_FREE struct ranked *ranked = calloc(trace->n_threads, sizeof(*ranked));
    uint32_t *order = calloc(trace->n_threads, sizeof(*order));
    size_t n = 0;

    if (!ranked || !order) {
        free(order);
        return -ENOMEM;
    }
    for (uint32_t i = 1; i < trace->n_threads; i++)
        if (has_figures(&report->threads[i]))
            ranked[n++] = (struct ranked){report->threads[i].ran_ns, i};
    qsort(ranked, n, sizeof(*ranked), compare_ranked);
    for (size_t i = 0; i < n; i++)
        order[i] = ranked[i].thread;
    *ret_order = order;
    *ret_n = n;
    return 0;
}
