/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Writes a profile as lines of "root;child;leaf 12", as flamegraph.pl, inferno and speedscope read
 * them. Functions of a program or library begin with that ("nginx`main"), as DTrace shows them: two
 * programs may have functions of one name. Those of the kernel end in "_[k]", and those that were
 * made at run time in "_[j]". Semicolons and control characters in names become "_".
 */

#include "base/text.h"
#include "profile/tree.h"

/* Appends the lines. 0 or -ENOMEM. */
int profile_collapsed_write(const struct profile_tree *tree, struct text *text);
