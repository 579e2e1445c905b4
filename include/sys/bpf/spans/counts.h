/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/*
 * What is counted of spans (sys/bpf/spans/program.h), in cells by key: `subject` of a key is the
 * number of the span, `detail` is 0.
 */

/* The distribution of a cell. Its first bucket ends at 2^SPAN_FIRST_EXPONENT s. */
enum span_distribution {
    SPAN_DURATION, /* from the begin to the end */
};

#define SPAN_FIRST_EXPONENT (-20) /* 1 us, and the last but one 4 s */
