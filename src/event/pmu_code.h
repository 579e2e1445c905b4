/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What stands between the slashes of "cpu/instructions,edge=1/", and how its PMU encodes it. */

#include "event/pmu_terms.h"
#include "event/source.h"

/*
 * Encodes the terms for this PMU, into event->code: an event of its own, fields of its format,
 * config numbers, or a raw code. ret_event gets the event of sysfs among them, as the PMU spells
 * it; empty: there is none. SOURCE_KNOWS; SOURCE_REFUSED: the terms are wrong, and `event` has the
 * reason; -ENOMEM.
 */
int pmu_code_parse(int sysfs_fd, const struct pmu *pmu, const char *terms, struct event *event,
                   char ret_event[PMU_WORD_SIZE]);
