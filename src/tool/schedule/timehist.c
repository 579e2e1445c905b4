/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/schedule/timehist.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "tool/latency/show.h"
#include "tool/table.h"

/* The columns of the CSV, in their order. */
enum field {
    FIELD_SECONDS,
    FIELD_EVENT,
    FIELD_CPU,
    FIELD_TID,
    FIELD_PID,
    FIELD_NAME,
    FIELD_STATE,
    FIELD_RAN,
    FIELD_TO_TID,
    FIELD_TO_PID,
    FIELD_TO_NAME,
    FIELD_WAITED,
    FIELD_BLOCKED,
    FIELD_WAKER,
    FIELD_FROM_CPU,
    FIELD_TO_CPU,
    FIELD_LOST,
    FIELD_DEVICE,
    FIELD_OPERATION,
    FIELD_BYTES,
    FIELD_ERROR,
    FIELD_QUEUED,
    FIELD_REASON,
    FIELD_VCPU,
    FIELD_TOOK,
    FIELD_COUNT_,
};

#define HEAD "seconds,event,cpu,tid,pid,name,state,ran_seconds,"

/* Ends a field where it ends, without its quotation marks. Returns where the next one begins. */
static char *take_field(char *at, char **ret_field)
{
    char *to = at;
    bool is_last;

    *ret_field = at;
    if (*at == '"')
        for (at++; *at; at++) {
            if (*at == '"' && *++at != '"')
                break;
            *to++ = *at;
        }
    else
        to = at += strcspn(at, ",\n");
    is_last = !*at;
    *to = '\0';
    return is_last ? at : at + 1;
}

/* Takes a line apart. Returns where the next one is; NULL: this is no such line. The last field of
 * the last line may be empty, with nothing behind it. */
static char *take_line(char *at, char *fields[FIELD_COUNT_])
{
    for (size_t i = 0; i < FIELD_COUNT_; i++) {
        if (!*at && i + 1 < FIELD_COUNT_)
            return NULL;
        at = take_field(at, &fields[i]);
    }
    return at;
}

static void add_thread(struct table *table, const char *name, const char *tid, const char *pid)
{
    if (strcmp(tid, "0") == 0)
        table_add(table, name, STYLE_FAINT);
    else
        table_add_format(table, STYLE_PLAIN, "%s[%s/%s]", name, tid, pid);
}

/* What is not known is empty. */
static void add_span(struct table *table, const char *seconds)
{
    AUTO_TEXT struct text text = {0};

    latency_append_duration(&text, *seconds ? strtod(seconds, NULL) : NAN);
    table_add_format(table, *seconds ? STYLE_PLAIN : STYLE_FAINT, "%.*s", (int)text.length,
                     text.data ? text.data : "");
}

static void add_switch(struct table *table, char *const fields[FIELD_COUNT_])
{
    table_add(table, fields[FIELD_SECONDS], STYLE_PLAIN);
    table_add(table, fields[FIELD_CPU], STYLE_PLAIN);
    add_thread(table, fields[FIELD_NAME], fields[FIELD_TID], fields[FIELD_PID]);
    table_add(table, fields[FIELD_STATE], STYLE_PLAIN);
    add_span(table, fields[FIELD_RAN]);
    add_thread(table, fields[FIELD_TO_NAME], fields[FIELD_TO_TID], fields[FIELD_TO_PID]);
    add_span(table, fields[FIELD_WAITED]);
    add_span(table, fields[FIELD_BLOCKED]);
    table_add(table, *fields[FIELD_WAKER] ? fields[FIELD_WAKER] : "-", STYLE_PLAIN);
}

int timehist_show(const char *csv)
{
    static const struct table_column columns[] = {
        {.title = "SECONDS", .is_right = true},
        {.title = "CPU", .is_right = true},
        {.title = "LEAVES"},
        {.title = "STATE"},
        {.title = "RAN", .is_right = true},
        {.title = "COMES"},
        {.title = "WAITED", .is_right = true},
        {.title = "BLOCKED", .is_right = true},
        {.title = "WOKEN BY", .is_right = true},
    };
    AUTO(table) struct table *table = table_new(columns, ARRAY_SIZE(columns));
    AUTO_FREE char *copy = strdup(csv);
    char *fields[FIELD_COUNT_], *at;

    if (!table || !copy)
        return -ENOMEM;
    if (strncmp(copy, HEAD, strlen(HEAD)) != 0)
        return -EINVAL;
    at = strchr(copy, '\n');
    for (at = at ? at + 1 : copy + strlen(copy); *at;) {
        at = take_line(at, fields);
        if (!at)
            return -EINVAL;
        if (strcmp(fields[FIELD_LOST], "0") != 0)
            table_add_line(table, "records are missing here", STYLE_FAINT);
        if (strcmp(fields[FIELD_EVENT], "switch") == 0)
            add_switch(table, fields);
    }
    return table_print(table);
}
