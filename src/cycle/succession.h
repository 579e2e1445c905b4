/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * How one collector takes over from another. The successor goes through the stages of a round as
 * any collector does; before each stage it takes over what belongs there.
 */

#include "cycle/round.h"

struct collector;
struct entry;

struct succession {
    struct collector *collector; /* the successor */
    struct collector *predecessor;
    struct entry **cgroups; /* living cgroups of the predecessor, sorted by path */
    size_t n_cgroups;
    struct entry **from; /* for each entry of the successor the predecessor's entry of the same
                            target, or NULL; entries that follow later have none */
    size_t n_from;
};

/*
 * Both have been made and the predecessor has discovered for the last time. Its log and its counts
 * of itself go on in the successor, and it closes its directories, of which there would be twice
 * as many as there may be.
 */
void succession_begin(struct succession *succession, struct collector *collector,
                      struct collector *predecessor);

/*
 * After the successor has discovered, and before it opens: finds who goes on, and takes over the
 * counters that are open. 0, or -ENOMEM: nothing was taken over.
 */
int succession_adopt_counters(struct succession *succession, const struct round *round,
                              const struct discovered *discovered);

/*
 * After the successor has opened what was not open, and before it reads: the predecessor reads for
 * the last time, and its totals go over.
 */
void succession_adopt_totals(struct succession *succession);

/* After the successor has read: what has ended, or has no room any more, keeps its totals here. */
void succession_adopt_ended(struct succession *succession, const struct round *round);

/* The successor could not be made: the predecessor goes on as it was. */
void succession_give_up(struct succession *succession);

/* Frees what the succession itself holds. */
void succession_done(struct succession *succession);
