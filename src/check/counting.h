/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What is printed of how cgroups and processes are counted. */

#include <stddef.h>

#include "resolve/mechanism_choice.h"

/*
 * Prints which mechanism it is and why, and what that costs by bpf; nothing where neither cgroups
 * nor processes are wanted. n_events: that cgroups and processes want, each once.
 */
void mechanism_report(const struct config *config, const struct mechanism_decision *decision,
                      size_t n_events);
