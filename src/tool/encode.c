/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Shows what perf_event_open(2) is told of an event. Nothing is opened, so that it also works for
 * another machine, whose sysfs --path.sysfs gives.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "check/events.h"
#include "config/config_error.h"
#include "resolve/absence_advice.h"
#include "tool/event_json.h"
#include "tool/event_telling.h"
#include "tool/perf_line.h"

static const struct argp argp = {
    .parser = event_words_parse,
    .args_doc = "EVENT...",
    .doc = "Show what the kernel is told of events: the fields of struct perf_event_attr that "
           "differ from 0, the name of the metric, and how perf stat is told the same.\v"
           "Exit status 0: each event has a code; 1: the code of one is not known here; 2: nothing "
           "knows a name.",
    .children = event_words_children,
};

static void add_number(struct table *table, const char *field, uint64_t value)
{
    table_add_format(table, STYLE_FAINT, "  %s", field);
    table_add_format(table, STYLE_PLAIN, "0x%" PRIx64, value);
}

static void add_flag(struct table *table, const char *field, bool value)
{
    if (!value)
        return;
    table_add_format(table, STYLE_FAINT, "  %s", field);
    table_add(table, "1", STYLE_PLAIN);
}

static void add_text(struct table *table, const char *field, const char *text)
{
    if (!text || !*text)
        return;
    table_add_format(table, STYLE_FAINT, "  %s", field);
    table_add(table, text, STYLE_PLAIN);
}

static void add_code(struct table *table, const struct event_code *code)
{
    const char *type = event_type_name(code->type);

    table_add(table, "  type", STYLE_FAINT);
    table_add_format(table, STYLE_PLAIN, "%" PRIu32 "%s%s%s", code->type, type ? " (" : "",
                     type ? type : "", type ? ")" : "");
    add_number(table, "config", code->config);
    if (code->config1_text)
        add_text(table, "config1", code->config1_text->text);
    else if (code->config1 != 0)
        add_number(table, "config1", code->config1);
    if (code->config2 != 0)
        add_number(table, "config2", code->config2);
    add_flag(table, "exclude_user", code->exclude_user);
    add_flag(table, "exclude_kernel", code->exclude_kernel);
    add_flag(table, "exclude_hv", code->exclude_hypervisor);
    add_flag(table, "exclude_host", code->exclude_host);
    add_flag(table, "exclude_guest", code->exclude_guest);
    add_flag(table, "exclude_idle", code->exclude_idle);
    add_text(table, "filter", code->filter ? code->filter->text : NULL);
}

static int add_event(struct table *table, const struct event *event, const char *perf,
                     const char *metric)
{
    table_add_line(table, event->name, STYLE_HEADING);
    add_text(table, "kind", event_kind_name(event->kind));
    add_text(table, "PMU", event->pmu);
    add_text(table, "description", event->description);
    add_code(table, &event->code);
    add_text(table, "metric", metric);
    if (perf) {
        table_add(table, "  perf", STYLE_FAINT);
        table_add_format(table, STYLE_PLAIN, "perf stat %s", perf);
    }
    return 0;
}

/* Says that a PMU is missing, and what there is: the name may be wrong, or the machine. */
static void explain_missing_pmu(const struct event_telling *encoding, const struct event *event,
                                struct text *why)
{
    const struct pmu_list *pmus = encoding->machine->pmus;

    text_append_format(why, "the code of %s is not known here: this machine has no such PMU",
                       SHOWN(event->name));
    for (size_t i = 0; pmus && i < pmus->n; i++)
        text_append_format(why, "%s%s", i ? ", " : ", but ", pmus->pmus[i].name);
    text_append_string(why, "; --path.sysfs takes a copy of another machine's sysfs");
}

/*
 * An event without a code: the name is unknown, or it is known of another machine only. Or the
 * filter is none for it.
 */
static int report_absent(struct event_telling *encoding, const struct event *event)
{
    const bool is_unknown = event->absence == ABSENCE_UNKNOWN_EVENT;
    AUTO_TEXT struct text why = {0};
    int r = 0;

    if (is_unknown)
        r = check_explain_unknown(encoding->machine->resolver, event, &why);
    else if (event->absence == ABSENCE_BAD_FILTER)
        text_append_format(&why, "the filter of %s: %s", SHOWN(event->name), event->why);
    else if (event->absence == ABSENCE_NO_PMU && !event->why)
        explain_missing_pmu(encoding, event, &why);
    else
        text_append_format(&why, "the code of %s is not known here; %s", SHOWN(event->name),
                           event->why ? event->why : absence_advice(event->absence));
    text_append_char(&why, '\0');
    if (r < 0 || text_error(&why) < 0)
        return -ENOMEM;
    encoding->status = is_unknown ? EXIT_USAGE : encoding->status ? encoding->status : EXIT_FAILURE;
    if (encoding->events)
        return json_array_append_new(encoding->events, event_absent_to_json(event, why.data)) < 0
                   ? -ENOMEM
                   : 0;
    (void)fprintf(stderr, PROGRAM ": %s\n", why.data);
    return 0;
}

static int show(void *object, const struct event *event)
{
    struct event_telling *encoding = object;
    AUTO_FREE char *perf = NULL, *metric = NULL;
    int r;

    if (!*event->encoding || event->absence == ABSENCE_BAD_FILTER)
        return report_absent(encoding, event);
    r = perf_line_of(event, &perf);
    if (r >= 0)
        r = event_metric_pattern(event, &metric);
    if (r < 0)
        return r;
    if (!encoding->events)
        return add_event(encoding->table, event, perf, metric);
    return json_array_append_new(encoding->events, event_to_json(event, perf, metric)) < 0 ? -ENOMEM
                                                                                           : 0;
}

int run_encode(int argc, char **argv)
{
    static const struct table_column columns[] = {{0}, {0}};
    struct event_telling encoding = {0};

    return event_telling_run(&encoding, &argp, argc, argv, columns, ARRAY_SIZE(columns), show);
}
