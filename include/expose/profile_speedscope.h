/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Writes a profile as speedscope (https://www.speedscope.app) reads it: one profile of kind
 * "sampled", whose frames have the program or library as their file.
 */

#include "base/text.h"
#include "profile/tree.h"

enum speedscope_unit { SPEEDSCOPE_SECONDS, SPEEDSCOPE_SAMPLES, SPEEDSCOPE_EVENTS };

/* Appends the text. name: what the profile is called there. 0 or -ENOMEM. */
int profile_speedscope_write(const struct profile_tree *tree, const char *name,
                             enum speedscope_unit unit, struct text *text);
