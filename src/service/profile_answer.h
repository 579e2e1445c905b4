/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Answers about profiles, wherever their trees come from: the store, or a run. */

#include "profile/tree.h"
#include "service/profile_arguments.h"
#include "service/profile_questions.h"

/* Says that nothing is sampled, and why. Returns -EAGAIN. */
int profile_tell_no_sampler(const struct profile_sources *sources, struct text *text);

/*
 * Says that there are no samples of a target, if r is -ENOENT. Returns r, or -EAGAIN where nothing
 * is sampled, which is said, too.
 */
int profile_tell_none(int r, const struct profile_sources *sources,
                      const struct profile_choice *choice, struct text *text);

/*
 * Writes the part and the form that is asked for. The tree becomes that part. 0; -ENOENT, with
 * words: it has no such function; -ENOMEM.
 */
int profile_answer(const struct profile_arguments *arguments, struct text *text,
                   struct profile_tree **tree);

/* 0; -ENOENT, with words: there are no samples on a side; -ENOMEM. */
int profile_answer_difference(const struct profile_tree *before, const struct profile_tree *after,
                              const struct profile_arguments *arguments, struct text *text);
