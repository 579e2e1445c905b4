/* SPDX-License-Identifier: Apache-2.0 */

/*
 * `pmutool schedule`: has the service record what the scheduler does with a target for some
 * seconds, as a run that is kept, and shows what that comes to. Or shows such a run again.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/parse.h"
#include "client/client.h"
#include "config/config_error.h"
#include "run/request.h"
#include "tool/command.h"
#include "tool/control_client.h"
#include "tool/json.h"
#include "tool/option_values.h"
#include "tool/safe_text.h"
#include "tool/schedule/show.h"
#include "tool/schedule/timehist.h"

#define USUAL_DURATION_NS (5 * NS_PER_SECOND)
#define USUAL_LINES       20
#define ROWS              100                  /* of what happened over time */
#define AGAIN_NS          (NS_PER_SECOND / 20) /* between two looks whether the run is over */

enum { KEY_RUN = 0x1400, KEY_TITLE, KEY_TIMEHIST };

struct schedule {
    const char *target; /* NULL: a run that is kept is shown */
    const char *title;
    uint64_t run, lines;
    uint64_t duration_ns;
    const char *output; /* NULL: no trace is written */
    bool has_timehist;
    struct control_client where;
    struct pmu_client *client;
};

/* Whether somebody has had enough: the run is stopped then, and shown. */
static volatile sig_atomic_t is_interrupted;

static uint64_t take_number(const char *option, const char *argument)
{
    uint64_t number;

    if (parse_u64(argument, &number) < 0 || number == 0)
        command_refuse("%s %s: expected a number from 1 on", option, SHOWN(argument));
    return number;
}

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
        schedule->lines = take_number("-n", argument);
        return 0;
    case KEY_RUN:
        schedule->run = take_number("--run", argument);
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
        if (!schedule->target && !schedule->run)
            command_refuse_missing(state);
        if (schedule->target && schedule->run)
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
        "Exit status 0: done; 1: not, with the reason on stderr.",
    .children = children,
};

/* Asks by GET, or by POST with a body or without one. Returns the exit status. */
static int ask(const struct schedule *schedule, bool posts, const char *path, const json_t *body,
               json_t **ret_answer)
{
    const int r = posts ? pmu_client_post(schedule->client, path, body, ret_answer)
                        : pmu_client_get(schedule->client, path, ret_answer);

    return r < 0 ? control_client_complain(schedule->where.socket, schedule->client) : EXIT_SUCCESS;
}

static int begin(struct schedule *schedule)
{
    const char *title = schedule->title ? schedule->title : "pmutool schedule";
    const uint64_t interval_ns = schedule->duration_ns / ROWS;
    AUTO_JSON json_t *request = json_pack(
        "{s:s, s:o, s:o, s:o, s:o}", "kind", "schedule", "title", json_of_text(title), "target",
        json_of_text(schedule->target), "duration_seconds", json_of_seconds(schedule->duration_ns),
        "interval_seconds",
        json_of_seconds(interval_ns > RUN_INTERVAL_LEAST_NS ? interval_ns : RUN_INTERVAL_LEAST_NS));
    AUTO_JSON json_t *answer = NULL;
    int status;

    if (!request)
        return command_fail(-ENOMEM);
    status = ask(schedule, true, "/api/v1/runs", request, &answer);
    if (status == EXIT_SUCCESS)
        schedule->run = (uint64_t)json_number_value(json_object_get(answer, "id"));
    return status;
}

static void interrupt(int number)
{
    (void)number;
    is_interrupted = 1;
}

/* Waits, but no longer than until somebody interrupts. */
static void pause_for(uint64_t ns)
{
    const struct timespec rest = {.tv_sec = (time_t)(ns / NS_PER_SECOND),
                                  .tv_nsec = (long)(ns % NS_PER_SECOND)};

    if (!is_interrupted)
        (void)nanosleep(&rest, NULL);
}

/* Ends the run, which somebody has had enough of. */
static int stop(const struct schedule *schedule, const char *path)
{
    AUTO_FREE char *address = NULL;
    AUTO_JSON json_t *answer = NULL;

    if (asprintf(&address, "%s/stop", path) < 0)
        return command_fail(-ENOMEM);
    return ask(schedule, true, address, NULL, &answer);
}

