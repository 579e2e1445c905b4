/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What the command lines of all commands share. argp's own --help is replaced by one that checks
 * whether standard output has taken everything, and that -h stands for too, as in Prometheus'
 * programs.
 */
#include "tool/command.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "config/config_error.h"
#include "service/finish.h"
#include "service/options.h"
#include "service/version.h"

/* No argp of a command has more children. */
#define MOST_CHILDREN 4

/* Codes of options that have no letter begin here. */
enum { KEY_JSON = 0x1000, KEY_SOCKET, KEY_USAGE, KEY_VERSION };

void command_refuse(const char *format, ...)
{
    va_list arguments;

    (void)fputs(PROGRAM ": error: ", stderr);
    va_start(arguments, format);
    (void)vfprintf(stderr, format, arguments);
    va_end(arguments);
    (void)fputs(" (try --help)\n", stderr);
    exit(EXIT_USAGE);
}

static error_t parse_common(int key, char *argument, struct argp_state *state)
{
    (void)argument;
    switch (key) {
    case 'h':
        argp_state_help(state, stdout, ARGP_HELP_STD_HELP & ~(unsigned)ARGP_HELP_EXIT_OK);
        exit(finish_program(PROGRAM, EXIT_SUCCESS));
    case KEY_USAGE:
        argp_state_help(state, stdout, ARGP_HELP_USAGE);
        exit(finish_program(PROGRAM, EXIT_SUCCESS));
    case KEY_VERSION:
        version_print(PROGRAM);
        exit(finish_program(PROGRAM, EXIT_SUCCESS));
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* The group -1 puts these options behind all others. */
static const struct argp_option common_options[] = {
    {.name = "help", .key = 'h', .doc = "Show this help and exit.", .group = -1},
    {.name = "usage", .key = KEY_USAGE, .doc = "Show the options in short and exit.", .group = -1},
    {.name = "version", .key = KEY_VERSION, .doc = "Show the version and exit.", .group = -1},
    {0},
};

static const struct argp common_argp = {.options = common_options, .parser = parse_common};

void command_parse(const struct argp *argp, int argc, char **argv, void *input)
{
    struct argp whole = *argp;
    struct argp_child children[MOST_CHILDREN + 2] = {0};
    size_t n = 0;
    error_t error;

    while (argp->children && argp->children[n].argp && n < MOST_CHILDREN) {
        children[n] = argp->children[n];
        n++;
    }
    children[n].argp = &common_argp;
    whole.children = children;
    argp_err_exit_status = EXIT_USAGE;
    error = argp_parse(&whole, argc, argv, ARGP_IN_ORDER | ARGP_NO_HELP, NULL, input);
    if (error)
        exit(command_fail(-error));
}

static error_t parse_socket(int key, char *argument, struct argp_state *state)
{
    const char **path = state->input;

    if (key != KEY_SOCKET)
        return ARGP_ERR_UNKNOWN;
    if (!*argument)
        command_refuse("--socket is \"\"; expected a path");
    if (*path)
        command_refuse("flag --socket is given twice");
    *path = argument;
    return 0;
}

static const struct argp_option socket_options[] = {
    {.name = "socket",
     .key = KEY_SOCKET,
     .arg = "PATH",
     .doc = "The control socket of the service. Default: " DEFAULT_CONTROL_SOCKET "."},
    {0},
};

const struct argp command_socket_argp = {.options = socket_options, .parser = parse_socket};

const char *command_socket(const char *given)
{
    return given ? given : DEFAULT_CONTROL_SOCKET;
}

static error_t parse_json(int key, char *argument, struct argp_state *state)
{
    (void)argument;
    if (key != KEY_JSON)
        return ARGP_ERR_UNKNOWN;
    *(bool *)state->input = true;
    return 0;
}

static const struct argp_option json_options[] = {
    {.name = "json", .key = KEY_JSON, .doc = "Print JSON."},
    {0},
};

const struct argp command_json_argp = {.options = json_options, .parser = parse_json};

error_t command_take_word(int key, char *argument, const char **word, const char *expected)
{
    if (key == ARGP_KEY_END && word && !*word)
        command_refuse("missing argument; expected %s", expected);
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    if (!word || *word)
        command_refuse("unexpected argument %s", SHOWN(argument));
    *word = argument;
    return 0;
}

void command_refuse_missing(const struct argp_state *state)
{
    command_refuse("missing argument; expected %s %s", state->name + sizeof(PROGRAM),
                   state->root_argp->args_doc);
}

int command_fail(int error)
{
    (void)fprintf(stderr, PROGRAM ": %s\n", strerror(-error));
    return EXIT_FAILURE;
}
