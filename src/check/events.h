/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What is printed of the events of a configuration: what they are here, and which are slips. */

#include "base/text.h"
#include "check/output.h"
#include "event/resolver.h"
#include "resolve/resolution.h"

/*
 * How many events the configuration has, each as often as a group has it. *ret_absent gets how many
 * cannot be counted here.
 */
size_t check_count_events(const struct resolution *resolution, size_t *ret_absent);

/* Prints each group with its events: what encodes each, or why it cannot be counted here. */
void check_print_groups(const struct resolution *resolution);

/*
 * Appends what is wrong with a name that no source of events knows, in one line: what it is of,
 * what of it is wrong, or which name is near. 0 or -errno.
 */
int check_explain_unknown(struct event_resolver *resolver, const struct event *event,
                          struct text *text);

/*
 * Warns of names that no source of events knows, of filters that their event does not take, and of
 * names that stand for more events than are taken. A name that nobody knows is no error, since
 * another machine may know it; mostly it is a slip all the same. 0 or -errno.
 */
int check_warn_of_unknown_events(struct check_output *output, const struct resolution *resolution,
                                 struct event_resolver *resolver);

/* Notes which clocks the system scope leaves out. */
void check_note_clocks(struct check_output *output, const struct resolution *resolution);
