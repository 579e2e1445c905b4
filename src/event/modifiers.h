/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The modifiers behind an event's name: `:u`, `:k`, `:h`, or several together (`:uk`). They name
 * the modes of the CPU that are counted (user, kernel, hypervisor); the others are excluded, as in
 * perf. libpfm4 writes them one by one (`:u:k`); both forms are understood.
 */

#include <stddef.h>

#include "event/event.h"

/*
 * Returns the length of the name without its modifiers. *ret_modifiers gets the modes that are
 * excluded, and nothing else; none where there are no modifiers. As in perf, a letter that comes
 * twice (`:uu`) is no modifier.
 */
size_t modifiers_split(const char *name, struct event_code *ret_modifiers);

/* Writes the modes that are counted, as perf does ("uk"); empty where none is excluded. */
void modifiers_letters(const struct event_code *code, char ret_letters[4]);
