/* SPDX-License-Identifier: Apache-2.0 */

/*
 * As perf does it: config=, config1=, config2= and raw codes set a whole number, the last one wins.
 * Fields are then added bit by bit, those of the event that sysfs has before those that are spelled
 * out; a field that comes twice has the bits of both values.
 */
#include "event/pmu_code.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/parse.h"
#include "event/nearest.h"
#include "event/pmu_files.h"
#include "event/pmu_format.h"

#define MOST_TERMS 32

/* Terms that perf takes and that are no part of a code, and why we do not take them. */
#define OF_SAMPLES  "it belongs to samples, and counting takes none"
#define OF_TRACES   "it belongs to traces that a PMU writes, and counting takes none"
#define OF_CHILDREN "who is counted follows from the targets of the configuration"

static const struct {
    const char *name, *reason;
} refused_terms[] = {
    {"period", OF_SAMPLES},
    {"freq", OF_SAMPLES},
    {"time", OF_SAMPLES},
    {"branch_type", OF_SAMPLES},
    {"call-graph", OF_SAMPLES},
    {"stack-size", OF_SAMPLES},
    {"max-stack", OF_SAMPLES},
    {"nr", OF_SAMPLES},
    {"overwrite", OF_SAMPLES},
    {"no-overwrite", OF_SAMPLES},
    {"aux-output", OF_TRACES},
    {"aux-action", OF_TRACES},
    {"aux-sample-size", OF_TRACES},
    {"driver-config", OF_TRACES},
    {"inherit", OF_CHILDREN},
    {"no-inherit", OF_CHILDREN},
    {"cpu", "CPUs are chosen for all events of the machine together, by targets.system.cpus"},
    {"percore", "values are shown by CPU or for the machine, by targets.system.by"},
    {"name", "the configuration gives other names by rename:"},
    {"metric-id", "it is perf's own, to find the events of a metric"},
    {"config3", "this version does not know that field of perf_event_attr"},
};

/* What is parsed, and for whom. */
struct parser {
    int sysfs_fd;
    const char *pmu;
    struct event *event; /* is told what is wrong */
    struct pmu_term terms[MOST_TERMS];
    size_t n_terms;
    struct event_code set;   /* by config= and their like */
    struct event_code added; /* by fields */
};

static int offer(void *object, const char *name)
{
    nearest_offer(object, name);
    return 0;
}

static int refuse_unknown(const struct parser *parser, const char *name)
{
    struct nearest nearest;
    const struct pmu_file_visitor visitor = {offer, &nearest};

    if (nearest_init(&nearest, name)) {
        (void)pmu_files_visit(parser->sysfs_fd, parser->pmu, PMU_EVENTS, &visitor);
        (void)pmu_files_visit(parser->sysfs_fd, parser->pmu, PMU_FORMATS, &visitor);
    }
    if (nearest.best[0])
        return source_refuse(parser->event,
                             "the PMU %s has no event and no field \"%s\"; did you mean %s?",
                             parser->pmu, name, nearest.best);
    return source_refuse(parser->event,
                         "the PMU %s has no event and no field \"%s\"; its fields are in "
                         "bus/event_source/devices/%s/format of sysfs",
                         parser->pmu, name, parser->pmu);
}

/* The reason why a term of perf is not taken; NULL: it is none of these. */
static const char *find_reason(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(refused_terms); i++)
        if (strcmp(refused_terms[i].name, name) == 0)
            return refused_terms[i].reason;
    return NULL;
}

static int refuse_unreadable(const struct parser *parser, const char *folder, const char *name)
{
    return source_refuse(parser->event,
                         "%s/%s of the PMU %s in sysfs holds what cannot be understood", folder,
                         name, parser->pmu);
}

/* Splits a text into terms. origin: what the text is, for what people are told. */
static int split_terms(struct parser *parser, const char *text, const char *origin)
{
    int r = 1;

    parser->n_terms = 0;
    while (r > 0) {
        if (parser->n_terms == MOST_TERMS)
            return source_refuse(parser->event, "%s has more than %d terms", origin, MOST_TERMS);
        r = pmu_term_next(&text, &parser->terms[parser->n_terms]);
        if (r > 0)
            parser->n_terms++;
    }
    if (r == -ERANGE)
        return source_refuse(parser->event, "the value of \"%s\" has more than 64 bits",
                             parser->terms[parser->n_terms].name);
    if (r < 0 || parser->n_terms == 0)
        return source_refuse(parser->event,
                             "%s is not understood; expected an event of the PMU, or FIELD=NUMBER, "
                             "with commas between them",
                             origin);
    return SOURCE_KNOWS;
}

/* Whether the whole word is "config", "config1" or "config2". */
static uint64_t *find_number(struct parser *parser, const char *name)
{
    enum code_number number;
    const size_t length = code_number_parse(name, &number);

    return length > 0 && !name[length] ? code_number_of(&parser->set, number) : NULL;
}

static int add_field(struct parser *parser, const struct pmu_term *term, const char *format_text)
{
    struct pmu_format format;
    uint64_t *number;

    if (pmu_format_parse(format_text, &format) < 0)
        return refuse_unreadable(parser, PMU_FORMATS, term->name);
    number = code_number_of(&parser->added, format.number);
    if (!number)
        return source_refuse(parser->event, "the field %s is in %s, which this version cannot set",
                             term->name, code_number_name(format.number));
    if (term->number > pmu_format_maximum(&format))
        return source_refuse(
            parser->event,
            "0x%" PRIx64
            " is too large for the field %s of the PMU %s, which takes up to 0x%" PRIx64,
            term->number, term->name, parser->pmu, pmu_format_maximum(&format));
    *number |= pmu_format_spread(&format, term->number);
    return SOURCE_KNOWS;
}

