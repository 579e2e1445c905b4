/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Which instructions of a function samples were taken at. */

#include "service/profile_questions.h"

/*
 * Answers such a question (struct profile_arguments) as JSON: `work` of struct profile_question.
 * What cannot be annotated is refused by -ENOENT.
 */
int profile_annotation_work(const struct profile_sources *sources, const void *object,
                            struct text *text);
