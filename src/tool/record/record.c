/* SPDX-License-Identifier: Apache-2.0 */

/*
 * `pmutool record`: has the service sample, for a while, who makes an event happen, as a run that
 * is kept, and shows which functions that are.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "config/config_error.h"
#include "run/request.h"
#include "tool/command.h"
#include "tool/control_client.h"
#include "tool/json.h"
#include "tool/profile/output.h"
#include "tool/profile/present.h"
#include "tool/record/options.h"
#include "tool/runs/followed.h"
#include "tool/signals.h"
#include "tool/workload.h"

#define CYCLES              "cycles"
#define ROWS                100           /* of what was counted, over the time that is known */
#define COMMAND_INTERVAL_NS NS_PER_SECOND /* where it is not */

/* Bytes of a title that nobody gave; what was cut in the midst of a character is longer. */
#define TITLE_MOST (RUN_TITLE_MAX - 8)

/* Between two looks whether the run is over, which cost the service something; and where it is
 * about to be. */
#define LOOK_NS NS_PER_SECOND
#define SOON_NS (NS_PER_SECOND / 10)

/* A command goes on until it is known that its run is over, but for no longer than this. */
#define LATE_NS NS_PER_SECOND

struct record {
    struct record_options options;
    struct followed_run run; /* of the client */
    struct signals signals;
    struct workload workload; /* the command; none */
    uint64_t deadline_ns;     /* CLOCK_MONOTONIC: its time is over then */
    int end_signal;           /* the last that wanted an end; 0: none has come */
    bool is_ending;           /* the run was told to end */
    bool is_terminated;       /* the command was told that its time is over */
    bool has_told;            /* that names are waited for */
};

/* Whether there are cycles to be counted here, as a virtual machine has none. */
static bool has_cycles(const struct record *record)
{
    AUTO_JSON json_t *answer = NULL;
    const json_t *event;
    size_t i;

    if (pmu_client_get(record->run.client, "/api/v1/events?search=" CYCLES, &answer) < 0)
        return false;
    json_array_foreach(json_object_get(answer, "events"), i, event)
    {
        const char *name = json_string_value(json_object_get(event, "name"));

        if (name && strcmp(name, CYCLES) == 0)
            return json_is_true(json_object_get(event, "available"));
    }
    return false;
}

static const char *event_of(const struct record *record)
{
    if (record->options.events.n > 0)
        return record->options.events.groups[0].names[0].name;
    return has_cycles(record) ? CYCLES : "cpu-clock";
}

static uint64_t interval_of(const struct record_options *options)
{
    const uint64_t ns = options->duration_ns / ROWS;

    if (!options->has_duration && options->command)
        return COMMAND_INTERVAL_NS;
    return ns > RUN_INTERVAL_LEAST_NS ? ns : RUN_INTERVAL_LEAST_NS;
}

/* What the run is called: as was said, or by its event and command, so that runs can be told apart.
 * NULL: no memory. */
static json_t *title_of(const struct record_options *options, const char *event)
{
    AUTO_TEXT struct text title = {0};

    if (options->title)
        return json_of_text(options->title);
    text_append_string(&title, event);
    for (size_t i = 0; options->command && options->command[i]; i++) {
        text_append_string(&title, i == 0 ? ": " : " ");
        text_append_string(&title, options->command[i]);
    }
    text_append_char(&title, '\0');
    if (text_error(&title) < 0)
        return NULL;
    if (title.length > TITLE_MOST)
        title.data[TITLE_MOST] = '\0';
    return json_of_text(title.data);
}

