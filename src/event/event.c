/* SPDX-License-Identifier: Apache-2.0 */
#include "event/event.h"

struct event *event_free(struct event *event)
{
    if (!event)
        return NULL;
    free(event->name);
    free(event->metric);
    free(event->description);
    free(event->encoding);
    free(event->pmu);
    free(event);
    return NULL;
}
