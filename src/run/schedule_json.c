/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>

#include "expose/json_text.h"
#include "run/schedule_ended_json.h"
#include "run/schedule_report.h"
#include "run/schedule_text.h"

/* What the functions here write from. */
struct writing {
    const struct schedule_trace *trace;
    const struct schedule_report *report;
    struct text *text;
};

static void append_number(const struct writing *w, const char *name, uint64_t value)
{
    text_append_format(w->text, ",\"%s\":%" PRIu64, name, value);
}

static void append_time(const struct writing *w, const char *name, uint64_t ns)
{
    text_append_format(w->text, ",\"%s\":", name);
    json_append_seconds(w->text, ns);
}

/* The members of an object that say which thread it is. */
static void append_identity(const struct writing *w, uint32_t index)
{
    const struct schedule_thread *thread = &w->trace->threads[index];

    text_append_format(w->text, "\"tid\":%" PRIu32 ",\"pid\":%" PRIu32 ",\"name\":", thread->tid,
                       thread->pid);
    json_append_string(w->text, thread->name);
}

static void append_thread(const struct writing *w, const char *name, uint32_t index)
{
    text_append_format(w->text, "\"%s\":", name);
    if (index == SCHEDULE_NOBODY) {
        text_append_string(w->text, "null");
        return;
    }
    text_append_char(w->text, '{');
    append_identity(w, index);
    text_append_char(w->text, '}');
}

static void append_wait(const struct writing *w, const struct schedule_wait *wait)
{
    text_append_char(w->text, '{');
    append_thread(w, "thread", wait->thread);
    append_time(w, "start", wait->start_ns);
    append_time(w, "seconds", wait->end_ns - wait->start_ns);
    text_append_char(w->text, ',');
    append_thread(w, "waker", wait->waker);
    text_append_char(w->text, '}');
}

static void append_figures(const struct writing *w, uint32_t index)
{
    const struct schedule_thread_figures *figures = &w->report->threads[index];

    text_append_char(w->text, '{');
    append_identity(w, index);
    text_append_string(w->text, ",\"process\":");
    json_append_string(w->text, w->trace->threads[w->trace->threads[index].leader].name);
    append_time(w, "ran_seconds", figures->ran_ns);
    append_number(w, "slices", figures->n_slices);
    append_number(w, "voluntary", figures->n_voluntary);
    append_number(w, "involuntary", figures->n_involuntary);
    append_number(w, "waits", figures->n_waits);
    append_time(w, "waited_seconds", figures->waited_ns);
    text_append_string(w->text, ",\"longest_wait\":");
    if (figures->n_waits > 0)
        append_wait(w, &figures->longest);
    else
        text_append_string(w->text, "null");
    append_number(w, "blocks", figures->n_blocks);
    append_time(w, "blocked_seconds", figures->blocked_ns);
    append_number(w, "wake_ups", figures->n_wakes);
    append_number(w, "migrations", figures->n_moves);
    text_append_char(w->text, '}');
}

static int append_threads(const struct writing *w)
{
    AUTO_FREE uint32_t *order = NULL;
    size_t n;
    const int r = schedule_report_order(w->trace, w->report, &order, &n);

    if (r < 0)
        return r;
    append_number(w, "n_threads", n);
    text_append_string(w->text, ",\"threads\":[");
    for (size_t i = 0; i < n && i < SCHEDULE_LISTED_THREADS; i++) {
        text_append_string(w->text, i > 0 ? ",\n" : "");
        append_figures(w, order[i]);
    }
    text_append_char(w->text, ']');
    return 0;
}

