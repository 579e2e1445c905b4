/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/stat/run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "config/config_error.h"
#include "count/counter_set.h"
#include "log/standard_streams.h"
#include "resolve/absence_advice.h"
#include "sys/cpu_time.h"
#include "sys/descriptors.h"

/* Descriptors that we need beside those of counters. */
#define OTHER_DESCRIPTORS 32

/* How often a last reading is tried again where the kernel could not give it at the moment. */
#define MOST_LAST_READINGS 20

#define USUAL_REPORT 2048 /* bytes: so many are allocated at once */

void stat_run_write(struct stat_run *run, const struct text *text)
{
    int r = 0;

    if (run->is_output_lost || text->length == 0)
        return;
    if (fwrite(text->data, 1, text->length, run->output) < text->length || fflush(run->output))
        r = errno ? -errno : -EIO;
    run->is_output_lost = r < 0;
    run->output_error = r == -EPIPE ? 0 : r;
}

int stat_run_show(struct stat_run *run)
{
    AUTO_TEXT struct text text = {0};
    int r = 0;

    (void)text_reserve(&text, USUAL_REPORT);
    switch (run->options->format) {
    case FORMAT_TABLE:
        report_append_table(&run->report, run->has_colour, &text);
        break;
    case FORMAT_CSV:
        report_append_csv(&run->report, &text);
        break;
    case FORMAT_JSON:
        r = report_append_json(&run->report, &text);
        break;
    }
    if (r < 0 || text_error(&text) < 0)
        return -ENOMEM;
    stat_run_write(run, &text);
    return 0;
}

static size_t n_figures(const struct stat_run *run)
{
    return run->target.n_rows * run->wanted.events.n;
}

/* Asks the kernel once what it can count: what one run cannot have, no other can. */
static int prepare_first(struct stat_run *run)
{
    int r = run_events_probe(&run->wanted.events, run->resolver, &run->target.parts[0].scope);

    if (r == 0 && run->options->target == TARGET_MACHINE) {
        r = run_uncores_find(&run->wanted.events, run->machine.sysfs_fd, run->machine.pmus,
                             run->options->cpus, &run->uncores);
        if (r == 0)
            r = run_uncores_probe(&run->uncores, &run->wanted.events);
    }
    if (r < 0)
        return r;
    run->figures = calloc(n_figures(run) + 1, sizeof(*run->figures));
    run->cpus = calloc(run->target.n_rows, sizeof(*run->cpus));
    if (!run->figures || !run->cpus)
        return -ENOMEM;
    for (size_t i = 0; i < run->target.n_rows; i++)
        run->cpus[i] = run->target.parts[i].cpu;
    run->report = (struct report){.groups = run->wanted.events.groups,
                                  .ratios = run->wanted.ratios,
                                  .n_ratios = run->wanted.n_ratios,
                                  .figures = run->figures,
                                  .cpus = run->cpus,
                                  .n_parts = run->target.n_rows,
                                  .options = run->options,
                                  .machine_cpus = NAN,
                                  .is_restricted = run->wanted.events.is_restricted};
    return 0;
}

/* Lets the mechanism open all of the target; the limit is raised where it is too low for that. */
static int make_room(struct stat_run *run)
{
    size_t wanted = 0;
    uint64_t limit;
    int r = descriptors_read_limit(&limit);

    for (size_t i = 0; i < run->target.n_parts; i++) {
        const struct run_part *part = &run->target.parts[i];

        wanted +=
            part->groups->n_opened * scope_n_places(&part->scope) * scope_most_parts(&part->scope);
    }
    if (r == 0 && wanted + OTHER_DESCRIPTORS > limit)
        r = descriptors_raise_limit(&limit);
    if (r == 0)
        run->mechanism->descriptors =
            limit > OTHER_DESCRIPTORS ? (size_t)limit - OTHER_DESCRIPTORS : 0;
    return r;
}

/* Refuses to count where rights for every event are missing, and says what can be done. */
static int refuse_all(const struct stat_run *run, struct text *message)
{
    enum absence absence = ABSENCE_NONE;

    for (size_t i = 0; i < run->wanted.events.n; i++) {
        size_t group;
        const enum absence own = report_member(&run->report, i, &group)->absence;

        if (own == ABSENCE_NONE)
            return 0;
        absence = absence_foremost(absence, own);
    }
    if (absence != ABSENCE_NOT_PERMITTED)
        return 0; /* the table says so in each row, as perf's does */
    text_append_format(message, "nothing can be counted: %s", absence_advice(absence));
    if (run->options->target == TARGET_MACHINE || run->options->target == TARGET_CGROUP)
        text_append_string(message, "; without rights, count a command of your own");
    return -EACCES;
}

static void read_machine(struct stat_run *run)
{
    struct cpu_usage_delta delta;
    struct cpu_time time;

    if (run->options->target != TARGET_MACHINE || run->options->cpus ||
        cpu_time_read(run->machine.procfs_fd, &time) < 0)
        return;
    delta = cpu_usage_advance(&run->usage, &time, clock_monotonic_ns());
    run->report.machine_cpus = delta.state == CPU_USAGE_KNOWN ? delta.cpus : NAN;
}

