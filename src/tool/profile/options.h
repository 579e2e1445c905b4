/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the command line of `pmutool profile` asks for. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tool/control_client.h"
#include "tool/profile/times.h"

#define PROFILE_LINES_MAX 100000 /* of -n */

enum profile_format {
    PROFILE_FORMAT_TABLE,
    PROFILE_FORMAT_TREE,
    PROFILE_FORMAT_COLLAPSED,
    PROFILE_FORMAT_SPEEDSCOPE,
    PROFILE_FORMAT_PPROF,
    PROFILE_FORMAT_JSON,
    PROFILE_FORMAT_COUNT_,
};

struct profile_options {
    const char *target;
    struct profile_span span;
    enum profile_format format;
    const char *output; /* a file; NULL: standard output */
    uint64_t lines;     /* the most of a table or tree; 0: as many as there are, or fit */
    double least;       /* the least share of a line of a tree, in percent */
    bool is_difference;
    const char *before_target; /* NULL: the same one */
    bool is_of_two;            /* two targets are compared, at the same time */
    const char *mark;          /* before which the other range ends; NULL: it is `before` */
    struct profile_span before;
    const char *measure; /* "shares" or "time" */
    struct control_client where;
};

/* Takes the command line apart, which it refuses if it is wrong. The words are borrowed. */
void profile_options_parse(int argc, char **argv, struct profile_options *ret_options);

/* The word of a format: "table". */
const char *profile_format_name(enum profile_format format);
