/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The order of the lines in which each cgroup stands below the one that contains it. */

#include "tool/top/line.h"

/*
 * Turns a list of lines into a tree. Where several cgroups of the list lie in one that is not on
 * it, a line is added for that one; it shows what the lines directly below it did together in these
 * seconds. So there are fewer than twice as many lines, however deep the paths are. Each level is
 * in the order of the settings. Names become the part of the path that the parent's name lacks.
 * Processes stand behind the cgroups. Returns 0 with another array in *lines; or -ENOMEM, and
 * nothing is changed.
 */
int top_tree_make(double seconds, const struct top_settings *settings, struct top_line **lines,
                  size_t *n);
