/* SPDX-License-Identifier: Apache-2.0 */

/*
 * All requests are sorted by their line and then by their duration, so that a line is a part of the
 * list, and a percentile is a place in it. Exits likewise.
 */
#include "run/schedule_ended_report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* One of them: which line it belongs to, and for how long it was. */
struct ended {
    uint64_t key[2];
    uint64_t took_ns; /* SCHEDULE_UNKNOWN_NS, which is the last */
    size_t index;
};

static int compare_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_ended(const void *left, const void *right)
{
    const struct ended *a = left, *b = right;

    if (a->key[0] != b->key[0])
        return compare_u64(a->key[0], b->key[0]);
    if (a->key[1] != b->key[1])
        return compare_u64(a->key[1], b->key[1]);
    if (a->took_ns != b->took_ns)
        return compare_u64(a->took_ns, b->took_ns);
    return compare_u64(a->index, b->index);
}

/* How many of those from the first on belong to its line. */
static size_t count_line(const struct ended *first, const struct ended *end)
{
    const struct ended *at = first;

    while (at < end && memcmp(at->key, first->key, sizeof(first->key)) == 0)
        at++;
    return (size_t)(at - first);
}

static uint64_t rank_of(uint64_t n, unsigned percent)
{
    return (n * percent + 99) / 100 - 1;
}

static struct schedule_durations durations_of(const struct ended *line, size_t n)
{
    struct schedule_durations took = {0};

    while (took.n < n && line[took.n].took_ns != SCHEDULE_UNKNOWN_NS)
        took.ns += line[took.n++].took_ns;
    if (took.n == 0)
        return took;
    took.p50_ns = line[rank_of(took.n, 50)].took_ns;
    took.p99_ns = line[rank_of(took.n, 99)].took_ns;
    took.longest = line[took.n - 1].index;
    return took;
}

static void request_key(const struct schedule_request *request, uint64_t ret_key[2])
{
    ret_key[0] = request->device;
    ret_key[1] = request->operation;
}

static void exit_key(const struct schedule_trace *trace, const struct schedule_exit *exit,
                     uint64_t ret_key[2])
{
    ret_key[0] = (uint64_t)trace->threads[exit->thread].leader << 32 | exit->vcpu;
    ret_key[1] = (uint64_t)exit->isa << 32 | exit->code;
}

static void add_request_line(const struct schedule_trace *trace, const struct ended *line, size_t n,
                             struct schedule_ended_report *report)
{
    const struct schedule_request *first = &trace->requests[line->index];
    struct schedule_request_figures *figures = &report->requests[report->n_requests++];

    *figures = (struct schedule_request_figures){.device = first->device,
                                                 .operation = first->operation,
                                                 .n = n,
                                                 .took = durations_of(line, n)};
    for (size_t i = 0; i < n; i++) {
        const struct schedule_request *request = &trace->requests[line[i].index];
        const uint64_t queued_ns = schedule_request_queued(request);

        figures->bytes += request->bytes;
        figures->n_errors += request->error != 0;
        if (queued_ns == SCHEDULE_UNKNOWN_NS)
            continue;
        figures->n_queued++;
        figures->queued_ns += queued_ns;
    }
}

static void add_exit_line(const struct schedule_trace *trace, const struct ended *line, size_t n,
                          struct schedule_ended_report *report)
{
    const struct schedule_exit *first = &trace->exits[line->index];

    report->exits[report->n_exits++] =
        (struct schedule_exit_figures){.process = trace->threads[first->thread].leader,
                                       .vcpu = first->vcpu,
                                       .isa = first->isa,
                                       .code = first->code,
                                       .took = durations_of(line, n)};
}

static int compare_requests(const void *left, const void *right)
{
    const struct schedule_request_figures *a = left, *b = right;
    const int by_time = compare_u64(b->took.ns, a->took.ns);

    return by_time ? by_time : compare_u64(b->n, a->n);
}

static int compare_exits(const void *left, const void *right)
{
    const struct schedule_exit_figures *a = left, *b = right;

    return compare_u64(b->took.ns, a->took.ns);
}

static size_t count_lines(const struct ended *all, size_t n)
{
    size_t lines = 0;

    for (size_t i = 0; i < n; i += count_line(&all[i], &all[n]))
        lines++;
    return lines;
}

static int make_requests(const struct schedule_trace *trace, struct schedule_ended_report *report)
{
    const size_t n = trace->n_requests;
    AUTO_FREE struct ended *all = calloc(n + 1, sizeof(*all));

    if (!all)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++) {
        all[i] = (struct ended){.took_ns = schedule_request_took(&trace->requests[i]), .index = i};
        request_key(&trace->requests[i], all[i].key);
    }
    qsort(all, n, sizeof(*all), compare_ended);
    report->requests = calloc(count_lines(all, n) + 1, sizeof(*report->requests));
    if (!report->requests)
        return -ENOMEM;
    for (size_t i = 0, line; i < n; i += line) {
        line = count_line(&all[i], &all[n]);
        add_request_line(trace, &all[i], line, report);
    }
    qsort(report->requests, report->n_requests, sizeof(*report->requests), compare_requests);
    return 0;
}

static int make_exits(const struct schedule_trace *trace, struct schedule_ended_report *report)
{
    const size_t n = trace->n_exits;
    AUTO_FREE struct ended *all = calloc(n + 1, sizeof(*all));

    if (!all)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++) {
        all[i] = (struct ended){.took_ns = schedule_exit_took(&trace->exits[i]), .index = i};
        exit_key(trace, &trace->exits[i], all[i].key);
    }
    qsort(all, n, sizeof(*all), compare_ended);
    report->exits = calloc(count_lines(all, n) + 1, sizeof(*report->exits));
    if (!report->exits)
        return -ENOMEM;
    for (size_t i = 0, line; i < n; i += line) {
        line = count_line(&all[i], &all[n]);
        add_exit_line(trace, &all[i], line, report);
    }
    qsort(report->exits, report->n_exits, sizeof(*report->exits), compare_exits);
    return 0;
}

int schedule_ended_report_make(const struct schedule_trace *trace,
                               struct schedule_ended_report *ret_report)
{
    int r;

    *ret_report = (struct schedule_ended_report){0};
    r = make_requests(trace, ret_report);
    return r < 0 ? r : make_exits(trace, ret_report);
}

void schedule_ended_report_done(struct schedule_ended_report *report)
{
    free(report->requests);
    free(report->exits);
    *report = (struct schedule_ended_report){0};
}
