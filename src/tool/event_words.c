/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/event_words.h"

#include <errno.h>
#include <stdlib.h>

#include "event/expansion.h"

enum { KEY_FILTER = 0x1300 };

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct event_words *words = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &words->sysfs;
        state->child_inputs[1] = &words->json;
        return 0;
    case ARGP_KEY_ARG:
        words->words[words->n++] = argument;
        return 0;
    case KEY_FILTER:
        words->filter = argument;
        return 0;
    case ARGP_KEY_END:
        if (words->n == 0)
            command_refuse_missing(state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {.name = "filter",
     .key = KEY_FILTER,
     .arg = "FILTER",
     .doc = "Of tracepoints, only where this holds, as in 'prev_prio < 100'."},
    {0},
};

static const struct argp_child children[] = {
    {.argp = &machine_argp}, {.argp = &command_json_argp}, {0}};

static const struct argp argp = {.options = options, .parser = parse, .children = children};

const struct argp_child event_words_children[] = {{.argp = &argp}, {0}};

error_t event_words_parse(int key, char *argument, struct argp_state *state)
{
    (void)argument;
    if (key != ARGP_KEY_INIT)
        return ARGP_ERR_UNKNOWN;
    state->child_inputs[0] = state->input;
    return 0;
}

int event_words_init(struct event_words *words, int argc)
{
    *words =
        (struct event_words){.words = calloc((size_t)argc, sizeof(*words->words)), .sysfs = "/sys"};
    return words->words ? 0 : -ENOMEM;
}

void event_words_done(struct event_words *words)
{
    free(words->words);
    words->words = NULL;
}

/* is_one_of_many: a wildcard stands for the event. */
static int show(const struct machine *machine, const char *name, bool is_one_of_many,
                const char *filter, int (*visit)(void *object, const struct event *event),
                void *object)
{
    AUTO(event) struct event *event = NULL;
    int r = event_resolve(machine->resolver, name, &event);

    if (r >= 0 && is_one_of_many)
        r = event_join_subsystem(event);
    if (r >= 0 && filter)
        r = event_set_filter(event, filter);
    return r < 0 ? r : visit(object, event);
}

static int show_word(const struct machine *machine, const char *word, const char *filter,
                     int (*visit)(void *object, const struct event *event), void *object)
{
    struct event_expansion expansion __attribute__((cleanup(event_expansion_done))) = {0};
    int r = event_expand(machine->resolver, word, EVENT_EXPANSION_MAX, &expansion);

    if (r >= 0 && expansion.n_names == 0)
        return show(machine, word, false, filter, visit, object);
    for (size_t i = 0; i < expansion.n_names && r >= 0; i++)
        r = show(machine, expansion.names[i], true, filter, visit, object);
    return r;
}

int event_words_each(const struct event_words *words, const struct machine *machine,
                     int (*visit)(void *object, const struct event *event), void *object)
{
    int r = 0;

    for (size_t i = 0; i < words->n && r >= 0; i++)
        r = show_word(machine, words->words[i], words->filter, visit, object);
    return r;
}
