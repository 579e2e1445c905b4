/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the running kernel's types say of its tracepoints: arguments differ between versions. */

/* How many arguments programs get from a tracepoint ("sched_switch"); -1: it is not known. */
int bpf_tracepoint_arguments(const char *name);
