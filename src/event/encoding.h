/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How the code of an event is written for people. */

#include "event/event.h"

/* Events of these types are not written as PMU/…/: perf has only names for them. */
bool encoding_is_generic(uint32_t type);

/*
 * The encoding as perf takes it on its command line ("cpu/config=0xc0/u"); where perf has no such
 * form, the fields of perf_event_attr. NULL: no memory.
 */
char *encoding_describe(const struct event_code *code, const char *pmu);
