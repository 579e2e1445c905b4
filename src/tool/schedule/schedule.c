/* SPDX-License-Identifier: Apache-2.0 */

/*
 * `pmutool schedule`: has the service record what the scheduler does with a target for some
 * seconds, as a run that is kept, and shows what that comes to. Or shows such a run again.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "config/config_error.h"
#include "run/request.h"
#include "tool/command.h"
#include "tool/control_client.h"
#include "tool/json.h"
#include "tool/option_values.h"
#include "tool/runs/followed.h"
#include "tool/safe_text.h"
#include "tool/schedule/show.h"
#include "tool/schedule/timehist.h"
#include "tool/signals.h"

#define USUAL_DURATION_NS (5 * NS_PER_SECOND)
#define USUAL_LINES       20
#define ROWS              100                  /* of what happened over time */
#define AGAIN_NS          (NS_PER_SECOND / 20) /* between two looks whether the run is over */

enum { KEY_RUN = 0x1400, KEY_TITLE, KEY_TIMEHIST };

struct schedule {
    const char *target; /* NULL: a run that is kept is shown */
    const char *title;
    uint64_t lines;
    uint64_t duration_ns;
    const char *output; /* NULL: no trace is written */
    bool has_timehist;
    struct control_client where;
    struct followed_run run; /* of the client */
    struct signals signals;  /* of a run of ours: they end it early */
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct schedule *schedule = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &schedule->where;
        return 0;
    case 'd':
        schedule->duration_ns =
            option_seconds('d', argument, RUN_INTERVAL_LEAST_NS, RUN_DURATION_MOST_NS);
        return 0;
    case 'n':
        schedule->lines = option_number("-n", argument, 1, UINT32_MAX);
        return 0;
    case KEY_RUN:
        schedule->run.id = option_number("--run", argument, 1, UINT32_MAX);
        return 0;
    case KEY_TIMEHIST:
        schedule->has_timehist = true;
        return 0;
    case 'o':
        schedule->output = argument;
        return 0;
    case KEY_TITLE:
        schedule->title = argument;
        return 0;
    case ARGP_KEY_END:
        if (!schedule->target && !schedule->run.id)
            command_refuse_missing(state);
        if (schedule->target && schedule->run.id)
            command_refuse("expected a target or --run, and not both");
        return 0;
    case ARGP_KEY_ARG:
        return command_take_word(key, argument, &schedule->target, "schedule TARGET");
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {.name = "duration",
     .key = 'd',
     .arg = "SECONDS",
     .doc = "For how long, from 0.01 to 3600. Default: 5."},
    {.name = "lines",
     .key = 'n',
     .arg = "NUMBER",
     .doc = "How many lines each table has at most. Default: 20."},
    {.name = "output",
     .key = 'o',
     .arg = "FILE",
     .doc = "Write what was recorded to a file that Perfetto opens."},
    {.name = "run", .key = KEY_RUN, .arg = "ID", .doc = "Show a run that is kept."},
    {.name = "timehist",
     .key = KEY_TIMEHIST,
     .doc = "Print a line for each switch instead of tables."},
    {.name = "title", .key = KEY_TITLE, .arg = "TEXT", .doc = "How the run is called."},
    {0},
};

static const struct argp_child children[] = {{.argp = &control_client_argp}, {0}};

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "TARGET",
    .doc =
        "Have the running service record every switch, wake-up and migration of a target for "
        "some seconds, with its requests to block devices and the exits of its guests, and show "
        "which threads had which CPU, who preempted whom, the longest waits with who ended them, "
        "and how long requests and exits took. TARGET is machine, cgroup:PATH, process:NAME or "
        "pid:NUMBER. "
        "The run is kept as others are (pmutool runs).\v"
        "Exit status 0: done; 1: not, with the reason on stderr; 2: the command line is wrong.",
    .children = children,
};

static int begin(struct schedule *schedule)
{
    const char *title = schedule->title ? schedule->title : "pmutool schedule";
    const uint64_t interval_ns = schedule->duration_ns / ROWS;
    AUTO_JSON json_t *request = json_pack(
        "{s:s, s:o, s:o, s:o, s:o}", "kind", "schedule", "title", json_of_text(title), "target",
        json_of_text(schedule->target), "duration_seconds", json_of_seconds(schedule->duration_ns),
        "interval_seconds",
        json_of_seconds(interval_ns > RUN_INTERVAL_LEAST_NS ? interval_ns : RUN_INTERVAL_LEAST_NS));

    return request ? followed_run_begin(&schedule->run, request) : command_fail(-ENOMEM);
}

