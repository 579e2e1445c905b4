/* SPDX-License-Identifier: Apache-2.0 */

/*
 * perf shares our names: generic ones, raw codes, tracepoints and PMU/…/ are passed on as they are.
 * It has no names of libpfm4, unless it was built so; what these encode can be spelled out.
 */
#include "tool/perf_line.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/text.h"

/* These need no quotes in a shell. */
#define PLAIN "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=.,:/@%"

#define TYPE_RAW                                                                                   \
    4 /* PERF_TYPE_RAW of perf_event_open(2): the code is that of the CPU's own PMU                \
       */

static void append_quoted(struct text *text, const char *word)
{
    if (*word && !word[strspn(word, PLAIN)]) {
        text_append_string(text, word);
        return;
    }
    text_append_char(text, '\'');
    for (; *word; word++) {
        if (*word == '\'')
            text_append_string(text, "'\\''");
        else
            text_append_char(text, *word);
    }
    text_append_char(text, '\'');
}

/* A raw code fits the core's PMU on every machine of that CPU, whatever its kernel calls it. */
static void append_raw(struct text *text, const struct event_code *code)
{
    text_append_format(text, "r%" PRIx64, code->config);
    if (code->exclude_user || code->exclude_kernel || code->exclude_hypervisor)
        text_append_format(text, ":%s%s%s", code->exclude_user ? "" : "u",
                           code->exclude_kernel ? "" : "k", code->exclude_hypervisor ? "" : "h");
}

/* Appends the event as perf names it. Nothing: it cannot. */
static void append_event(struct text *text, const struct event *event)
{
    const struct event_code *code = &event->code;

    switch (event->kind) {
    case EVENT_HARDWARE:
    case EVENT_SOFTWARE:
    case EVENT_CACHE:
    case EVENT_RAW:
    case EVENT_PMU:
    case EVENT_TRACEPOINT:
        append_quoted(text, event->name);
        break;
    case EVENT_PFM:
        if (code->type == TYPE_RAW && code->config1 == 0 && code->config2 == 0)
            append_raw(text, code);
        else if (strchr(event->encoding, '/'))
            append_quoted(text, event->encoding);
        break;
    default: /* a probe is to be made before perf can name it */
        break;
    }
}

int perf_line_of(const struct event *event, char **ret_line)
{
    AUTO_TEXT struct text name = {0}, line = {0};

    append_event(&name, event);
    if (text_error(&name) < 0)
        return -ENOMEM;
    if (name.length == 0) {
        *ret_line = NULL;
        return 0;
    }
    text_append_string(&line, "-e ");
    text_append(&line, name.data, name.length);
    if (event->code.filter) {
        text_append_string(&line, " --filter ");
        append_quoted(&line, event->code.filter->text);
    }
    *ret_line = text_take(&line);
    return *ret_line ? 0 : -ENOMEM;
}