static int take_raw(struct parser *parser, const struct pmu_term *term)
{
    const char *reason = find_reason(term->name);

    if (reason)
        return source_refuse(parser->event, "perf's term \"%s\" is not taken: %s", term->name,
                             reason);
    if (term->kind != VALUE_NONE || term->name[0] != 'r' ||
        parse_hex(term->name + 1, &parser->set.config) < 0)
        return refuse_unknown(parser, term->name);
    return SOURCE_KNOWS;
}

/* Takes a term that is no event. A field whose name is a raw code's, too, is the field. */
static int take_term(struct parser *parser, const struct pmu_term *term)
{
    uint64_t *number = find_number(parser, term->name);
    char format[PMU_TEXT_SIZE];
    int r = number || !pmu_word_is_name(term->name)
                ? -ENOENT
                : pmu_file_read(parser->sysfs_fd, parser->pmu, PMU_FORMATS, term->name, format);

    if (term->kind == VALUE_WORD && strcmp(term->name, "event") == 0)
        return refuse_unknown(parser, term->word); /* "event=instructions" is perf's long form */
    if ((number || r >= 0) && term->kind == VALUE_WORD)
        return source_refuse(parser->event, "%s takes a number, not \"%s\"", term->name,
                             term->word);
    if (number) {
        *number = term->number;
        return SOURCE_KNOWS;
    }
    if (r == -ENOENT)
        return take_raw(parser, term);
    return r < 0 ? refuse_unreadable(parser, PMU_FORMATS, term->name)
                 : add_field(parser, term, format);
}

static bool has_format(const struct parser *parser, const char *name)
{
    char text[PMU_TEXT_SIZE];

    return pmu_file_read(parser->sysfs_fd, parser->pmu, PMU_FORMATS, name, text) != -ENOENT;
}

/* Finds the event that a term names: "instructions", or perf's "event=instructions". */
static bool find_event(const struct parser *parser, const struct pmu_term *term,
                       char ret_name[PMU_WORD_SIZE])
{
    const char *name = term->name;

    if (term->kind == VALUE_WORD && strcmp(term->name, "event") == 0)
        name = term->word;
    else if (term->kind != VALUE_NONE || has_format(parser, name))
        return false;
    return pmu_word_is_name(name) &&
           pmu_file_find(parser->sysfs_fd, parser->pmu, PMU_EVENTS, name, ret_name);
}

/* Whether one of the terms that the user wrote gives this field a value. */
static bool is_given(const struct parser *parser, const char *field)
{
    for (size_t i = 0; i < parser->n_terms; i++)
        if (parser->terms[i].kind == VALUE_NUMBER && strcmp(parser->terms[i].name, field) == 0)
            return true;
    return false;
}

/* Takes the terms that sysfs has for an event. `written` has those of the user. */
static int take_event(struct parser *written, const char *name)
{
    struct parser parser = {.sysfs_fd = written->sysfs_fd,
                            .pmu = written->pmu,
                            .event = written->event,
                            .set = written->set,
                            .added = written->added};
    char text[PMU_TEXT_SIZE];
    int r = pmu_file_read(parser.sysfs_fd, parser.pmu, PMU_EVENTS, name, text);

    if (r < 0)
        return refuse_unreadable(&parser, PMU_EVENTS, name);
    r = split_terms(&parser, text, name);
    for (size_t i = 0; i < parser.n_terms && r == SOURCE_KNOWS; i++) {
        const struct pmu_term *term = &parser.terms[i];

        if (term->kind != VALUE_OPEN)
            r = take_term(&parser, term);
        else if (!is_given(written, term->name))
            r = source_refuse(parser.event, "the event %s needs a value for %s: %s/%s,%s=NUMBER/",
                              name, term->name, parser.pmu, name, term->name);
    }
    written->set = parser.set;
    written->added = parser.added;
    return r;
}

/* Takes the event among the terms first, since what is spelled out adds to it. */
static int take_events(struct parser *parser, bool is_event[MOST_TERMS],
                       char ret_event[PMU_WORD_SIZE])
{
    int r = SOURCE_KNOWS;

    for (size_t i = 0; i < parser->n_terms && r == SOURCE_KNOWS; i++) {
        char name[PMU_WORD_SIZE];

        is_event[i] = find_event(parser, &parser->terms[i], name);
        if (!is_event[i])
            continue;
        if (ret_event[0])
            return source_refuse(parser->event, "%s and %s are two events; each has its own entry",
                                 ret_event, name);
        memcpy(ret_event, name, sizeof(name));
        r = take_event(parser, name);
    }
    return r;
}

int pmu_code_parse(int sysfs_fd, const struct pmu *pmu, const char *terms, struct event *event,
                   char ret_event[PMU_WORD_SIZE])
{
    struct parser parser = {.sysfs_fd = sysfs_fd, .pmu = pmu->name, .event = event};
    bool is_event[MOST_TERMS] = {false};
    int r = split_terms(&parser, terms, terms);

    ret_event[0] = '\0';
    if (r == SOURCE_KNOWS)
        r = take_events(&parser, is_event, ret_event);
    for (size_t i = 0; i < parser.n_terms && r == SOURCE_KNOWS; i++)
        if (!is_event[i])
            r = take_term(&parser, &parser.terms[i]);
    if (r != SOURCE_KNOWS)
        return r;
    event->code.type = pmu->type;
    event->code.config = parser.set.config | parser.added.config;
    event->code.config1 = parser.set.config1 | parser.added.config1;
    event->code.config2 = parser.set.config2 | parser.added.config2;
    return SOURCE_KNOWS;
}
