/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/record/options.h"

#include <limits.h>

#include "base/clock.h"
#include "base/parse.h"
#include "config/config_error.h"
#include "run/request.h"
#include "tool/command.h"
#include "tool/option_values.h"
#include "tool/profile/form_options.h"

#define USUAL_DURATION_NS (10 * NS_PER_SECOND)

/* What is left out of trees: pmutool profile shows a run with other bounds. */
#define USUAL_LEAST 1.0

enum { KEY_PROCESS = 0x1500, KEY_TITLE };

struct reading {
    struct record_options options;
    struct profile_form form;
};

static const struct argp_option entries[] = {
    {.name = "event",
     .key = 'e',
     .arg = "EVENT",
     .doc =
         "The event that is sampled. Default: cycles where they can be counted, else cpu-clock."},
    {.name = "freq",
     .key = 'F',
     .arg = "HZ",
     .doc = "How often in a second of each CPU, from 1 to 999. Default: 99."},
    {.name = "all-cpus",
     .key = 'a',
     .doc = "The whole machine. So it is, too, where there is no command and no other target."},
    {.name = "cgroup", .key = 'G', .arg = "CGROUP", .doc = "A cgroup with those below it."},
    {.key = 'g', .doc = "As in perf record, and needless: stacks are always recorded."},
    {.name = "pid",
     .key = 'p',
     .arg = "PID",
     .doc = "One process with all its threads, and what these start from now on."},
    {.name = "process",
     .key = KEY_PROCESS,
     .arg = "NAME",
     .doc = "The processes of a group of the configuration."},
    {.name = "duration",
     .key = 'd',
     .arg = "SECONDS",
     .doc = "For how long, from 0.01 to 3600. A command that still runs gets SIGTERM. Default: 10; "
            "with a command until it ends, but no longer than 3600."},
    {.name = "title", .key = KEY_TITLE, .arg = "TEXT", .doc = "How the run is called."},
    {0},
};

static void take_event(struct record_options *options, const char *argument)
{
    option_events(argument, &options->events);
    if (options->events.n != 1 || options->events.groups[0].is_group)
        command_refuse("-e %s: expected one event, which is sampled", SHOWN(argument));
}

/* argument: what stands behind the prefix. */
static void take_target(struct record_options *options, const char *prefix, const char *argument)
{
    if (options->target.length > 0)
        command_refuse("one target is recorded; expected one of -a, -G, -p and --process, once");
    text_append_string(&options->target, prefix);
    text_append_string(&options->target, argument);
    text_append_char(&options->target, '\0');
}

static void take_process(struct record_options *options, const char *argument)
{
    uint64_t pid;

    if (parse_u64(argument, &pid) < 0 || pid == 0 || pid > INT_MAX)
        command_refuse("-p %s: expected the number of one process; --process records those of a "
                       "group, and -G those of a cgroup",
                       SHOWN(argument));
    take_target(options, "pid:", argument);
}

static void finish(struct reading *reading)
{
    struct record_options *options = &reading->options;

    if (options->command && options->target.length > 0)
        command_refuse("expected a target or a command, and not both");
    if (!options->command && options->target.length == 0)
        take_target(options, "machine", "");
    if (text_error(&options->target) < 0)
        command_refuse("%s", "out of memory");
    if (!options->has_duration)
        options->duration_ns = options->command ? RUN_DURATION_MOST_NS : USUAL_DURATION_NS;
    profile_form_check(&reading->form, PROFILE_FORMAT_PPROF);
}

/* Options that say what is recorded. False: it is none of them. */
static bool take_target_option(struct record_options *options, int key, const char *argument)
{
    switch (key) {
    case 'a':
        take_target(options, "machine", "");
        return true;
    case 'G':
        take_target(options, *argument == '/' ? "cgroup:" : "cgroup:/", argument);
        return true;
    case 'p':
        take_process(options, argument);
        return true;
    case KEY_PROCESS:
        take_target(options, "process:", argument);
        return true;
    default:
        return false;
    }
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct reading *reading = state->input;
    struct record_options *options = &reading->options;

    if (take_target_option(options, key, argument))
        return 0;
    switch (key) {
    case ARGP_KEY_INIT:
        reading->form.options = &options->shown;
        state->child_inputs[0] = &reading->form;
        return 0;
    case 'e':
        take_event(options, argument);
        return 0;
    case 'g':
        return 0;
    case 'F':
        options->rate_hz = option_number("-F", argument, 1, RUN_RATE_MOST_HZ);
        return 0;
    case 'd':
        options->duration_ns =
            option_seconds('d', argument, RUN_INTERVAL_LEAST_NS, RUN_DURATION_MOST_NS);
        options->has_duration = true;
        return 0;
    case KEY_TITLE:
        options->title = argument;
        return 0;
    case ARGP_KEY_ARG: /* the command and all that stands behind it */
        options->command = &state->argv[state->next - 1];
        state->next = state->argc;
        return 0;
    case ARGP_KEY_END:
        finish(reading);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{.argp = &profile_form_argp}, {0}};

static const struct argp argp = {
    .options = entries,
    .parser = parse,
    .args_doc = "[-- COMMAND [ARGUMENT...]]",
    .doc =
        "Have the running service sample who makes an event happen, in a command, the machine, a "
        "cgroup or processes, and show which functions that are. It is kept as a run: pmutool "
        "profile run:NUMBER shows it again, and compares it with another.\v"
        "Exit status: that of the command, or 128 and the number of the signal that ended it; "
        "127: there is no such command; 126: it cannot be executed. Without a command, 0: done. "
        "1: nothing could be recorded, with the reason on stderr; 2: the command line is wrong.",
    .children = children,
};

void record_options_parse(int argc, char **argv, struct record_options *ret_options)
{
    struct reading reading = {
        .options = {.rate_hz = RUN_RATE_USUAL_HZ, .shown = {.least = USUAL_LEAST}}};

    command_parse(&argp, argc, argv, &reading);
    *ret_options = reading.options;
}

void record_options_done(struct record_options *options)
{
    event_names_done(&options->events);
    text_done(&options->target);
}
