/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>

#include "base/parse.h"
#include "event/source.h"

/* Raw events: `r` and hexadecimal digits, which are the value of the PMU's event register. */
static int resolve_raw(const struct source_context *context, const char *name, struct event *event)
{
    uint64_t config;

    (void)context;
    if (name[0] != 'r' || parse_hex(name + 1, &config) < 0)
        return SOURCE_UNKNOWN;
    if (asprintf(&event->description, "Raw event 0x%" PRIx64 " of the CPU", config) < 0) {
        event->description = NULL;
        return -ENOMEM;
    }
    event->kind = EVENT_RAW;
    event->code.type = PERF_TYPE_RAW;
    event->code.config = config;
    return SOURCE_KNOWS;
}

const struct event_source event_source_raw = {.resolve = resolve_raw, .has_plain_names = true};
