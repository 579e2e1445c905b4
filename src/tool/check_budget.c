/* SPDX-License-Identifier: Apache-2.0 */
#include "check/budget.h"
#include "check/series.h"
#include "check/uncore.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "tool/check_json.h"
#include "tool/file_argument.h"
#include "tool/option_values.h"

#define SHORTEST_INTERVAL_NS (NS_PER_SECOND / 10)
#define LONGEST_INTERVAL_NS  (3600 * NS_PER_SECOND)
#define USUAL_INTERVAL_NS    (15 * NS_PER_SECOND)
#define MOST_TARGETS         100000

struct budget_arguments {
    struct file_argument file;
    struct check_series_request series;
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct budget_arguments *arguments = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &arguments->file;
        return 0;
    case 'i':
        arguments->series.scrape_interval_ns =
            option_seconds('i', argument, SHORTEST_INTERVAL_NS, LONGEST_INTERVAL_NS);
        return 0;
    case 'n':
        arguments->series.targets_each = (size_t)option_number("-n", argument, 0, MOST_TARGETS);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {.name = "scrape-interval",
     .key = 'i',
     .arg = "SECONDS",
     .doc = "How often a Prometheus scrapes; 15 s without it."},
    {.name = "targets",
     .key = 'n',
     .arg = "N",
     .doc = "As if each rule of cgroups and processes took N targets, to plan for other hosts; "
            "without it: those that it takes now."},
    {0},
};

static const struct argp file_argp = {.parser = file_argument_parse,
                                      .children = file_argument_children};
static const struct argp_child children[] = {{.argp = &file_argp}, {0}};

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .children = children,
    .args_doc = "FILE",
    .doc = "Tell what a configuration takes: of the hardware counters of each CPU, how many are "
           "free now, by counting with them, which scopes take them, and which events are left out "
           "since they do not fit; and of a Prometheus, how many series, samples and bytes.\v"
           "Exit status 0: told; 2: the configuration is not valid, with the reason on stderr.",
};

static int print_json(const struct check_result *result, const struct check_series_request *request,
                      const struct check_series *series)
{
    return json_print(json_pack(
        "{s:o, s:b, s:o, s:o, s:o}", "file", json_of_text(result->output->path), "valid", 1,
        "budget", check_budget_to_json(result), "uncore", check_uncore_to_json(result), "series",
        result->undecided < 0 ? json_null() : check_series_to_json(series, request)));
}

static void print_text(const struct check_result *result,
                       const struct check_series_request *request,
                       const struct check_series *series)
{
    if (result->undecided < 0) {
        (void)printf("what the kernel lets us count cannot be asked: %s\n",
                     strerror(-result->undecided));
        return;
    }
    if (!result->share->is_wanted)
        (void)printf("no event that can be counted here takes a hardware counter\n");
    else
        check_print_budget(result->resolution, result->share);
    check_print_uncore(result->resolution, result->sysfs_fd);
    check_print_series(series, request);
}

static int finish(void *object, const struct check_result *result)
{
    const struct budget_arguments *arguments = object;
    struct check_series series = {0};
    int r = result->undecided < 0 ? 0 : check_series_find(result, &arguments->series, &series);

    if (r >= 0 && arguments->file.json)
        r = print_json(result, &arguments->series, &series);
    else if (r >= 0)
        print_text(result, &arguments->series, &series);
    check_series_done(&series);
    return r;
}

int run_check_budget(int argc, char **argv)
{
    struct budget_arguments arguments = {
        .series = {.targets_each = SIZE_MAX, .scrape_interval_ns = USUAL_INTERVAL_NS}};
    struct check_request request = {.sysfs = "/sys", .finish = finish, .object = &arguments};

    command_parse(&argp, argc, argv, &arguments);
    request.path = arguments.file.path;
    request.fail = arguments.file.json ? file_argument_fail : NULL;
    return check_report(&request);
}
