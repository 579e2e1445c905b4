/* SPDX-License-Identifier: Apache-2.0 */

/* Tells of single events what `check config` tells of those of a configuration. */

#include <errno.h>

#include "check/events.h"
#include "resolve/absence_advice.h"
#include "tool/event_json.h"
#include "tool/event_telling.h"

static const struct argp argp = {
    .parser = event_words_parse,
    .args_doc = "EVENT...",
    .doc = "Tell of each event whether its name is known, whether it can be counted here (by "
           "counting with it for a moment), how it is encoded, and what its metric is called.\v"
           "Exit status 0: all can be counted here; 1: some cannot; 2: nothing knows a name.",
    .children = event_words_children,
};

struct telling {
    struct event_telling all;
    bool is_met[ABSENCE_COUNT_]; /* the reasons that were told */
};

/* Why the event is unknown, or why it cannot be counted here; empty if it can. 0 or -errno. */
static int explain(const struct telling *telling, const struct event *event,
                   const struct event_trial *trial, char **ret_why)
{
    AUTO_TEXT struct text why = {0};
    int r = 0;

    if (trial->absence == ABSENCE_UNKNOWN_EVENT)
        r = check_explain_unknown(telling->all.machine->resolver, event, &why);
    else
        text_append_string(&why, event->why && trial->absence == event->absence
                                     ? event->why
                                     : absence_advice(trial->absence));
    if (r < 0)
        return r;
    *ret_why = text_take(&why);
    return *ret_why ? 0 : -ENOMEM;
}

/* What is known of one event is said of it; of other reasons it is said once what they mean. */
static void add_reason(struct telling *telling, const struct event *event, enum absence absence,
                       const char *why)
{
    if (absence == ABSENCE_UNKNOWN_EVENT)
        text_append_format(&telling->all.notes, "%s\n", why);
    else if (absence != ABSENCE_NONE && event->why)
        text_append_format(&telling->all.notes, "%s: %s\n", event->name, why);
    else if (absence != ABSENCE_NONE && !telling->is_met[absence])
        text_append_format(&telling->all.notes, "%s: %s\n", absence_name(absence), why);
    telling->is_met[absence] = true;
}

static void add_row(struct telling *telling, const struct event *event,
                    const struct event_trial *trial, const char *metric)
{
    struct table *table = telling->all.table;

    table_add(table, event->name, STYLE_PLAIN);
    table_add(table, event_kind_name(event->kind), STYLE_PLAIN);
    if (trial->absence == ABSENCE_NONE)
        table_add(table, trial->scope == SCOPE_SYSTEM ? "yes, system-wide" : "yes", STYLE_GOOD);
    else
        table_add_format(table, STYLE_BAD, "no, %s", absence_name(trial->absence));
    table_add(table, *event->encoding ? event->encoding : "-", STYLE_PLAIN);
    table_add(table, event->absence == ABSENCE_UNKNOWN_EVENT ? "-" : metric, STYLE_PLAIN);
}

static json_t *to_json(const struct event *event, const struct event_trial *trial,
                       const char *metric, const char *why)
{
    const bool is_known = event->absence != ABSENCE_UNKNOWN_EVENT;
    AUTO_JSON json_t *counted = event_trial_to_json(trial);
    json_t *object =
        json_pack("{s:o, s:b, s:s, s:o, s:o, s:o}", "name", json_of_text(event->name), "known",
                  is_known, "kind", event_kind_name(event->kind), "pmu", json_of_text(event->pmu),
                  "encoding", json_of_text(*event->encoding ? event->encoding : NULL), "metric",
                  json_of_text(is_known ? metric : NULL));

    if (object && json_object_update(object, counted) < 0)
        return NULL;
    if (object && *why)
        (void)json_object_set_new(object, "advice", json_of_text(why));
    return object;
}

static int show(void *object, const struct event *event)
{
    struct telling *telling = object;
    const struct event_trial trial = machine_try(telling->all.machine, event);
    AUTO_FREE char *why = NULL, *metric = NULL;
    int r = explain(telling, event, &trial, &why);

    if (r >= 0)
        r = event_metric_pattern(event, &metric);
    if (r < 0)
        return r;
    if (trial.absence == ABSENCE_UNKNOWN_EVENT)
        telling->all.status = EXIT_USAGE;
    else if (trial.absence != ABSENCE_NONE && telling->all.status == 0)
        telling->all.status = EXIT_FAILURE;
    if (telling->all.events)
        return json_array_append_new(telling->all.events, to_json(event, &trial, metric, why)) < 0
                   ? -ENOMEM
                   : 0;
    add_row(telling, event, &trial, metric);
    add_reason(telling, event, trial.absence, why);
    return 0;
}

int run_check_event(int argc, char **argv)
{
    static const struct table_column columns[] = {{.title = "EVENT"},
                                                  {.title = "KIND"},
                                                  {.title = "COUNTED HERE"},
                                                  {.title = "ENCODING"},
                                                  {.title = "METRIC"}};
    struct telling telling = {0};

    return event_telling_run(&telling.all, &argp, argc, argv, columns, ARRAY_SIZE(columns), show);
}
