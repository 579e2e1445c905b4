/* SPDX-License-Identifier: Apache-2.0 */

/* The tool beside the exporter, as promtool is to Prometheus. */

#include <stdio.h>
#include <string.h>

#include "app/config_error.h"
#include "app/config_report.h"
#include "app/version.h"

#define EXIT_USAGE 2

static int check_config(char **arguments)
{
    return config_report(arguments[0], false, "/sys");
}

static const struct command {
    const char *words[3]; /* of the command line; ends with NULL */
    int n_arguments;
    const char *usage;
    const char *help;
    int (*run)(char **arguments);
} commands[] = {
    {{"check", "config"},
     1,
     "check config FILE",
     "Check a configuration of pmu_exporter, and say what it would count here.\n"
     "      Exit status 0: valid; 2: not valid, with FILE:LINE:COLUMN and the reason\n"
     "      on stderr.",
     check_config},
};

static void print_help(void)
{
    (void)puts("usage: pmutool <command> [<args>]\n\n"
               "Tooling for pmu_exporter.\n\n"
               "  -h, --help\n      Show this help.\n"
               "  --version\n      Show the version.\n");
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
        (void)printf("  %s\n      %s\n", commands[i].usage, commands[i].help);
}

static int refuse(const char *what, const char *word)
{
    (void)fprintf(stderr, "pmutool: error: %s%s%s (try --help)\n", what, word ? " " : "",
                  word ? SHOWN(word) : "");
    return EXIT_USAGE;
}

/* How many words of the command line begin this command. */
static int matching_words(const struct command *command, int argc, char **argv)
{
    int n = 0;

    while (command->words[n] && n < argc && strcmp(argv[n], command->words[n]) == 0)
        n++;
    return n;
}

static int run_command(const struct command *command, int argc, char **argv)
{
    int n_words = matching_words(command, argc, argv);

    if (argc - n_words < command->n_arguments)
        return refuse("missing argument; expected", command->usage);
    if (argc - n_words > command->n_arguments)
        return refuse("unexpected argument", argv[n_words + command->n_arguments]);
    return command->run(argv + n_words);
}

static int find_and_run(int argc, char **argv)
{
    int best = 0;

    for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
        int n = matching_words(&commands[i], argc, argv);

        if (!commands[i].words[n])
            return run_command(&commands[i], argc, argv);
        best = n > best ? n : best;
    }
    return best < argc ? refuse("unknown command", argv[best])
                       : refuse("missing command; expected", commands[0].usage);
}

int main(int argc, char **argv)
{
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        print_help();
        return EXIT_SUCCESS;
    }
    if (argc > 1 && strcmp(argv[1], "--version") == 0) {
        version_print("pmutool");
        return EXIT_SUCCESS;
    }
    return find_and_run(argc - 1, argv + 1);
}
