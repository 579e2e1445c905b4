/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the command line of `pmutool record` asks for. */

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "run/event_names.h"
#include "tool/profile/options.h"

struct record_options {
    struct event_name_list events; /* one; none: cycles, or cpu-clock where there are none */
    uint64_t rate_hz;
    struct text target;   /* "pid:4711" and a zero; empty: the command */
    char *const *command; /* ends with NULL; NULL: none */
    const char *title;
    uint64_t duration_ns;
    bool has_duration;
    struct profile_options shown; /* how; the target is told when the run has its number */
};

/*
 * Takes the command line apart, which it refuses if it is wrong. Words are borrowed from it. To be
 * ended by record_options_done().
 */
void record_options_parse(int argc, char **argv, struct record_options *ret_options);
void record_options_done(struct record_options *options);
