/* SPDX-License-Identifier: Apache-2.0 */
#include "event/source.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int source_describe(struct event *event, const char *description)
{
    char *copy = strdup(description);

    if (!copy)
        return -ENOMEM;
    free(event->description);
    event->description = copy;
    return 0;
}

int source_explain(struct event *event, const char *why)
{
    char *copy = strdup(why);

    if (!copy)
        return -ENOMEM;
    free(event->why);
    event->why = copy;
    return SOURCE_MISSING;
}

int source_set_unit(struct event *event, const char *unit, double scale)
{
    char *copy = strdup(unit);

    if (!copy)
        return -ENOMEM;
    free(event->unit);
    event->unit = copy;
    event->scale = scale;
    return 0;
}

int source_refuse(struct event *event, const char *format, ...)
{
    char *why;
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vasprintf(&why, format, arguments);
    va_end(arguments);
    if (length < 0)
        return -ENOMEM;
    free(event->why);
    event->why = why;
    return SOURCE_REFUSED;
}
