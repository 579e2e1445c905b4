/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The modifiers behind an event's name, `:u`, or several together (`:uk`). They mean what they mean
 * to perf:
 *
 *     u k h   the modes of the CPU that are counted: user, kernel, hypervisor; the others are not
 *     G H     who is counted: guests (virtual machines), or the host; both together are everything
 *     I       nothing is counted while the CPU's idle task runs
 *     S       is about samples and changes no count; it is taken since perf takes it
 *
 * libpfm4 writes them one by one (`:u:k`); both forms are understood. Behind "PMU/EVENT/" the colon
 * may be missing (`msr/tsc/u`).
 *
 * perf leaves guests out where a name has neither G nor H. We count them: a service that is a
 * virtual machine uses what it uses.
 *
 * Behind a name of a CPU's manual, as libpfm4 has it, only u, k and h are modifiers: there G, H, I
 * and S may be unit masks ("L2_LINES_IN:S" of Sandy Bridge).
 */

#include <stddef.h>

#include "event/resolver.h"

#define MODIFIERS_SIZE 8 /* of what modifiers_letters() writes, with its NUL */

/*
 * Returns the length of the name without its modifiers. *ret_modifiers gets what they exclude, and
 * nothing else; none where there are no modifiers. As in perf, a letter that comes twice (`:uu`) is
 * no modifier.
 */
size_t modifiers_split(const char *name, struct event_code *ret_modifiers);

/* Writes the modifiers that exclude the same, as perf does ("uk"); empty where nothing is. */
void modifiers_letters(const struct event_code *code, char ret_letters[MODIFIERS_SIZE]);

/*
 * Looks for what stands in the place of modifiers and is none: behind the last slash of
 * "PMU/EVENT/", of another name behind its first colon. That is a mistake only if the name before
 * the colon is one that has no colon by its kind. *ret_base gets the length of what stands before.
 */
struct event_bad_modifier modifiers_find_bad(const char *name, size_t *ret_base);
