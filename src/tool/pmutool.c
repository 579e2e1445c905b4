/* SPDX-License-Identifier: Apache-2.0 */

/* The tool beside the exporter, as promtool is to Prometheus. */

#include <stdio.h>
#include <string.h>

#include "check/report.h"
#include "config/config_error.h"
#include "log/standard_streams.h"
#include "service/finish.h"
#include "service/options.h"
#include "service/version.h"
#include "tool/control_client.h"
#include "web/control.h"

#define EXIT_USAGE 2

static int refuse(const char *what, const char *word)
{
    (void)fprintf(stderr, "pmutool: error: %s%s%s (try --help)\n", what, word ? " " : "",
                  word ? SHOWN(word) : "");
    return EXIT_USAGE;
}

static int check_config(char **arguments, const char *socket)
{
    (void)socket;
    return check_report(arguments[0], false, "/sys");
}

static int reload(char **arguments, const char *socket)
{
    (void)arguments;
    return control_client_post(socket, "/-/reload");
}

static int pause_counting(char **arguments, const char *socket)
{
    char target[64];
    uint64_t unused;

    if (control_parse_pause(arguments[0], &unused) < 0)
        return refuse("expected " CONTROL_PAUSE_EXPECTED ", not", arguments[0]);
    (void)snprintf(target, sizeof(target), "/-/pause?duration=%s", arguments[0]);
    return control_client_post(socket, target);
}

static const struct command {
    const char *words[3]; /* of the command line; ends with NULL */
    int n_arguments;
    const char *usage;
    const char *help;
    bool asks_service; /* over its control socket: takes --socket */
    int (*run)(char **arguments, const char *socket);
} commands[] = {
    {{"check", "config"},
     1,
     "check config FILE",
     "Check a configuration of pmu_exporter, and say what it would count here.\n"
     "      Exit status 0: valid; 2: not valid, with FILE:LINE:COLUMN and the reason\n"
     "      on stderr.",
     false,
     check_config},
    {{"reload"},
     0,
     "reload [--socket PATH]",
     "Have the running service read its configuration again: as a whole, or not at\n"
     "      all. Exit status 0: done; 1: not, with the reason on stderr.",
     true,
     reload},
    {{"pause"},
     1,
     "pause DURATION|off [--socket PATH]",
     "Have the running service leave the hardware counters alone for a time from 1s\n"
     "      to 7d, as in 10m, or end that. Software events are still counted.\n"
     "      Exit status 0: done; 1: not, with the reason on stderr.",
     true,
     pause_counting},
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

/* How many words of the command line begin this command. */
static int matching_words(const struct command *command, int argc, char **argv)
{
    int n = 0;

    while (command->words[n] && n < argc && strcmp(argv[n], command->words[n]) == 0)
        n++;
    return n;
}

static int run_command(const struct command *command, int argc, char **argv, const char *socket)
{
    int n_words = matching_words(command, argc, argv);

    if (argc - n_words < command->n_arguments)
        return refuse("missing argument; expected", command->usage);
    if (argc - n_words > command->n_arguments)
        return refuse("unexpected argument", argv[n_words + command->n_arguments]);
    if (socket && !command->asks_service)
        return refuse("unexpected argument", "--socket");
    return command->run(argv + n_words, socket ? socket : DEFAULT_CONTROL_SOCKET);
}

/*
 * Takes --socket PATH or --socket=PATH out of the words, wherever it stands. The exit
 * status where it is wrong, else 0.
 */
static int take_socket(int *argc, char **argv, const char **ret_socket)
{
    static const char flag[] = "--socket";
    const size_t length = strlen(flag);
    const char *socket = NULL;
    int n = 0;

    for (int i = 0; i < *argc; i++) {
        const bool is_flag = strncmp(argv[i], flag, length) == 0 &&
                             (argv[i][length] == '\0' || argv[i][length] == '=');

        if (!is_flag) {
            argv[n++] = argv[i];
            continue;
        }
        if (socket)
            return refuse("given twice:", flag);
        socket = argv[i][length] ? argv[i] + length + 1 : argv[++i]; /* argv ends with NULL */
        if (!socket || !*socket)
            return refuse("missing path after", flag);
    }
    *argc = n;
    *ret_socket = socket;
    return 0;
}

static int refuse_missing(void)
{
    (void)fprintf(stderr, "pmutool: error: missing command; expected");
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
        (void)fprintf(stderr, "%s %s", i ? "," : "", commands[i].usage);
    (void)fprintf(stderr, " (try --help)\n");
    return EXIT_USAGE;
}

/* Also behind a command, where it is asked for as naturally. */
static bool asks_for_help(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    return false;
}

static int find_and_run(int argc, char **argv)
{
    const char *socket = NULL;
    int status = take_socket(&argc, argv, &socket);

    int best = 0;

    if (status != 0)
        return status;
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
        int n = matching_words(&commands[i], argc, argv);

        if (!commands[i].words[n])
            return run_command(&commands[i], argc, argv, socket);
        best = n > best ? n : best;
    }
    return best < argc ? refuse("unknown command", argv[best]) : refuse_missing();
}

int main(int argc, char **argv)
{
    standard_streams_prepare();
    if (asks_for_help(argc, argv)) {
        print_help();
        return finish_program("pmutool", EXIT_SUCCESS);
    }
    if (argc > 1 && strcmp(argv[1], "--version") == 0) {
        version_print("pmutool");
        return finish_program("pmutool", EXIT_SUCCESS);
    }
    return finish_program("pmutool", find_and_run(argc - 1, argv + 1));
}