/* Appends the shares of a CPU, from the first of them on. Returns where those of the next begin. */
static size_t append_shares(const struct writing *w, size_t cpu, size_t first)
{
    const struct schedule_pairs *shares = &w->report->shares;
    size_t i = first;

    for (; i < shares->n && shares->pairs[i].a == cpu; i++) {
        if (i - first >= SCHEDULE_LISTED_SHARES)
            continue;
        text_append_string(w->text, i > first ? ",{" : "{");
        append_thread(w, "thread", shares->pairs[i].b);
        append_time(w, "seconds", shares->pairs[i].ns);
        append_number(w, "slices", shares->pairs[i].n);
        text_append_char(w->text, '}');
    }
    return i;
}

static void append_cpus(const struct writing *w)
{
    size_t share = 0;
    const char *between = "";

    text_append_string(w->text, ",\"cpus\":[");
    for (size_t cpu = 0; cpu < w->trace->n_cpus; cpu++) {
        const struct schedule_cpu_figures *figures = &w->report->cpus[cpu];

        if (!figures->is_seen)
            continue;
        text_append_format(w->text, "%s{\"cpu\":%zu", between, cpu);
        append_time(w, "ran_seconds", figures->ran_ns);
        if (w->trace->is_machine)
            append_time(w, "idle_seconds", figures->idle_ns);
        else
            text_append_string(w->text, ",\"idle_seconds\":null");
        append_number(w, "switches", figures->n_switches);
        append_number(w, "wake_ups", figures->n_wakes);
        text_append_string(w->text, ",\"threads\":[");
        share = append_shares(w, cpu, share);
        text_append_string(w->text, "]}");
        between = ",\n";
    }
    text_append_char(w->text, ']');
}

static void append_preempted(const struct writing *w)
{
    const struct schedule_pairs *pairs = &w->report->preemptions;

    text_append_string(w->text, ",\"preempted\":[");
    for (size_t i = 0; i < pairs->n && i < SCHEDULE_LISTED_PAIRS; i++) {
        text_append_string(w->text, i > 0 ? ",\n{" : "{");
        append_thread(w, "by", pairs->pairs[i].a);
        text_append_char(w->text, ',');
        append_thread(w, "thread", pairs->pairs[i].b);
        append_number(w, "count", pairs->pairs[i].n);
        text_append_char(w->text, '}');
    }
    text_append_char(w->text, ']');
}

static void append_sums(const struct writing *w)
{
    text_append_string(w->text, "{\"clock\":\"CLOCK_MONOTONIC\"");
    append_time(w, "seconds", w->trace->duration_ns);
    append_number(w, "lost", w->trace->n_lost);
    text_append_format(w->text, ",\"full\":%s", w->trace->is_full ? "true" : "false");
    append_number(w, "gaps", w->report->n_gaps);
    append_number(w, "events", w->trace->n_events);
    append_number(w, "switches", w->report->n_switches);
    append_number(w, "preemptions", w->report->n_preemptions);
    append_number(w, "wake_ups", w->report->n_wakes);
    append_number(w, "starts", w->report->n_starts);
    append_number(w, "migrations", w->report->n_moves);
    append_time(w, "ran_seconds", w->report->ran_ns);
    append_time(w, "waited_seconds", w->report->waited_ns);
}

static int append_report(const struct writing *w)
{
    int r;

    append_sums(w);
    r = append_threads(w);
    if (r < 0)
        return r;
    append_cpus(w);
    append_preempted(w);
    text_append_string(w->text, ",\"longest_waits\":[");
    for (size_t i = 0; i < w->report->n_longest; i++) {
        text_append_string(w->text, i > 0 ? ",\n" : "");
        append_wait(w, &w->report->longest[i]);
    }
    text_append_char(w->text, ']');
    r = schedule_ended_append_report(w->trace, w->text);
    text_append_char(w->text, '}');
    return r < 0 ? r : text_error(w->text);
}

int schedule_text_append_report(const struct schedule_trace *trace, struct text *text)
{
    struct schedule_report report;
    const struct writing writing = {.trace = trace, .report = &report, .text = text};
    int r = schedule_report_make(trace, &report);

    if (r == 0)
        r = append_report(&writing);
    schedule_report_done(&report);
    return r;
}
