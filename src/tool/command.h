/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The commands of pmutool: each has a file of its own, and a line in the table of pmutool.c. */

#include <stdbool.h>
#include <stddef.h>

/* The command line is wrong. */
#define EXIT_USAGE 2

#define MOST_WORDS 8

struct arguments {
    const char *words[MOST_WORDS]; /* those behind the name of the command; borrowed */
    size_t n;
    const char *socket; /* the service's control socket: of --socket, or the usual one */
};

struct command {
    const char *name;      /* one word or more, as in "check config" */
    const char *arguments; /* as --help shows them: "FILE". So many words does the command take. */
    bool takes_socket;     /* It asks the running service: --socket fits it. */
    const char *help;
    int (*run)(const struct arguments *arguments); /* Returns the exit status. */
};

int run_check_config(const struct arguments *arguments);
int run_reload(const struct arguments *arguments);
int run_pause(const struct arguments *arguments);
