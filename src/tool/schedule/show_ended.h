/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Requests to block devices and exits of guests, as `pmutool schedule` prints them. */

#include <jansson.h>
#include <stddef.h>

/*
 * Prints a table of each, with at most so many lines, or why they were not recorded; nothing of a
 * run of an earlier version, which did not look. 0 or -ENOMEM.
 */
int schedule_show_ended(const json_t *report, size_t lines);
