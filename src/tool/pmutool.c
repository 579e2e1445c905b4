/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The tool beside the exporter, as promtool is to Prometheus. Options that stand before the command
 * are taken apart here; from the name of the command on, the rest is the command's.
 */

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/suggest.h"
#include "base/text.h"
#include "config/config_error.h"
#include "log/standard_streams.h"
#include "service/finish.h"
#include "tool/command.h"

#define LONGEST_WORD 15 /* of the name of a command, in bytes */
#define MOST_WORDS   2  /* in the name of a command */

/* More commands than there will be, for the list in --help. */
#define MOST_COMMANDS 32

struct line {
    const char *words[MOST_WORDS]; /* those that may be the name of a command; borrowed */
    size_t n;
    const char *socket;            /* as given before the command; NULL: not given there */
    const struct command *command; /* NULL: not found yet */
    int rest;                      /* where in argv the words behind the command's name begin */
};

/* Tells how many words a text has, which single spaces part. */
static size_t count_words(const char *text)
{
    size_t n = *text ? 1 : 0;

    for (; *text; text++)
        n += *text == ' ';
    return n;
}

/* Tells how many words of the command line are the first words of this name. */
static size_t matching_words(const char *name, const struct line *line)
{
    size_t n = 0;

    for (; n < line->n && *name; n++) {
        const size_t length = strcspn(name, " ");

        if (strlen(line->words[n]) != length || strncmp(line->words[n], name, length) != 0)
            break;
        name += length + (name[length] == ' ');
    }
    return n;
}

static const struct command *find_command(const struct line *line)
{
    for (size_t i = 0; i < n_commands; i++)
        if (matching_words(commands[i].name, line) == count_words(commands[i].name))
            return &commands[i];
    return NULL;
}

/*
 * Finds the command that was most likely meant: its first n words are on the command line, and its
 * next word is near the one that stands there.
 */
static const struct command *nearest_command(const struct line *line, size_t n)
{
    for (size_t i = 0; i < n_commands; i++) {
        const char *name = commands[i].name;
        char word[LONGEST_WORD + 1];
        const char *const words[] = {word};

        if (matching_words(name, line) != n)
            continue;
        for (size_t skipped = 0; skipped < n; skipped++)
            name += strcspn(name, " ") + 1;
        (void)snprintf(word, sizeof(word), "%.*s", (int)strcspn(name, " "), name);
        if (suggest_nearest(line->words[n], words, 1))
            return &commands[i];
    }
    return NULL;
}

/* The first n words of the command line are those of commands, which have more of them. */
static void __attribute__((noreturn)) refuse_incomplete(const struct line *line, size_t n)
{
    AUTO_TEXT struct text expected = {0};
    AUTO_FREE char *list = NULL;

    for (size_t i = 0; i < n_commands; i++) {
        if (matching_words(commands[i].name, line) != n)
            continue;
        text_append_format(&expected, "%s%s%s%s", expected.length ? ", " : "", commands[i].name,
                           *commands[i].arguments ? " " : "", commands[i].arguments);
    }
    list = text_take(&expected);
    command_refuse("%s command; expected %s", n ? "incomplete" : "missing", list ? list : "one");
}

static void __attribute__((noreturn)) refuse_unknown(const struct line *line)
{
    const struct command *nearest;
    size_t best = 0;

    for (size_t i = 0; i < n_commands; i++) {
        const size_t n = matching_words(commands[i].name, line);

        best = n > best ? n : best;
    }
    if (best == line->n)
        refuse_incomplete(line, best);
    nearest = nearest_command(line, best);
    if (nearest)
        command_refuse("unknown command %s, did you mean %s?", SHOWN(line->words[best]),
                       nearest->name);
    command_refuse("unknown command %s", SHOWN(line->words[best]));
}

/* Takes one word more of the command's name. Once that is complete, the rest is not parsed here. */
static void take_word(char *word, struct argp_state *state)
{
    struct line *line = state->input;

    line->words[line->n++] = word;
    line->command = find_command(line);
    if (line->command) {
        line->rest = state->next;
        state->next = state->argc;
    } else if (line->n == MOST_WORDS) {
        refuse_unknown(line);
    }
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct line *line = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &line->socket;
        return 0;
    case ARGP_KEY_ARG:
        take_word(argument, state);
        return 0;
    case ARGP_KEY_END:
        if (!line->command)
            refuse_unknown(line);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* The rest of the command line, behind "pmutool NAME" and the --socket that stood before it. */
static int run_command(const struct line *line, int argc, char **argv)
{
    AUTO_FREE char **words = calloc((size_t)(argc - line->rest) + 3, sizeof(*words));
    AUTO_TEXT struct text name = {0}, socket = {0};
    int n = 0;

    text_append_format(&name, PROGRAM " %s%c", line->command->name, 0);
    text_append_format(&socket, "--socket=%s%c", line->socket ? line->socket : "", 0);
    if (!words || text_error(&name) < 0 || text_error(&socket) < 0)
        return command_fail(-ENOMEM);
    words[n++] = name.data;
    if (line->socket)
        words[n++] = socket.data;
    for (int i = line->rest; i < argc; i++)
        words[n++] = argv[i];
    return line->command->run(n, words);
}

/* Takes the command line apart, with the table of commands as the list in --help. */
static void parse_line(int argc, char **argv, struct line *line)
{
    static const struct argp_child children[] = {{.argp = &command_socket_argp}, {0}};
    struct argp_option list[MOST_COMMANDS + 2] = {{.doc = "Commands:", .group = 1}};
    char usages[MOST_COMMANDS][64];
    const struct argp argp = {
        .options = list,
        .parser = parse,
        .args_doc = "COMMAND [ARGUMENT...]",
        .doc = "Tooling for pmu_exporter.\v"
               "\"pmutool COMMAND --help\" explains a command. A TARGET is machine, cgroup:PATH or "
               "process:NAME, where NAME is that of a group of processes of the configuration; of "
               "profile also run:NUMBER, and of schedule pid:NUMBER.",
        .children = children,
    };

    for (size_t i = 0; i < n_commands && i < MOST_COMMANDS; i++) {
        (void)snprintf(usages[i], sizeof(usages[i]), "%s%s%s", commands[i].name,
                       *commands[i].arguments ? " " : "", commands[i].arguments);
        list[i + 1] = (struct argp_option){
            .name = usages[i], .flags = OPTION_DOC, .doc = commands[i].summary, .group = 1};
    }
    command_parse(&argp, argc, argv, line);
}

/* Returns the exit status. */
static int run(int argc, char **argv)
{
    struct line line = {0};

    parse_line(argc, argv, &line);
    return run_command(&line, argc, argv);
}

int main(int argc, char **argv)
{
    standard_streams_prepare();
    /* What we print is UTF-8, whoever reads it; top, which draws, takes the terminal's own. */
    (void)setlocale(LC_CTYPE, "C.UTF-8");
    return finish_program(PROGRAM, run(argc, argv));
}