/* Waits until the run is over, and gives it. Returns the exit status. */
static int wait_for(const struct schedule *schedule, const char *path, json_t **ret_run)
{
    const struct sigaction action = {.sa_handler = interrupt};
    const char *state;
    int status = EXIT_SUCCESS;

    (void)sigaction(SIGINT, &action, NULL);
    if (schedule->target)
        pause_for(schedule->duration_ns);
    if (schedule->target && is_interrupted)
        status = stop(schedule, path);
    while (status == EXIT_SUCCESS) {
        status = ask(schedule, false, path, NULL, ret_run);
        state = json_string_value(json_object_get(*ret_run, "state"));
        if (status != EXIT_SUCCESS || !state || strcmp(state, "running") != 0)
            break;
        json_decref(TAKE(*ret_run));
        pause_for(AGAIN_NS);
    }
    return status;
}

static int refuse_run(const struct schedule *schedule)
{
    (void)fprintf(stderr, PROGRAM ": run %llu has recorded no scheduler\n",
                  (unsigned long long)schedule->run);
    return EXIT_REFUSED;
}

static int refuse_file(const char *path)
{
    (void)fprintf(stderr, PROGRAM ": %s: %s\n", SHOWN(path), strerror(errno));
    return EXIT_REFUSED;
}

/* Writes the trace to a file. Returns the exit status. */
static int write_trace(const struct schedule *schedule, const char *path)
{
    AUTO_JSON json_t *trace = NULL;
    char address[96];
    int status;

    (void)snprintf(address, sizeof(address), "%s/trace", path);
    status = ask(schedule, false, address, NULL, &trace);
    if (status != EXIT_SUCCESS)
        return status;
    errno = 0;
    return json_dump_file(trace, schedule->output, JSON_COMPACT | JSON_REAL_PRECISION(15)) < 0
               ? refuse_file(schedule->output)
               : EXIT_SUCCESS;
}

/* Returns the exit status. */
static int show_timehist(const struct schedule *schedule, const char *path)
{
    AUTO_JSON json_t *csv = NULL;
    char address[96];
    int status, r;

    (void)snprintf(address, sizeof(address), "%s.csv", path);
    status = ask(schedule, false, address, NULL, &csv);
    if (status != EXIT_SUCCESS)
        return status;
    r = timehist_show(json_is_string(csv) ? json_string_value(csv) : "");
    if (r == -EINVAL)
        return refuse_run(schedule);
    return r < 0 ? command_fail(r) : EXIT_SUCCESS;
}

/* Prints the run. Returns the exit status. */
static int show_run(const struct schedule *schedule, const char *path, json_t *run)
{
    int r;

    if (schedule->where.json)
        return json_print(json_incref(run)) < 0 ? command_fail(-ENOMEM) : EXIT_SUCCESS;
    if (schedule->has_timehist)
        return show_timehist(schedule, path);
    r = schedule_show(run, (size_t)schedule->lines);
    if (r == -EINVAL)
        return refuse_run(schedule);
    if (r == 0 && schedule->target)
        (void)printf("\nkept as run %llu\n", (unsigned long long)schedule->run);
    return r < 0 ? command_fail(r) : EXIT_SUCCESS;
}

/* Returns the exit status. */
static int show(const struct schedule *schedule)
{
    AUTO_JSON json_t *run = NULL;
    char path[64];
    int status;

    (void)snprintf(path, sizeof(path), "/api/v1/runs/%llu", (unsigned long long)schedule->run);
    status = wait_for(schedule, path, &run);
    if (status == EXIT_SUCCESS && schedule->output)
        status = write_trace(schedule, path);
    return status == EXIT_SUCCESS ? show_run(schedule, path, run) : status;
}

int run_schedule(int argc, char **argv)
{
    struct schedule schedule = {.duration_ns = USUAL_DURATION_NS, .lines = USUAL_LINES};
    int status = EXIT_SUCCESS;

    command_parse(&argp, argc, argv, &schedule);
    if (pmu_client_open(command_socket(schedule.where.socket), &schedule.client) < 0)
        return command_fail(-ENOMEM);
    if (schedule.target)
        status = begin(&schedule);
    if (status == EXIT_SUCCESS)
        status = show(&schedule);
    (void)pmu_client_close(schedule.client);
    return status;
}
