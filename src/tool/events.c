/* SPDX-License-Identifier: Apache-2.0 */

/* Lists the events that have names here. Whether they can be counted is only asked on demand. */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "config/config_error.h"
#include "event/event_catalogue.h"
#include "resolve/absence_advice.h"
#include "sys/tracefs.h"
#include "tool/command.h"
#include "tool/event_json.h"
#include "tool/json.h"
#include "tool/machine.h"
#include "tool/table.h"

#define EXIT_NOTHING_FOUND 1

enum { KEY_AVAILABLE = 0x1200, KEY_KIND, KEY_NAMES, KEY_PMU, KEY_TRY };

struct events_options {
    struct event_catalogue_filter filter;
    const char **patterns; /* as many as there are words on the command line */
    const char *sysfs;
    bool tries;          /* tell of each event whether it can be counted */
    bool only_available; /* leave out those that cannot */
    bool only_names;     /* print nothing else, aliases too */
    bool json;
};

static void refuse_kind(const char *word)
{
    AUTO_TEXT struct text kinds = {0};
    AUTO_FREE char *list = NULL;

    for (enum event_kind kind = EVENT_UNKNOWN + 1; kind < EVENT_KIND_COUNT_; kind++)
        text_append_format(&kinds, "%s%s", kinds.length ? ", " : "", event_kind_name(kind));
    list = text_take(&kinds);
    command_refuse("unknown kind of events %s; expected some of %s, with commas between",
                   SHOWN(word), list ? list : "the kinds");
}

