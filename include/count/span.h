/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The time from one event to another one of the same key, which the user chooses. */

#include "event/resolver.h"
#include "sys/bpf/spans/program.h"

struct span {
    const char *name;                       /* the value of the label `span` */
    const struct event *events[SPAN_SIDES]; /* tracepoints or probes, without absence */
    struct event_field keys[SPAN_SIDES];    /* of size 0: the key is the thread */
};
