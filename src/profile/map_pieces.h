/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Lines of a perf map may overlap: who has which address. */

#include "profile/map_lines.h"

/* A part of the addresses of a line that no later line has. */
struct map_piece {
    uint64_t start, end;
    size_t line; /* its place in the lines */
};

struct map_pieces {
    struct map_piece *pieces; /* sorted */
    size_t n;                 /* less than 2 for each line */
};

/* Finds who has which address. Sorts the lines by where they begin. 0 or -ENOMEM. */
int map_pieces_make(struct map_lines *lines, struct map_pieces *ret_pieces);
void map_pieces_done(struct map_pieces *pieces);

#define AUTO_MAP_PIECES __attribute__((cleanup(map_pieces_done)))