/* Has the service begin. Returns the exit status. */
static int begin(struct record *record)
{
    const struct record_options *options = &record->options;
    const char *event = event_of(record);
    AUTO_JSON json_t *request =
        json_pack("{s:s, s:o, s:o, s:[o], s:I, s:o, s:o}", "kind", "record", "title",
                  title_of(options, event), "target", json_of_text(options->target.data), "events",
                  json_of_text(event), "rate", (json_int_t)options->rate_hz, "duration_seconds",
                  json_of_seconds(options->duration_ns), "interval_seconds",
                  json_of_seconds(interval_of(options)));

    record->deadline_ns = clock_monotonic_ns() + options->duration_ns;
    return request ? followed_run_begin(&record->run, request) : command_fail(-ENOMEM);
}

/* Makes the command's process, which waits, and is the target. Returns the exit status. */
static int prepare_command(struct record *record)
{
    struct workload_origin origin = {.mask = record->signals.before};
    int r = getrlimit(RLIMIT_NOFILE, &origin.files) < 0 ? -errno : 0;

    if (r == 0)
        r = workload_prepare(record->options.command, &origin, &record->workload);
    if (r < 0)
        return command_fail(r);
    text_append_format(&record->options.target, "pid:%d", (int)record->workload.pid);
    text_append_char(&record->options.target, '\0');
    return text_error(&record->options.target) < 0 ? command_fail(-ENOMEM) : EXIT_SUCCESS;
}

/* Lets the command run. Returns the exit status. */
static int start_command(struct record *record)
{
    const int r = workload_start(&record->workload);

    if (r == 0)
        return EXIT_SUCCESS;
    (void)followed_run_delete(&record->run);
    if (r != -ECANCELED)
        (void)fprintf(stderr, PROGRAM ": %s: %s\n", SHOWN(record->options.command[0]),
                      strerror(-r));
    return workload_exit_status(&record->workload);
}

/* How long to wait before the next look. */
static uint64_t wait_ns(const struct record *record)
{
    const uint64_t now_ns = clock_monotonic_ns();

    if (now_ns + SOON_NS >= record->deadline_ns)
        return SOON_NS;
    return now_ns + LOOK_NS < record->deadline_ns ? LOOK_NS : record->deadline_ns - now_ns;
}

static bool has_command(const struct record *record)
{
    return record->workload.pid > 0 && !record->workload.has_ended;
}

/*
 * Waits for a moment. A signal that was sent to us alone is passed on to the command; one of the
 * terminal has reached it already, and who asks a second time wants an end now: of the command, or
 * without one of us.
 */
static void take_signal(struct record *record)
{
    bool is_of_terminal;
    const int number = signals_wait(&record->signals, wait_ns(record), &is_of_terminal);

    workload_look(&record->workload);
    if (number == 0)
        return;
    if (record->end_signal)
        workload_signal(&record->workload, SIGKILL);
    else if (number != SIGINT || !is_of_terminal)
        workload_signal(&record->workload, number);
    record->end_signal = number;
    if (!has_command(record))
        signals_release(&record->signals);
}

/* Tells the command once that its time is over, where it was given one. */
static void end_command_in_time(struct record *record, bool is_over)
{
    const uint64_t at_ns = record->deadline_ns + (is_over ? 0 : LATE_NS);

    if (!record->options.has_duration || record->is_terminated || clock_monotonic_ns() < at_ns)
        return;
    workload_signal(&record->workload, SIGTERM);
    record->is_terminated = true;
}

/* Looks whether the run is over, and ends it where it is time to. Returns the exit status. */
static int look(struct record *record, json_t **ret_run)
{
    if (!record->is_ending &&
        (record->workload.has_ended || (record->end_signal && !has_command(record)))) {
        const int status = followed_run_stop(&record->run);

        if (status != EXIT_SUCCESS)
            return status;
        record->is_ending = true;
        record->deadline_ns = clock_monotonic_ns();
    }
    return followed_run_look(&record->run, has_command(record), ret_run);
}

/* Says once what is waited for when it takes long. */
static void tell_delay(struct record *record)
{
    if (record->has_told || has_command(record) ||
        clock_monotonic_ns() < record->deadline_ns + 2 * LATE_NS)
        return;
    (void)fprintf(stderr, PROGRAM ": waits until the functions have their names\n");
    record->has_told = true;
}