/* kinds: "tracepoint" or "hardware,software". It is changed. */
static void take_kinds(char *kinds, struct event_catalogue_filter *filter)
{
    char *rest = kinds, *word;

    while ((word = strsep(&rest, ","))) {
        enum event_kind kind = EVENT_UNKNOWN + 1;

        while (kind < EVENT_KIND_COUNT_ && strcmp(word, event_kind_name(kind)) != 0)
            kind++;
        if (kind == EVENT_KIND_COUNT_)
            refuse_kind(word);
        filter->kinds[kind] = true;
    }
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct events_options *options = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->sysfs;
        state->child_inputs[1] = &options->json;
        return 0;
    case ARGP_KEY_ARG:
        options->patterns[options->filter.n_patterns++] = argument;
        return 0;
    case KEY_KIND:
        take_kinds(argument, &options->filter);
        return 0;
    case KEY_PMU:
        options->filter.pmu = argument;
        return 0;
    case KEY_NAMES:
        options->only_names = true;
        return 0;
    case KEY_AVAILABLE:
        options->only_available = options->tries = true;
        return 0;
    case KEY_TRY:
        options->tries = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option option_list[] = {
    {.name = "kind",
     .key = KEY_KIND,
     .arg = "KIND,...",
     .doc = "Only events of these kinds: hardware, software, cache, pmu, libpfm4, tracepoint."},
    {.name = "pmu",
     .key = KEY_PMU,
     .arg = "PATTERN",
     .doc = "Only events of the PMU, or the subsystem of tracepoints, with this name."},
    {.name = "names",
     .key = KEY_NAMES,
     .doc = "Print nothing but the names, aliases too, each in a line of its own."},
    {.name = "try",
     .key = KEY_TRY,
     .doc = "Count with each event for a moment, and tell whether it can be counted here."},
    {.name = "available",
     .key = KEY_AVAILABLE,
     .doc = "Try each event as --try does, and list only those that can be counted here."},
    {0},
};

static const struct argp_child children[] = {
    {.argp = &machine_argp}, {.argp = &command_json_argp}, {0}};

static const struct argp argp = {
    .options = option_list,
    .parser = parse,
    .args_doc = "[PATTERN...]",
    .doc = "List the events that have names here, by kind, PMU and name.\v"
           "A pattern with *, ? or [ fits a whole name or description, any other a part of one; "
           "upper and lower case are the same. Exit status 0: there are such events; 1: there are "
           "none.",
    .children = children,
};

/* Whether the event can be counted here. 0 or -ENOMEM. */
static int try_entry(const struct machine *machine, const struct event_catalogue_entry *entry,
                     struct event_trial *ret_trial)
{
    AUTO(event) struct event *event = NULL;
    int r = event_resolve(machine->resolver, entry->name, &event);

    if (r >= 0)
        *ret_trial = machine_try(machine, event);
    return r;
}

static void add_trial(struct table *table, const struct event_trial *trial)
{
    if (trial->absence != ABSENCE_NONE)
        table_add_format(table, STYLE_BAD, "no, %s", absence_name(trial->absence));
    else
        table_add(table, trial->scope == SCOPE_SYSTEM ? "yes, system-wide" : "yes", STYLE_GOOD);
}

static void add_row(struct table *table, const struct event_catalogue_entry *entry,
                    const struct event_trial *trial)
{
    AUTO_FREE char *line = strndup(entry->description, strcspn(entry->description, "\n"));

    if (entry->alias)
        table_add_format(table, STYLE_PLAIN, "%s OR %s", entry->name, entry->alias);
    else
        table_add(table, entry->name, STYLE_PLAIN);
    table_add(table, event_kind_name(entry->kind), STYLE_PLAIN);
    table_add(table, entry->pmu, STYLE_PLAIN);
    if (trial)
        add_trial(table, trial);
    table_add(table, line ? line : "", STYLE_FAINT);
}

static json_t *row_to_json(const struct event_catalogue_entry *entry,
                           const struct event_trial *trial)
{
    json_t *row =
        json_pack("{s:o, s:o, s:s, s:o, s:o}", "name", json_of_text(entry->name), "alias",
                  json_of_text(entry->alias), "kind", event_kind_name(entry->kind), "pmu",
                  json_of_text(entry->pmu), "description", json_of_text(entry->description));

    if (row && trial)
        (void)json_object_update_new(row, event_trial_to_json(trial));
    return row;
}

static void print_names(const struct event_catalogue_entry *entry)
{
    AUTO_TEXT struct text names = {0};

    (void)terminal_append_shown(&names, entry->name, 0);
    text_append_char(&names, '\n');
    if (entry->alias) {
        (void)terminal_append_shown(&names, entry->alias, 0);
        text_append_char(&names, '\n');
    }
    (void)fwrite(names.data, 1, names.length, stdout);
}

/* What is listed, in one of two forms. */
struct listing {
    struct table *table;
    json_t *rows;
    bool is_met[ABSENCE_COUNT_]; /* the reasons that some row tells */
    size_t n;
};

/* 0 or -ENOMEM. */
static int list_entry(const struct events_options *options, const struct machine *machine,
                      const struct event_catalogue_entry *entry, struct listing *listing)
{
    struct event_trial trial = {0};
    int r = options->tries ? try_entry(machine, entry, &trial) : 0;

    if (r < 0 || (options->only_available && trial.absence != ABSENCE_NONE))
        return r;
    listing->is_met[trial.absence] = true;
    listing->n++;
    if (options->only_names) {
        print_names(entry);
        return 0;
    }
    if (options->json)
        return json_array_append_new(listing->rows,
                                     row_to_json(entry, options->tries ? &trial : NULL)) < 0
                   ? -ENOMEM
                   : 0;
    add_row(listing->table, entry, options->tries ? &trial : NULL);
    return 0;
}

/* What the reasons in the table mean. */
static void explain(const struct listing *listing)
{
    for (enum absence reason = ABSENCE_NONE + 1; reason < ABSENCE_COUNT_; reason++)
        if (listing->is_met[reason])
            (void)printf("%s: %s\n", absence_name(reason), absence_advice(reason));
}

static int print_listing(const struct events_options *options, struct listing *listing)
{
    int r;

    if (options->json && !options->only_names)
        return json_print(json_pack("{s:O}", "events", listing->rows));
    if (listing->n == 0 || options->only_names)
        return 0;
    r = table_print(listing->table);
    if (r >= 0)
        explain(listing);
    return r;
}

/*
 * Tells why there are no tracepoints, which most machines have. Who lists for a script is not told.
 */
static void note_missing_tracepoints(const struct events_options *options,
                                     const struct machine *machine)
{
    AUTO_CLOSE int tracefs_fd = tracefs_open(machine->sysfs_fd);
    const bool is_there = !(tracefs_fd < 0 || faccessat(tracefs_fd, "events", R_OK | X_OK, 0) < 0);

    if (is_there || options->json || options->only_names ||
        !event_catalogue_has_kind(&options->filter, EVENT_TRACEPOINT))
        return;
    (void)fprintf(stderr, PROGRAM ": tracepoints are not listed: %s\n",
                  tracefs_fd == -ENOENT
                      ? "tracefs is not mounted below sysfs"
                      : "tracefs cannot be read; root may, or CAP_DAC_READ_SEARCH");
}

/* Nothing fits. One pattern that is nearly a name was most likely meant as that. */
static void report_nothing(const struct events_options *options, const struct machine *machine)
{
    AUTO_FREE char *nearest = options->filter.n_patterns == 1
                                  ? event_resolver_suggest(machine->resolver, options->patterns[0])
                                  : NULL;

    if (nearest)
        (void)fprintf(stderr, PROGRAM ": no event here fits; did you mean %s?\n", nearest);
    else
        (void)fprintf(stderr, PROGRAM ": no event here fits; \"pmutool events\" lists all\n");
}

/* Returns the exit status, or -errno. */
static int list(const struct events_options *options, const struct machine *machine,
                struct listing *listing)
{
    struct event_catalogue catalogue AUTO_EVENT_CATALOGUE = {0};
    int r = event_catalogue_read(machine->resolver, &options->filter, &catalogue);

    for (size_t i = 0; i < catalogue.n && r >= 0; i++)
        r = list_entry(options, machine, &catalogue.entries[i], listing);
    if (r >= 0)
        r = print_listing(options, listing);
    note_missing_tracepoints(options, machine);
    if (r >= 0 && listing->n == 0) {
        report_nothing(options, machine);
        return EXIT_NOTHING_FOUND;
    }
    return r;
}

int run_events(int argc, char **argv)
{
    static const struct table_column columns[] = {{.title = "EVENT"},
                                                  {.title = "KIND"},
                                                  {.title = "PMU"},
                                                  {.title = "COUNTED HERE"},
                                                  {.title = "DESCRIPTION", .may_be_cut = true}};
    static const struct table_column untried[] = {{.title = "EVENT"},
                                                  {.title = "KIND"},
                                                  {.title = "PMU"},
                                                  {.title = "DESCRIPTION", .may_be_cut = true}};
    AUTO_FREE const char **patterns = calloc((size_t)argc, sizeof(*patterns));
    AUTO_JSON json_t *rows = json_array();
    AUTO(table) struct table *table = NULL;
    struct machine machine AUTO_MACHINE = {.sysfs_fd = -1};
    struct events_options options = {.patterns = patterns, .sysfs = "/sys"};
    struct listing listing = {.rows = rows};
    int r;

    options.filter.patterns = patterns;
    if (patterns)
        command_parse(&argp, argc, argv, &options);
    table = options.tries ? table_new(columns, ARRAY_SIZE(columns))
                          : table_new(untried, ARRAY_SIZE(untried));
    if (!patterns || !rows || !table)
        return command_fail(-ENOMEM);
    if (machine_open(options.sysfs, &machine) < 0)
        return EXIT_FAILURE;
    listing.table = table;
    r = list(&options, &machine, &listing);
    return r < 0 ? command_fail(r) : r;
}
