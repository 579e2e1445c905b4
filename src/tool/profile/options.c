/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What is compared refers to the range that is shown, so its words are kept while options are read,
 * and become times when all have been.
 */
#include "tool/profile/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "config/config_error.h"
#include "tool/command.h"
#include "tool/profile/form_options.h"
#include "tool/profile/span_options.h"
#include "tool/profile/target.h"

#define USUAL_LEAST 1.0
#define MARK        "mark:"

enum { KEY_DIFF = 0x1300, KEY_DIFF_TARGET, KEY_MEASURE, KEY_MIN };

struct reading {
    struct profile_options options;
    struct profile_span_words span;
    const char *diff;
    struct profile_form form;
    bool has_measure, has_least;
};

static const struct argp_option entries[] = {
    {.name = "diff",
     .key = KEY_DIFF,
     .arg = "WHEN",
     .doc = "Compare with a range before: previous, hour, day, week, a duration ago, "
            "mark:TEXT (what led up to a mark), or START..END; or a run, with another one: "
            "run:NUMBER."},
    {.name = "diff-target",
     .key = KEY_DIFF_TARGET,
     .arg = "TARGET",
     .doc = "Compare with another target, at the same time if no other is given."},
    {.name = "measure",
     .key = KEY_MEASURE,
     .arg = "MEASURE",
     .doc = "Compare shares of all samples, or CPU time. Default: shares."},
    {.name = "min",
     .key = KEY_MIN,
     .arg = "PERCENT",
     .doc = "The least share that a line of a tree has. Default: 1."},
    {0},
};

static const char *take_measure(const char *argument)
{
    if (strcmp(argument, "shares") != 0 && strcmp(argument, "time") != 0)
        command_refuse("--measure is %s; expected shares or time", SHOWN(argument));
    return argument;
}

static double take_least(const char *argument)
{
    char *end = NULL;
    const double least = strtod(argument, &end);

    if (end == argument || *end || !(least >= 0 && least <= 100))
        command_refuse("--min is %s; expected a number from 0 to 100", SHOWN(argument));
    return least;
}

/*
 * What is compared with a part of itself does not differ in that: times ago are refused then, while
 * who names a start and an end knows what they ask for.
 */
static void take_range_before(struct reading *reading, uint64_t now_ns)
{
    struct profile_options *options = &reading->options;

    profile_span_check(
        "--diff", reading->diff,
        "previous, hour, day, week, a duration such as 30m, mark:TEXT, START..END or run:NUMBER",
        profile_before_parse(reading->diff, now_ns, &options->span, &options->before));
    if (!strstr(reading->diff, PROFILE_BETWEEN) && !options->before_target &&
        profile_spans_overlap(&options->before, &options->span))
        command_refuse("--diff is %s, and the range before overlaps the one that is compared with "
                       "it; expected one that is longer ago, or a shorter range",
                       SHOWN(reading->diff));
}

static void take_before(struct reading *reading, uint64_t now_ns)
{
    struct profile_options *options = &reading->options;

    options->is_difference = reading->diff || options->before_target;
    options->is_of_two = options->before_target && !reading->diff;
    options->before = options->span;
    if (!reading->diff)
        return;
    if (strncmp(reading->diff, MARK, strlen(MARK)) == 0 && reading->diff[strlen(MARK)])
        options->mark = reading->diff + strlen(MARK);
    else if (profile_target_is_run(reading->diff))
        options->before_target = reading->diff;
    else
        take_range_before(reading, now_ns);
}

/* A run has a range of its own, and is compared with nothing but a run. */
static void check_targets(const struct profile_options *options)
{
    const char *before = options->before_target;

    profile_target_demand(options->target);
    if (before)
        profile_target_demand(before);
    if (options->is_difference &&
        (profile_target_is_run(options->target) ? !before || !profile_target_is_run(before)
                                                : before && profile_target_is_run(before)))
        command_refuse("a run is compared with a run; expected profile run:NUMBER "
                       "--diff=run:NUMBER");
}

/* What would say nothing is refused. */
static void check_used(const struct reading *reading)
{
    const struct profile_options *options = &reading->options;

    if (reading->has_measure && !options->is_difference)
        command_refuse("--measure is of what is compared; expected --diff or --diff-target, too");
    if (reading->has_least && options->format != PROFILE_FORMAT_TREE)
        command_refuse("--min is of a tree; expected --format=tree, too");
}

static void check(struct reading *reading)
{
    struct profile_options *options = &reading->options;
    const uint64_t now_ns = clock_realtime_ns();

    options->span = profile_span_take(&reading->span, now_ns);
    take_before(reading, now_ns);
    check_targets(options);
    profile_form_check(&reading->form, PROFILE_FORMAT_TABLE);
    if (options->is_difference && options->format != PROFILE_FORMAT_TABLE &&
        options->format != PROFILE_FORMAT_JSON)
        command_refuse("a difference is a table or json, not %s",
                       profile_format_name(options->format));
    check_used(reading);
}

/* Options about what is compared. False: it is none of them. */
static bool take_difference(struct reading *reading, int key, char *argument)
{
    switch (key) {
    case KEY_DIFF:
        reading->diff = argument;
        return true;
    case KEY_DIFF_TARGET:
        reading->options.before_target = argument;
        return true;
    case KEY_MEASURE:
        reading->options.measure = take_measure(argument);
        reading->has_measure = true;
        return true;
    default:
        return false;
    }
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct reading *reading = state->input;
    struct profile_options *options = &reading->options;

    if (take_difference(reading, key, argument))
        return 0;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &reading->span;
        reading->form.options = options;
        state->child_inputs[1] = &reading->form;
        return 0;
    case KEY_MIN:
        options->least = take_least(argument);
        reading->has_least = true;
        return 0;
    default:
        return command_take_word(key, argument, &options->target, "profile TARGET");
    }
}

static const struct argp_child children[] = {
    {.argp = &profile_span_argp}, {.argp = &profile_form_argp}, {0}};

static const struct argp argp = {
    .options = entries,
    .parser = parse,
    .args_doc = "TARGET",
    .doc =
        "Show which functions a target spent its CPU time in, of what the running service has "
        "sampled already. TARGET is machine, cgroup:PATH or process:NAME; or run:NUMBER, of what a "
        "run has recorded, which has a range of its own.\v"
        "Exit status 0: done; 1: not, with the reason on stderr; 2: the command line is wrong.",
    .children = children,
};

void profile_options_parse(int argc, char **argv, struct profile_options *ret_options)
{
    struct reading reading = {.options = {.measure = "shares", .least = USUAL_LEAST}};

    command_parse(&argp, argc, argv, &reading);
    check(&reading);
    *ret_options = reading.options;
}