/* Reads every part. Returns whether all counts are known. */
static bool read_parts(struct stat_run *run, uint64_t now_ns)
{
    bool is_known = true;

    for (size_t i = 0; i < run->target.n_parts; i++) {
        struct run_part *part = &run->target.parts[i];

        counter_set_read(part->set, now_ns, part->sample);
        figures_add_sample(run->figures + part->row * run->wanted.events.n, part->groups,
                           part->sample);
        for (size_t group = 0; group < part->sample->n_groups; group++)
            is_known &= !part->sample->groups[group].unknown;
    }
    return is_known;
}

/*
 * The last reading of a run. While a thread ends, the kernel cannot give the sum for a moment; it
 * is asked again then.
 */
static void read_last(struct stat_run *run)
{
    static const struct timespec moment = {.tv_nsec = 1000000};

    for (int i = 0; !read_parts(run, clock_monotonic_ns()) && i < MOST_LAST_READINGS; i++) {
        if (scope_is_of_threads(&run->target.scope))
            (void)nanosleep(&moment, NULL);
        else
            break;
    }
}

static int show_interval(struct stat_run *run, uint64_t started_ns, uint64_t now_ns,
                         uint64_t *before_ns)
{
    int r;

    run->report.since_ns = now_ns - started_ns;
    run->report.span_ns = now_ns - *before_ns;
    *before_ns = now_ns;
    figures_end(run->figures, n_figures(run));
    read_machine(run);
    r = stat_run_show(run);
    if (r == 0 && run->keep)
        r = stat_keep_add(run->keep, &run->report, run->report.span_ns);
    figures_begin_interval(run->figures, n_figures(run));
    return r;
}

/* Counts until the end. */
static int count(struct stat_run *run, uint64_t started_ns)
{
    uint64_t before_ns = started_ns, now_ns;
    int r = 0;

    wait_begin(&run->wait, run->options, started_ns);
    while (r == 0 &&
           wait_for(&run->wait, run->options, &run->target, &run->workload) == WAIT_INTERVAL) {
        now_ns = clock_monotonic_ns();
        (void)read_parts(run, now_ns);
        r = show_interval(run, started_ns, now_ns, &before_ns);
        if (run->is_output_lost && run->workload.pid < 0)
            return r; /* nobody reads, and nobody waits for an end */
    }
    now_ns = clock_monotonic_ns();
    read_last(run);
    mean_add(&run->report.elapsed, (double)(now_ns - started_ns) / (double)NS_PER_SECOND);
    if (r == 0 && run->options->interval_ns)
        return show_interval(run, started_ns, now_ns, &before_ns);
    read_machine(run);
    figures_end(run->figures, n_figures(run));
    run->report.span_ns = (uint64_t)llround(run->report.elapsed.mean * (double)NS_PER_SECOND);
    if (r == 0 && run->keep)
        r = stat_keep_add(run->keep, &run->report, now_ns - started_ns);
    return r;
}

static void take_usage(struct stat_run *run)
{
    const struct rusage *usage = &run->workload.usage;

    run->report.has_usage = run->options->target == TARGET_COMMAND;
    run->report.user_ns = timeval_ns(&usage->ru_utime);
    run->report.system_ns = timeval_ns(&usage->ru_stime);
}

/* Lets the command run and counts. */
static int start_and_count(struct stat_run *run, int *ret_status, struct text *message)
{
    uint64_t started_ns;
    int r = 0;

    read_machine(run);
    started_ns = clock_monotonic_ns();
    if (run->workload.pid > 0)
        r = workload_start(&run->workload);
    if (r < 0) {
        text_append_format(message, "%s: %s", SHOWN(run->options->command[0]),
                           r == -ECANCELED ? "ended before it began" : strerror(-r));
        *ret_status = r == -ENOENT      ? 127
                      : r == -ECANCELED ? workload_exit_status(&run->workload)
                                        : 126;
        return r;
    }
    r = count(run, started_ns);
    if (run->workload.pid > 0) {
        workload_wait(&run->workload);
        *ret_status = run->wait.is_timed_out ? 0 : workload_exit_status(&run->workload);
        take_usage(run);
    }
    return r;
}

/* Opens what is to be counted. */
static int open_target(struct stat_run *run, struct text *message)
{
    int r;

    run->wish = stat_options_wish(run->options, &run->workload.pid);
    r = run_target_find(&run->wish, &run->machine, &run->target, message);

    if (r == 0 && !run->figures)
        r = prepare_first(run);
    if (r == 0)
        r = refuse_all(run, message);
    if (r == 0)
        r = run_target_set_groups(&run->target, run->wanted.events.groups, &run->uncores);
    if (r == 0)
        r = make_room(run);
    if (r == 0)
        r = run_target_open(&run->target, &run->wish, run->machine.procfs_fd, run->mechanism);
    if (r < 0 && message->length == 0)
        text_append_format(message, "the target cannot be counted: %s", strerror(-r));
    return r;
}

int stat_run_once(struct stat_run *run, int *ret_status, struct text *ret_message)
{
    int r = 0;

    run->workload = (struct workload)WORKLOAD_NONE;
    if (run->options->command)
        r = workload_prepare(run->options->command, &run->origin, &run->workload);
    if (r < 0)
        text_append_format(ret_message, "no process can be made: %s", strerror(-r));
    if (r == 0)
        r = open_target(run, ret_message);
    if (r == 0) {
        figures_begin_run(run->figures, n_figures(run));
        r = start_and_count(run, ret_status, ret_message);
    }
    workload_done(&run->workload);
    run_target_done(&run->target);
    return r;
}
