/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/parse.h"
#include "base/suggest.h"
#include "config/config_error.h"
#include "service/options.h"
#include "tool/command.h"
#include "tool/control_client.h"
#include "tool/option_values.h"
#include "tool/top/loop.h"

#define USUAL_DELAY_NS    NS_PER_SECOND
#define SHORTEST_DELAY_NS (NS_PER_SECOND / 10)
#define LONGEST_DELAY_NS  (3600 * NS_PER_SECOND)

struct arguments {
    struct top_options options;
    const char *socket; /* as given; NULL: not given */
    const char *filter;
    bool wants_screen, is_standalone;
};

enum { KEY_JSON = 0x2000, KEY_STANDALONE };

static enum top_column_id parse_order(const char *text)
{
    const enum top_column_id order = top_column_find(text);
    const char *names[N_TOP_ORDERS], *nearest;

    if (order < N_TOP_ORDERS)
        return order;
    for (enum top_column_id id = 0; id < N_TOP_ORDERS; id++)
        names[id] = top_columns[id].name;
    nearest = suggest_nearest(text, names, N_TOP_ORDERS);
    if (nearest)
        command_refuse("--sort is %s, did you mean %s?", SHOWN(text), nearest);
    command_refuse("--sort is %s; expected cpus, ipc, cache-misses, branch-misses, switches, "
                   "migrations, faults or name",
                   SHOWN(text));
}

static enum top_show parse_show(const char *text)
{
    static const char *const names[] = {
        [TOP_SHOW_CGROUPS] = "cgroups",
        [TOP_SHOW_PROCESSES] = "processes",
        [TOP_SHOW_ALL] = "all",
    };

    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (strcmp(names[i], text) == 0)
            return (enum top_show)i;
    command_refuse("--show is %s; expected cgroups, processes or all", SHOWN(text));
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct arguments *arguments = state->input;
    struct top_options *options = &arguments->options;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &arguments->socket;
        return 0;
    case 's':
        options->state.settings.order = parse_order(argument);
        return 0;
    case 'd':
        options->delay_ns = option_seconds('d', argument, SHORTEST_DELAY_NS, LONGEST_DELAY_NS);
        return 0;
    case 'n':
        if (parse_u64(argument, &options->iterations) < 0 || options->iterations == 0)
            command_refuse("--iterations is %s; expected a number from 1 on", SHOWN(argument));
        return 0;
    case 'w':
        options->state.settings.show = parse_show(argument);
        return 0;
    case 't':
        options->state.settings.tree = true;
        return 0;
    case 'r':
        options->state.settings.reverse = true;
        return 0;
    case 'i':
        options->state.settings.hide_idle = true;
        return 0;
    case 'b':
        arguments->wants_screen = false;
        return 0;
    case KEY_JSON:
        options->output = TOP_JSON;
        return 0;
    case KEY_STANDALONE:
        arguments->is_standalone = true;
        return 0;
    default:
        return key == ARGP_KEY_END
                   ? 0
                   : command_take_word(key, argument, &arguments->filter, "top FILTER");
    }
}

static const struct argp_option argp_options[] = {
    {"sort", 's', "COLUMN", 0,
     "Sort by cpus (the default), ipc, cache-misses, branch-misses, switches, migrations, "
     "faults or name.",
     0},
    {"reverse", 'r', NULL, 0, "Sort the other way round.", 0},
    {"delay", 'd', "SECONDS", 0, "The time between two tables, from 0.1 to 3600. Default: 1.", 0},
    {"iterations", 'n', "N", 0, "End after so many tables.", 0},
    {"show", 'w', "WHAT", 0, "Show cgroups (the default), processes or all.", 0},
    {"tree", 't', NULL, 0, "Show cgroups below those that contain them.", 0},
    {"idle", 'i', NULL, 0, "Leave out what used no CPU time.", 0},
    {"batch", 'b', NULL, 0,
     "Print plain text, as is done anyway where standard output is no terminal.", 0},
    {"json", KEY_JSON, NULL, 0, "Print a JSON object in a line for each table.", 0},
    {"standalone", KEY_STANDALONE, NULL, 0,
     "Count with counters of our own, also where an exporter runs.", 0},
    {0},
};

static const struct argp_child children[] = {{.argp = &command_socket_argp}, {0}};

static const struct argp argp = {
    .options = argp_options,
    .parser = parse,
    .args_doc = "[FILTER]",
    .doc = "Show which cgroups and processes use the CPUs, and what they do there: CPUs used, "
           "instructions per cycle, misses, switches, faults. The numbers are those of the running "
           "pmu_exporter. Where none runs, this program counts all cgroups and processes itself; "
           "for that it needs the same rights. FILTER: only names that contain it are shown.\v"
           "On the screen, h explains the keys.",
    .children = children,
};

/*
 * Whether numbers come from an exporter: one that the user has named, or one that listens where it
 * usually does. An exporter that may not be asked is there all the same.
 */
static bool has_exporter(const struct arguments *arguments)
{
    if (arguments->is_standalone)
        return false;
    return arguments->socket || control_client_finds_service();
}

int run_top(int argc, char **argv)
{
    struct arguments arguments = {.options = {.delay_ns = USUAL_DELAY_NS}, .wants_screen = true};
    struct top_options *const options = &arguments.options;

    (void)setlocale(LC_CTYPE, ""); /* It says which characters the terminal can show. */
    command_parse(&argp, argc, argv, &arguments);
    if (arguments.filter && snprintf(options->state.filter, sizeof(options->state.filter), "%s",
                                     arguments.filter) >= (int)sizeof(options->state.filter))
        command_refuse("FILTER is too long; expected at most %d bytes", TOP_LONGEST_FILTER);
    if (options->output != TOP_JSON &&
        (!arguments.wants_screen || isatty(STDOUT_FILENO) != 1 || isatty(STDIN_FILENO) != 1))
        options->output = TOP_TEXT;
    if (arguments.is_standalone && arguments.socket)
        command_refuse("--standalone and --socket exclude each other");
    options->socket = has_exporter(&arguments) ? command_socket(arguments.socket) : NULL;
    if (!options->socket)
        log_init(LOG_LEVEL_ERROR, LOG_FORMAT_LOGFMT); /* What is not counted, the table shows. */
    return top_loop_run(options);
}
