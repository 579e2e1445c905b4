/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cycle/process_group.h"
#include "cycle/round.h"

struct collector;
struct entry;

/* What opening a member of the entry's group needs, except for the number of threads left. */
struct process_opening collector_opening(const struct collector *collector,
                                         const struct round *round, const struct entry *entry);
