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
    char description[sizeof("Raw event 0xffffffffffffffff of the CPU")];
    uint64_t config;

    (void)context;
    if (name[0] != 'r' || parse_hex(name + 1, &config) < 0)
        return SOURCE_UNKNOWN;
    (void)snprintf(description, sizeof(description), "Raw event 0x%" PRIx64 " of the CPU", config);
    if (source_describe(event, description) < 0)
        return -ENOMEM;
    event->kind = EVENT_RAW;
    event->code.type = PERF_TYPE_RAW;
    event->code.config = config;
    return SOURCE_KNOWS;
}

const struct event_source event_source_raw = {.resolve = resolve_raw, .has_plain_names = true};
