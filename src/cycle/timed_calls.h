/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The system calls that the configuration names: the mechanism of latencies times them. */

struct collector;

/*
 * Has them timed, and no others, if any rule wants system calls. If they cannot be, that is logged
 * and stays in the status.
 */
void collector_time_calls(struct collector *collector);
