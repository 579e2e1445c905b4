/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Values of options that several commands have. What is wrong is refused (command_refuse()). */

#include <stdint.h>

struct event_name_list;

/*
 * Seconds with a fraction ("0.5"), or a duration as in the configuration ("1m30s"): nanoseconds.
 * option: its letter.
 */
uint64_t option_seconds(char option, const char *argument, uint64_t least_ns, uint64_t most_ns);

/* A whole number of an option, which is named as it was written: "-n". */
uint64_t option_number(const char *option, const char *argument, uint64_t least, uint64_t most);

/* Adds the names of events, separated by commas, that `-e` has. */
void option_events(const char *argument, struct event_name_list *list);
