/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/runs/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "config/config_error.h"
#include "run/request.h"
#include "tool/command.h"
#include "tool/option_values.h"

enum { KEY_FREE = 0x1300, KEY_NOTES, KEY_TARGET };

static const struct argp_option entries[] = {
    {.doc = "For start, and for nothing else:"},
    {.name = "event",
     .key = 'e',
     .arg = "EVENT,...",
     .doc = "Events to count, as with pmutool stat; braces make a group. Needed."},
    {.name = "target",
     .key = KEY_TARGET,
     .arg = "TARGET",
     .doc = "machine, cgroup:PATH, process:NAME or pid:NUMBER. Default: machine."},
    {.name = "interval",
     .key = 'i',
     .arg = "SECONDS",
     .doc = "A number for each so many seconds, from 0.01 to 60. Default: 1."},
    {.name = "duration",
     .key = 'd',
     .arg = "SECONDS",
     .doc = "For how long, from 0.01 to 3600. Default: 30."},
    {.name = "notes", .key = KEY_NOTES, .arg = "TEXT", .doc = "What else is to be known of it."},
    {.name = "free",
     .key = KEY_FREE,
     .doc = "Also take counters of the PMU that the configuration keeps free for others."},
    {0},
};

/* Each action, and how many words stand behind it. */
static const struct {
    const char *name;
    size_t n_words;
    const char *expected;
} actions[] = {
    {"list", 0, "runs list"},           {"show", 1, "runs show ID"},
    {"compare", 2, "runs compare A B"}, {"delete", 1, "runs delete ID"},
    {"csv", 1, "runs csv ID"},          {"start", 1, "runs start TITLE -e EVENT,..."},
    {"stop", 1, "runs stop ID"},
};

static size_t find_action(const char *name)
{
    size_t i = 0;

    while (i < ARRAY_SIZE(actions) && strcmp(actions[i].name, name) != 0)
        i++;
    return i;
}

static void take_word(struct runs_options *options, const char *word)
{
    if (!options->action) {
        if (find_action(word) == ARRAY_SIZE(actions))
            command_refuse("expected list, show, compare, delete, csv, start or stop, not %s",
                           SHOWN(word));
        options->action = word;
    } else if (options->n_words < RUNS_WORDS_MAX) {
        options->words[options->n_words++] = word;
    } else {
        command_refuse("too many words; expected %s",
                       actions[find_action(options->action)].expected);
    }
}

static void check(struct runs_options *options)
{
    size_t index;
    uint64_t number;

    if (!options->action)
        options->action = "list";
    index = find_action(options->action);
    if (options->n_words != actions[index].n_words)
        command_refuse("expected %s", actions[index].expected);
    if (strcmp(options->action, "start") == 0) {
        if (options->events.n == 0)
            command_refuse("expected %s", actions[index].expected);
        return;
    }
    if (options->is_of_start)
        command_refuse("-e, --target, -i, -d, --notes and --free belong to runs start; expected %s",
                       actions[index].expected);
    for (size_t i = 0; i < options->n_words; i++)
        if (parse_u64(options->words[i], &number) < 0)
            command_refuse("%s is no number of a run", SHOWN(options->words[i]));
}

/* An option of start. False: it is none. */
static bool take_of_start(struct runs_options *options, int key, char *argument)
{
    switch (key) {
    case 'e':
        option_events(argument, &options->events);
        return true;
    case 'i':
        options->interval_ns =
            option_seconds('i', argument, RUN_INTERVAL_LEAST_NS, RUN_INTERVAL_MOST_NS);
        return true;
    case 'd':
        options->duration_ns =
            option_seconds('d', argument, RUN_INTERVAL_LEAST_NS, RUN_DURATION_MOST_NS);
        return true;
    case KEY_TARGET:
        options->target = argument;
        return true;
    case KEY_NOTES:
        options->notes = argument;
        return true;
    case KEY_FREE:
        options->takes_free = true;
        return true;
    default:
        return false;
    }
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct runs_options *options = state->input;

    if (take_of_start(options, key, argument)) {
        options->is_of_start = true;
        return 0;
    }
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->socket;
        state->child_inputs[1] = &options->json;
        return 0;
    case ARGP_KEY_ARG:
        take_word(options, argument);
        return 0;
    case ARGP_KEY_END:
        check(options);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {
    {.argp = &command_socket_argp}, {.argp = &command_json_argp}, {0}};

static const struct argp argp = {
    .options = entries,
    .parser = parse,
    .args_doc = "[list|show ID|compare A B|csv ID|start TITLE|stop ID|delete ID]",
    .doc = "List what was counted for a while and kept, show a run, compare two of them, or have "
           "the running service begin, end or delete one.\v"
           "Exit status 0: done; 1: not, with the reason on stderr; 2: the command line is wrong.",
    .children = children,
};

void runs_options_parse(int argc, char **argv, struct runs_options *ret_options)
{
    *ret_options = (struct runs_options){.target = "machine"};
    command_parse(&argp, argc, argv, ret_options);
}