/*
 * Waits until the run is over, and gives it. One of ours is ended when somebody has had enough of
 * it; who asks a second time ends us. Returns the exit status.
 */
static int wait_for(struct schedule *schedule, json_t **ret_run)
{
    uint64_t rest_ns = schedule->target ? schedule->duration_ns : 0;
    int status = EXIT_SUCCESS;

    *ret_run = NULL;
    while (status == EXIT_SUCCESS && !*ret_run) {
        if (signals_wait(&schedule->signals, rest_ns, NULL)) {
            signals_release(&schedule->signals);
            status = followed_run_stop(&schedule->run);
        }
        if (status == EXIT_SUCCESS)
            status = followed_run_look(&schedule->run, false, ret_run);
        rest_ns = AGAIN_NS;
    }
    return status;
}

static int refuse_run(const struct schedule *schedule)
{
    (void)fprintf(stderr, PROGRAM ": run %llu has recorded no scheduler\n",
                  (unsigned long long)schedule->run.id);
    return EXIT_REFUSED;
}

static int refuse_file(const char *path)
{
    (void)fprintf(stderr, PROGRAM ": %s: %s\n", SHOWN(path), strerror(errno));
    return EXIT_REFUSED;
}

/* Writes the trace to a file. Returns the exit status. */
static int write_trace(const struct schedule *schedule)
{
    AUTO_JSON json_t *trace = NULL;
    const int status = followed_run_get(&schedule->run, "/trace", &trace);

    if (status != EXIT_SUCCESS)
        return status;
    errno = 0;
    return json_dump_file(trace, schedule->output, JSON_COMPACT | JSON_REAL_PRECISION(15)) < 0
               ? refuse_file(schedule->output)
               : EXIT_SUCCESS;
}

/* Returns the exit status. */
static int show_timehist(const struct schedule *schedule)
{
    AUTO_JSON json_t *csv = NULL;
    const int status = followed_run_get(&schedule->run, ".csv", &csv);
    int r;

    if (status != EXIT_SUCCESS)
        return status;
    r = timehist_show(json_is_string(csv) ? json_string_value(csv) : "");
    if (r == -EINVAL)
        return refuse_run(schedule);
    return r < 0 ? command_fail(r) : EXIT_SUCCESS;
}

/* Prints the run. Returns the exit status. */
static int show_run(const struct schedule *schedule, json_t *run)
{
    int r;

    if (schedule->where.json)
        return json_print(json_incref(run)) < 0 ? command_fail(-ENOMEM) : EXIT_SUCCESS;
    if (schedule->has_timehist)
        return show_timehist(schedule);
    r = schedule_show(run, (size_t)schedule->lines);
    if (r == -EINVAL)
        return refuse_run(schedule);
    if (r == 0 && schedule->target)
        (void)printf("\nkept as run %llu\n", (unsigned long long)schedule->run.id);
    return r < 0 ? command_fail(r) : EXIT_SUCCESS;
}

/* Returns the exit status. */
static int show(struct schedule *schedule)
{
    AUTO_JSON json_t *run = NULL;
    int status = wait_for(schedule, &run);

    if (schedule->target)
        signals_release(&schedule->signals);
    if (status == EXIT_SUCCESS && schedule->output)
        status = write_trace(schedule);
    return status == EXIT_SUCCESS ? show_run(schedule, run) : status;
}

static int begin_and_show(struct schedule *schedule)
{
    int status = EXIT_SUCCESS;

    if (schedule->target && signals_take(&schedule->signals) < 0)
        return command_fail(-errno);
    if (schedule->target)
        status = begin(schedule);
    return status == EXIT_SUCCESS ? show(schedule) : status;
}

int run_schedule(int argc, char **argv)
{
    struct schedule schedule = {.duration_ns = USUAL_DURATION_NS, .lines = USUAL_LINES};
    int status;

    command_parse(&argp, argc, argv, &schedule);
    schedule.run.where = &schedule.where;
    if (pmu_client_open(command_socket(schedule.where.socket), &schedule.run.client) < 0)
        return command_fail(-ENOMEM);
    status = begin_and_show(&schedule);
    (void)pmu_client_close(schedule.run.client);
    return status;
}
