/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The spans of the configuration: the mechanism of latencies follows them. */

struct collector;

/*
 * Has the spans that can be followed followed, and no others, if any rule wants them. What cannot
 * be is logged, and stays in the status.
 */
void collector_follow_spans(struct collector *collector);
