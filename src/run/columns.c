/* SPDX-License-Identifier: Apache-2.0 */
#include "run/columns.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

int run_columns_add_event(struct recording *recording, const struct group_member *member,
                          const char *why, size_t *ret_column)
{
    const struct event *event = member->event;
    const bool is_counted = member->absence == ABSENCE_NONE;
    const char *unit = event->unit ? event->unit : "";
    double factor = event->unit ? event->scale : 1;
    int r = recording_add_event(recording, event->name,
                                is_counted ? NULL : absence_name(member->absence),
                                is_counted ? NULL : why);

    *ret_column = SIZE_MAX;
    if (r < 0 || !is_counted)
        return r;
    if (event_counts_nanoseconds(event)) {
        unit = "seconds";
        factor = EVENT_SCALE_NANOSECONDS;
    }
    *ret_column = recording->n_columns;
    return recording_add_column(recording, event->name, unit, factor, RUN_TOTAL);
}

int run_columns_add_ratios(struct recording *recording, const struct run_ratios *ratios)
{
    int r = 0;

    for (size_t i = 0; i < ratios->n && r == 0; i++) {
        AUTO_TEXT struct text name = {0};
        AUTO_FREE char *full = NULL;

        text_append_format(&name, "%s%s", ratios->ratios[i].name, ratios->ratios[i].suffix);
        full = text_take(&name);
        r = full ? recording_add_column(recording, full, "", 1, RUN_RATIO) : -ENOMEM;
    }
    return r;
}
