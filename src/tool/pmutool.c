/* SPDX-License-Identifier: Apache-2.0 */

/* The tool beside the exporter, as promtool is to Prometheus. */

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/suggest.h"
#include "config/config_error.h"
#include "log/standard_streams.h"
#include "service/finish.h"
#include "service/flags.h"
#include "service/options.h"
#include "service/version.h"
#include "tool/command.h"

#define PROGRAM "pmutool"

#define LONGEST_WORD 15 /* of the name of a command, in bytes */

static const struct command commands[] = {
    {"check config", "FILE", false,
     "Check a configuration of pmu_exporter, and say what it would count here. Exit status 0: "
     "valid; 2: not valid, with FILE:LINE:COLUMN and the reason on stderr.",
     run_check_config},
    {"reload", "", true,
     "Have the running service read its configuration again: as a whole, or not at all. Exit "
     "status 0: done; 1: not, with the reason on stderr.",
     run_reload},
    {"pause", "DURATION|off", true,
     "Have the running service leave the hardware counters alone for a time from 1s to 7d, such as "
     "10m; or, with off, count again. Software events are still counted. Exit status 0: done; 1: "
     "not, with the reason on stderr.",
     run_pause},
};

static int print_help(const struct flag *flag, const char *value, void *object,
                      const char **ret_expected);

static int print_version(const struct flag *flag, const char *value, void *object,
                         const char **ret_expected)
{
    (void)flag, (void)value, (void)object, (void)ret_expected;
    version_print(PROGRAM);
    return FLAGS_DONE;
}

enum { FLAG_HELP, FLAG_VERSION, FLAG_SOCKET, N_FLAGS };

static const struct flag flags[N_FLAGS] = {
    [FLAG_HELP] = {"help", NULL, false, "Show this help.", print_help, 0},
    [FLAG_VERSION] = {"version", NULL, false, "Show the version.", print_version, 0},
    [FLAG_SOCKET] = {"socket", "PATH", false,
                     "The control socket of the service. Default: " DEFAULT_CONTROL_SOCKET ".",
                     flag_take_path, offsetof(struct arguments, socket)},
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
static size_t matching_words(const char *name, const struct arguments *line)
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

static const struct command *find_command(const struct arguments *line)
{
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
        if (matching_words(commands[i].name, line) == count_words(commands[i].name))
            return &commands[i];
    return NULL;
}

static void print_usage(FILE *stream, const struct command *command)
{
    (void)fprintf(stream, "%s%s%s%s", command->name, *command->arguments ? " " : "",
                  command->arguments, command->takes_socket ? " [--socket=PATH]" : "");
}

static void print_command(const struct command *command)
{
    (void)fputs("  ", stdout);
    print_usage(stdout, command);
    (void)fputs("\n      ", stdout);
    flags_print_text(command->help, 6, 6);
}

/* Behind a command only that one is explained. */
static int print_help(const struct flag *flag, const char *value, void *object,
                      const char **ret_expected)
{
    const struct command *command = find_command(object);

    (void)flag, (void)value, (void)ret_expected;
    if (command) {
        (void)fputs("usage: pmutool ", stdout);
        print_usage(stdout, command);
        (void)fputs("\n\n", stdout);
        flags_print_text(command->help, 0, 0);
        return FLAGS_DONE;
    }
    (void)puts("usage: pmutool <command> [<args>]\n\n"
               "Tooling for pmu_exporter.\n\n"
               "Commands:");
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
        print_command(&commands[i]);
    (void)puts("\nFlags:");
    flags_print(flags, N_FLAGS);
    return FLAGS_DONE;
}

static int take_word(char *word, void *object)
{
    struct arguments *line = object;

    if (line->n == MOST_WORDS)
        return flags_refuse(PROGRAM, "unexpected argument %s", SHOWN(word));
    line->words[line->n++] = word;
    return FLAGS_RUN;
}

/*
 * Finds the command that was most likely meant: its first n words are on the command line, and its
 * next word is near the one that stands there.
 */
static const struct command *nearest_command(const struct arguments *line, size_t n)
{
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
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

/* The first n words of the command line are those of a command, which has more of them. */
static void refuse_incomplete(const struct arguments *line, size_t n)
{
    const char *between = "";

    (void)fprintf(stderr, PROGRAM ": error: %s command; expected ", n ? "incomplete" : "missing");
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
        if (matching_words(commands[i].name, line) != n)
            continue;
        (void)fputs(between, stderr);
        print_usage(stderr, &commands[i]);
        between = ", ";
    }
    (void)fputs(" (try --help)\n", stderr);
}

static void refuse_unknown(const struct arguments *line)
{
    const struct command *nearest;
    size_t best = 0;

    for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
        const size_t n = matching_words(commands[i].name, line);

        best = n > best ? n : best;
    }
    if (best == line->n) {
        refuse_incomplete(line, best);
        return;
    }
    nearest = nearest_command(line, best);
    if (nearest)
        (void)flags_refuse(PROGRAM, "unknown command %s, did you mean %s?",
                           SHOWN(line->words[best]), nearest->name);
    else
        (void)flags_refuse(PROGRAM, "unknown command %s", SHOWN(line->words[best]));
}

/* Looks whether the command line fits the command. Returns an enum flags_outcome. */
static int check(const struct command *command, const struct arguments *line, const bool *is_given)
{
    const size_t n_name = count_words(command->name);
    const size_t n = n_name + count_words(command->arguments);

    if (line->n < n)
        return flags_refuse(PROGRAM, "missing argument; expected %s %s", command->name,
                            command->arguments);
    if (line->n > n)
        return flags_refuse(PROGRAM, "unexpected argument %s", SHOWN(line->words[n]));
    if (is_given[FLAG_SOCKET] && !command->takes_socket)
        return flags_refuse(PROGRAM, "flag --socket does not fit %s", command->name);
    return FLAGS_RUN;
}

/* Returns the exit status. */
static int run(int argc, char **argv)
{
    static const struct flag_table table = {PROGRAM, flags, N_FLAGS, take_word};
    struct arguments line = {.socket = DEFAULT_CONTROL_SOCKET}, arguments = {0};
    const struct command *command;
    bool is_given[N_FLAGS];
    int r = flags_parse(&table, argc, argv, &line, is_given);

    if (r < 0)
        return EXIT_FAILURE;
    if (r != FLAGS_RUN)
        return r == FLAGS_DONE ? EXIT_SUCCESS : EXIT_USAGE;
    command = find_command(&line);
    if (!command) {
        refuse_unknown(&line);
        return EXIT_USAGE;
    }
    if (check(command, &line, is_given) != FLAGS_RUN)
        return EXIT_USAGE;
    arguments.socket = line.socket;
    for (size_t i = count_words(command->name); i < line.n; i++)
        arguments.words[arguments.n++] = line.words[i];
    return command->run(&arguments);
}

int main(int argc, char **argv)
{
    standard_streams_prepare();
    return finish_program(PROGRAM, run(argc, argv));
}