/*
 * Waits until the run is over and the command has ended: the run ends with the command, or by
 * itself, or when somebody has had enough of it. A command goes on if somebody else ends or deletes
 * the run. Returns the exit status.
 */
static int follow(struct record *record, json_t **ret_run)
{
    int status = EXIT_SUCCESS;

    *ret_run = NULL;
    while ((status == EXIT_SUCCESS && !*ret_run) || has_command(record)) {
        take_signal(record);
        end_command_in_time(record, *ret_run);
        if (status == EXIT_SUCCESS && !*ret_run) {
            status = look(record, ret_run);
            tell_delay(record);
        }
    }
    return status;
}

/*
 * Tells what has been recorded; on stderr, as the command has the standard output. Returns whether
 * there is anything to be shown.
 */
static bool tell(const struct record *record, const json_t *run)
{
    const json_t *sampled = json_object_get(run, "sampled");
    const double samples = json_number_value(json_object_get(sampled, "samples"));
    const double lost = json_number_value(json_object_get(sampled, "lost"));
    const char *event = json_string_value(json_array_get(json_object_get(run, "asked"), 0));

    (void)fprintf(stderr, "%.0f samples", samples);
    if (lost > 0)
        (void)fprintf(stderr, ", %.0f more are lost", lost);
    else if (samples == 0)
        (void)fprintf(stderr, ": %s happened too seldom there, or not at all",
                      event ? SHOWN(event) : "the event");
    (void)fprintf(stderr, "; kept as run %llu\n", (unsigned long long)record->run.id);
    return samples > 0;
}

/* A command that made no such event has still been recorded; a file that was wanted is missing. */
static int status_of_nothing(const struct record *record)
{
    const struct record_options *options = &record->options;

    return options->command && !options->shown.output ? EXIT_SUCCESS : EXIT_REFUSED;
}

/* Shows or writes what the run has recorded. Returns the exit status. */
static int present(struct record *record)
{
    char target[64];

    (void)snprintf(target, sizeof(target), "run:%llu", (unsigned long long)record->run.id);
    record->options.shown.target = target;
    return profile_present(&record->options.shown, record->run.client);
}

/* Records, from the beginning of the run to its end. Returns the exit status. */
static int record_run(struct record *record, json_t **ret_run)
{
    int status = EXIT_SUCCESS;

    if (record->options.command)
        status = prepare_command(record);
    if (status == EXIT_SUCCESS)
        status = begin(record);
    if (status == EXIT_SUCCESS && record->options.command)
        status = start_command(record);
    return status == EXIT_SUCCESS ? follow(record, ret_run) : status;
}

/* Returns the exit status. */
static int record_and_show(struct record *record)
{
    AUTO_JSON json_t *run = NULL;
    int status = profile_output_try(record->options.shown.output), r;

    if (status != EXIT_SUCCESS)
        return status;
    r = signals_take(&record->signals);
    if (r < 0)
        return command_fail(r);
    status = record_run(record, &run);
    signals_release(&record->signals);
    if (status == EXIT_SUCCESS)
        status = tell(record, run) ? present(record) : status_of_nothing(record);
    if (status == EXIT_SUCCESS && record->options.command)
        status = workload_exit_status(&record->workload);
    workload_done(&record->workload);
    return status;
}

int run_record(int argc, char **argv)
{
    struct record record = {.workload = WORKLOAD_NONE};
    int status;

    record_options_parse(argc, argv, &record.options);
    record.run.where = &record.options.shown.where;
    if (pmu_client_open(command_socket(record.run.where->socket), &record.run.client) < 0)
        status = command_fail(-ENOMEM);
    else
        status = record_and_show(&record);
    (void)pmu_client_close(record.run.client);
    record_options_done(&record.options);
    return status;
}
