/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The lines that `pmutool top` shows, and the order in which they stand. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tool/top/rows.h"

enum top_show { TOP_SHOW_CGROUPS, TOP_SHOW_PROCESSES, TOP_SHOW_ALL };

struct top_settings {
    enum top_show show;
    enum top_column_id order; /* Lines are sorted by it, the largest first, names from A to Z. */
    bool reverse;             /* They are sorted the other way round. */
    bool tree;                /* Cgroups are shown below those that contain them. */
    bool hide_idle;           /* Targets that used no CPU time are left out. */
    const char *filter;       /* Only names that contain it are shown, in any case; "": all */
};

struct top_line {
    const struct top_row *row; /* NULL: a cgroup that is not counted, but contains some that are */
    char *name;                /* raw bytes: a path, or in the tree what its parent's lacks */
    size_t parent;             /* the index of the line above it in the tree; SIZE_MAX: none */
    bool is_last;              /* No line of the same parent follows. */
    double values[N_TOP_COLUMNS]; /* those of the row, or of the lines directly below together */
};

/*
 * Compares two lines for the order in which they are shown: negative if the first comes before the
 * second. What is not known comes last, and equals go by name.
 */
int top_line_compare(const struct top_settings *settings, const struct top_line *a,
                     const struct top_line *b);
