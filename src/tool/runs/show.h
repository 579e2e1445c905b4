/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Answers about runs as tables for people. Each prints to stdout; 0 or -ENOMEM. */

#include <jansson.h>

int runs_show_list(const json_t *answer);
int runs_show_run(const json_t *answer);
int runs_show_comparison(const json_t *answer);
int runs_show_begun(const json_t *answer);
int runs_show_nothing(const json_t *answer);

/* Tells a user who wants to stop the run that it has ended already, and when, on stderr. */
void runs_tell_ended(const json_t *answer);
