/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The command line of `pmutool runs`. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "run/event_names.h"

#define RUNS_WORDS_MAX 2

struct runs_options {
    const char *socket;
    bool json;
    const char *action;                /* "list", where none was given */
    const char *words[RUNS_WORDS_MAX]; /* behind the action: numbers of runs, or a title */
    size_t n_words;

    /* Of "start". */
    const char *target, *notes;
    uint64_t interval_ns, duration_ns; /* 0: what is usual */
    struct event_name_list events;
    bool takes_free;
    bool is_of_start; /* one of these stands there */
};

/* Does not return for a wrong command line or --help. */
void runs_options_parse(int argc, char **argv, struct runs_options *ret_options);
