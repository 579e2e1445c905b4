/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The `:u`, `:k`, `:h` behind an event's name, alone or combined (`:uk`): they
 * name the modes that are counted, and what is not named is excluded, as perf
 * has it. libpfm4 writes them one by one (`:u:k`); both are understood.
 */

#include <stddef.h>

#include "event/event.h"

/*
 * The length of the name without its modifiers; *ret_modifiers gets the excluded
 * modes, and nothing in it is set where there are no modifiers. A letter that
 * comes twice (`:uu`) is no modifier, as for perf.
 */
size_t modifiers_split(const char *name, struct event_code *ret_modifiers);

/* "uk" for what is counted, as perf writes it; empty where nothing is excluded. */
void modifiers_letters(const struct event_code *code, char ret_letters[4]);
