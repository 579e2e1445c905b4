/* SPDX-License-Identifier: Apache-2.0 */
#include "event/event.h"

#include <string.h>

bool event_is_same(const struct event *a, const struct event *b)
{
    if (a->absence != ABSENCE_NONE || b->absence != ABSENCE_NONE)
        return strcmp(a->name, b->name) == 0;
    return event_code_equal(&a->code, &b->code);
}

bool event_counts_nanoseconds(const struct event *event)
{
    return event->unit && strcmp(event->unit, "seconds") == 0 &&
           event->scale == EVENT_SCALE_NANOSECONDS;
}

struct event *event_free(struct event *event)
{
    if (!event)
        return NULL;
    free(event->name);
    free(event->metric);
    free(event->description);
    free(event->encoding);
    free(event->pmu);
    free(event->unit);
    free(event);
    return NULL;
}
