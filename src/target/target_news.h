/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What a set of targets tells its caller after an update: which targets were born and which have
 * gone. Both sets, of cgroups and of processes, have one of these.
 *
 * Each birth is reported until the caller has it, and each end is reported once. A target that ends
 * before its birth was reported never appears at all. A caller that cannot take a birth, for want
 * of memory, gives it back: the next report has it again. So the caller needs no list of such
 * targets.
 */

#include <stdbool.h>
#include <stddef.h>

/* The part of a target that this file works on. It lies somewhere behind what callers see. */
struct target_mark {
    size_t birth_index; /* of the target in `born`; SIZE_MAX once the caller has it */
    bool given_back;    /* the caller could not take the birth that was reported last */
};

struct target_news {
    size_t mark_offset; /* bytes from the beginning of a target to its struct target_mark */
    void **born, **gone;
    size_t n_born, n_gone;
    size_t born_capacity, gone_capacity;
    size_t n_given_back; /* births that the caller could not take, until the next report begins */
    bool reported;       /* both lists have been shown to the caller */
};

/* Begins with no news. The struct is embedded in the set and must be zero before. */
void target_news_init(struct target_news *news, size_t mark_offset);
void target_news_done(struct target_news *news);

/*
 * Begins an update: what was reported is forgotten, except for births that were given back. After
 * an update that failed, and so made no report, its news stay and are reported with the next.
 */
void target_news_begin(struct target_news *news);

/*
 * Makes room to tell one more birth now, and the end of each of n_standing targets and of this one
 * whenever it comes: an end must not fail for want of memory. 0 or -ENOMEM.
 */
int target_news_reserve(struct target_news *news, size_t n_standing);

/* Adds a birth for which target_news_reserve() has made room. */
void target_news_add_birth(struct target_news *news, void *target);

/*
 * Adds the end of a target. Returns true if it is reported and the caller releases the target
 * later. Returns false if the caller never had it: the birth is taken back, and the set frees the
 * target now.
 */
bool target_news_add_end(struct target_news *news, void *target);

/* Whether the caller has had the birth of this target in a report, and has kept it. */
bool target_news_birth_is_taken(const struct target_news *news, const void *target);

/* The caller gives back a birth of the last report. Whether it has not done so before. */
bool target_news_give_back(struct target_news *news, void *target);
