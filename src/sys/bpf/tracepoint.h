/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the running kernel's types say of its tracepoints: arguments differ between versions. */

#include <stdbool.h>
#include <stddef.h>

/* How many arguments programs get from a tracepoint ("sched_switch"); -1: it is not known. */
int bpf_tracepoint_arguments(const char *name);

/* Whether programs can be attached to all of them. */
bool bpf_tracepoints_exist(const char *const names[], size_t n);
