/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The commands of pmutool. Each has a file of its own with its `struct argp` (glibc's <argp.h>),
 * and a line in the table of commands.c. pmutool.c finds the command by its words and hands over
 * the rest of the command line.
 */

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#define PROGRAM "pmutool"

/* The exit status for a command line that is wrong. */
#define EXIT_USAGE 2

struct command {
    const char *name;      /* one word or two: "stat", "check config" */
    const char *arguments; /* as the list of commands in --help shows them: "FILE" */
    const char *summary;   /* one sentence for the list of commands */

    /*
     * Runs the command and returns the exit status. argv[0] is "pmutool NAME", and the words behind
     * the name follow.
     */
    int (*run)(int argc, char **argv);
};

extern const struct command commands[];
extern const size_t n_commands;

int run_annotate(int argc, char **argv);
int run_check_budget(int argc, char **argv);
int run_check_config(int argc, char **argv);
int run_check_event(int argc, char **argv);
int run_check_web_config(int argc, char **argv);
int run_encode(int argc, char **argv);
int run_events(int argc, char **argv);
int run_latency(int argc, char **argv);
int run_mark(int argc, char **argv);
int run_marks(int argc, char **argv);
int run_pause(int argc, char **argv);
int run_profile(int argc, char **argv);
int run_record(int argc, char **argv);
int run_reload(int argc, char **argv);
int run_runs(int argc, char **argv);
int run_schedule(int argc, char **argv);
int run_stat(int argc, char **argv);
int run_top(int argc, char **argv);

/*
 * Takes the command line of a command apart by its argp, with --help, --usage and --version beside
 * its own options. Options and words are given to the parser in the order in which they stand, and
 * behind "--" everything is a word, so that the options of another program stay as they are. Does
 * not return for a wrong command line or --help. Without memory it ends the program as well.
 */
void command_parse(const struct argp *argp, int argc, char **argv, void *input);

/*
 * The option --socket=PATH, for the children of a command's argp. Its input is a const char *,
 * which the command sets to NULL before; command_socket() is the path then.
 */
extern const struct argp command_socket_argp;
const char *command_socket(const char *given);

/* The option --json, for the children of a command's argp. Its input is a bool. */
extern const struct argp command_json_argp;

/*
 * For the parser of a command that takes one word (or none, where `word` is NULL): handles
 * ARGP_KEY_ARG, and ARGP_KEY_END where the word is missing. Words that are too many or missing are
 * refused. expected: as in "missing argument; expected pause DURATION". *word: NULL before.
 */
error_t command_take_word(int key, char *argument, const char **word, const char *expected);

/* Refuses a command line that lacks an argument, with what the command takes. */
void command_refuse_missing(const struct argp_state *state) __attribute__((noreturn));

/* Prints "pmutool: error: ", a text and "(try --help)" to stderr and ends with EXIT_USAGE. */
void command_refuse(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* Prints what an -errno means, as want of memory, to stderr. Returns EXIT_FAILURE. */
int command_fail(int error);
