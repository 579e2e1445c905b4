/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* `pmutool top` while it runs: asks its source again and again, and shows what comes. */

#include <stdbool.h>
#include <stdint.h>

#include "tool/top/state.h"

enum top_output { TOP_SCREEN, TOP_TEXT, TOP_JSON };

struct top_options {
    enum top_output output;
    uint64_t delay_ns;
    uint64_t iterations;    /* tables with rates to show before it ends; 0: it does not end */
    const char *socket;     /* of the exporter; NULL: count ourselves */
    struct top_state state; /* with which it begins */
};

/* Runs until the user ends it, and returns the exit status; what went wrong stands on stderr. */
int top_loop_run(const struct top_options *options);
