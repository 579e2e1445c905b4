/* SPDX-License-Identifier: Apache-2.0 */
#include "service/profile_arguments.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "metric/target_filter.h"
#include "profile/sampler.h"
#include "service/api_arguments.h"

#define USUAL_NS      (300 * NS_PER_SECOND)
#define MOST_NODES    100000
#define USUAL_NODES   5000
#define MOST_ROWS     100000
#define USUAL_ROWS    500
#define MOST_SECONDS  (UINT64_C(8) * 24 * 3600)
#define USUAL_SECONDS 30

/*
 * Of what is older than this nothing is added any more. Who asks each minute for a minute would
 * never see what is added later.
 */
#define COMPLETE_NS (SAMPLER_PATIENCE_NS + NS_PER_SECOND)

static void free_choice(struct profile_choice *choice)
{
    free(choice->name);
    free(choice->label);
}

void profile_arguments_free(void *object)
{
    struct profile_arguments *arguments = object;

    if (!arguments)
        return;
    free_choice(&arguments->choice);
    free_choice(&arguments->before);
    free(arguments->owner);
    free(arguments->function);
    free(arguments);
}

static void cleanup_arguments(struct profile_arguments **arguments)
{
    profile_arguments_free(*arguments);
}
#define AUTO_ARGUMENTS __attribute__((cleanup(cleanup_arguments)))

struct profile_range profile_choice_range(const struct profile_choice *choice)
{
    return (struct profile_range){.scope = choice->scope,
                                  .label = choice->label,
                                  .from_ns = choice->start_ns,
                                  .to_ns = choice->end_ns};
}

/* Says what a name without a kind may have been meant to be. */
static void append_meant(const char *name, struct text *text)
{
    if (!*name || strchr(name, ':'))
        return;
    if (!strchr(name, '/'))
        text_append_format(text, "; meant may be process:%.256s or", name);
    else
        text_append_string(text, "; meant may be");
    text_append_format(text, " cgroup:/%.256s", name + strspn(name, "/"));
}

static int refuse_target(const char *name, struct text *text)
{
    text_append_format(text,
                       "target \"%.256s\" %s; expected machine, cgroup:PATH, process:NAME or "
                       "run:NUMBER",
                       name,
                       strchr(name, ':') ? "has no profile" : "does not say of which kind it is");
    append_meant(name, text);
    return -EINVAL;
}

#define RUN_PREFIX "run:"

/* A run that has recorded. */
static int read_run(const char *name, struct text *text, struct profile_choice *choice)
{
    const int r = api_id_read(name + strlen(RUN_PREFIX), "run", text, &choice->run);

    if (r < 0)
        return r;
    choice->name = strdup(name);
    choice->label = strdup("");
    return choice->name && choice->label ? 0 : -ENOMEM;
}

/* The target that has this name. */
static int read_target(const char *name, struct text *text, struct profile_choice *choice)
{
    static const struct {
        const char *kind;
        enum profile_scope scope;
    } kinds[] = {
        {"machine", PROFILE_MACHINE}, {"cgroup", PROFILE_CGROUP}, {"process", PROFILE_PROCESSES}};
    struct target_filter filter;

    if (strncmp(name, RUN_PREFIX, strlen(RUN_PREFIX)) == 0)
        return read_run(name, text, choice);
    if (target_filter_parse(name, &filter) < 0)
        return refuse_target(name, text);
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        if (strncmp(kinds[i].kind, filter.kind, filter.kind_length) == 0 &&
            !kinds[i].kind[filter.kind_length]) {
            choice->scope = kinds[i].scope;
            choice->name = strdup(name);
            choice->label = strdup(filter.value);
            return choice->name && choice->label ? 0 : -ENOMEM;
        }
    return refuse_target(name, text);
}

int profile_target_check(const char *name, struct text *text)
{
    struct profile_choice choice = {0};
    const int r = read_target(name, text, &choice);

    free_choice(&choice);
    return r;
}

/* One of several words; the first where the argument is not given. NULL ends them. */
static int read_word(const struct query *query, const char *argument, const char *const *words,
                     struct text *text, unsigned *ret_number)
{
    const char *value = query_value(query, argument);

    *ret_number = 0;
    for (unsigned i = 0; value && words[i]; i++)
        if (strcmp(words[i], value) == 0) {
            *ret_number = i;
            return 0;
        }
    if (!value)
        return 0;
    text_append_format(text, "%s \"%.64s\"; expected one of", argument, value);
    for (unsigned i = 0; words[i]; i++)
        text_append_format(text, "%s %s", i ? "," : "", words[i]);
    return -EINVAL;
}

/* A copy of an argument; NULL: it is not given. */
static int read_copy(const struct query *query, const char *argument, char **ret_copy)
{
    const char *value = query_value(query, argument);

    *ret_copy = value ? strdup(value) : NULL;
    return value && !*ret_copy ? -ENOMEM : 0;
}

/* The function that is asked about. */
static int read_function(const struct query *query, struct profile_arguments *arguments)
{
    int r = read_copy(query, "owner", &arguments->owner);

    return r < 0 ? r : read_copy(query, "name", &arguments->function);
}

static int read_range(const struct query *query, struct text *text, struct profile_choice *choice)
{
    struct api_range range;
    int r = api_range_read(query, USUAL_NS, text, &range);

    if (r < 0)
        return r;
    choice->start_ns = range.start_ns;
    choice->end_ns = range.end_ns;
    return 0;
}

/* Whose callers or callees are wanted. */
static int read_part(const struct query *query, struct text *text,
                     struct profile_arguments *arguments)
{
    static const char *const parts[] = {"all", "callers", "callees", NULL};
    static const char *const no_yes[] = {"0", "1", NULL};
    unsigned part, inverted;
    int r = read_word(query, "of", parts, text, &part);

    if (r >= 0)
        r = read_word(query, "inverted", no_yes, text, &inverted);
    if (r >= 0)
        r = read_function(query, arguments);
    if (r < 0)
        return r;
    arguments->part = (enum profile_part_of)part;
    arguments->is_inverted = inverted;
    if (part != PROFILE_ALL && (!arguments->owner || !arguments->function)) {
        text_append_string(text, "?of= takes a function: ?owner= and ?name=");
        return -EINVAL;
    }
    return 0;
}

static int read_numbers(const struct query *query, struct text *text,
                        struct profile_arguments *arguments)
{
    static const struct api_number nodes = {"nodes", 2, MOST_NODES, USUAL_NODES};
    static const struct api_number rows = {"rows", 1, MOST_ROWS, USUAL_ROWS};
    int r = api_number_read(query, &nodes, text, &arguments->nodes);

    return r < 0 ? r : api_number_read(query, &rows, text, &arguments->rows);
}

/* The target, the range and the sizes. */
static int read_common(const struct query *query, const char *const *known, struct text *text,
                       struct profile_arguments **ret_arguments)
{
    AUTO_ARGUMENTS struct profile_arguments *arguments = calloc(1, sizeof(*arguments));
    const char *target = query_value(query, "target");
    int r = arguments ? api_arguments_check(query, known, text) : -ENOMEM;

    if (r >= 0)
        r = read_target(target ? target : "machine", text, &arguments->choice);
    if (r >= 0)
        r = read_range(query, text, &arguments->choice);
    if (r >= 0)
        r = read_numbers(query, text, arguments);
    if (r >= 0)
        *ret_arguments = TAKE(arguments);
    return r;
}

int profile_arguments_read(const struct query *query, struct text *text,
                           struct profile_arguments **ret_arguments)
{
    static const char *const known[] = {"target", "start", "end",  "format",   "nodes", "rows",
                                        "of",     "owner", "name", "inverted", NULL};
    static const char *const forms[] = {"json", "collapsed", "speedscope", "pprof", NULL};
    AUTO_ARGUMENTS struct profile_arguments *arguments = NULL;
    unsigned form = 0;
    int r = read_common(query, known, text, &arguments);

    if (r >= 0)
        r = read_word(query, "format", forms, text, &form);
    if (r >= 0)
        r = read_part(query, text, arguments);
    if (r < 0)
        return r;
    arguments->form = (enum profile_form)form;
    *ret_arguments = TAKE(arguments);
    return 0;
}

/* What is kept sample by sample: that of runs is not. */
static int read_common_of_now(const struct query *query, const char *const *known,
                              struct text *text, struct profile_arguments **ret_arguments)
{
    AUTO_ARGUMENTS struct profile_arguments *arguments = NULL;
    const int r = read_common(query, known, text, &arguments);

    if (r < 0)
        return r;
    if (profile_arguments_are_of_run(arguments)) {
        text_append_string(text, "the samples of a run are not kept one by one; expected machine, "
                                 "cgroup:PATH or process:NAME");
        return -EINVAL;
    }
    *ret_arguments = TAKE(arguments);
    return 0;
}

int profile_arguments_read_seconds(const struct query *query, struct text *text,
                                   struct profile_arguments **ret_arguments)
{
    static const char *const known[] = {"target", "start", "end", NULL};

    return read_common_of_now(query, known, text, ret_arguments);
}

int profile_arguments_read_annotation(const struct query *query, struct text *text,
                                      struct profile_arguments **ret_arguments)
{
    static const char *const known[] = {"target", "start", "end", "owner", "name", NULL};
    AUTO_ARGUMENTS struct profile_arguments *arguments = NULL;
    int r = read_common_of_now(query, known, text, &arguments);

    if (r >= 0)
        r = read_function(query, arguments);
    if (r < 0)
        return r;
    if (!arguments->function) {
        text_append_string(text, "an annotation is of a function: ?name=");
        return -EINVAL;
    }
    *ret_arguments = TAKE(arguments);
    return 0;
}

/* The range before: one of its own, or as long as the other and right before it. */
static int read_before(const struct query *query, struct text *text,
                       struct profile_arguments *arguments)
{
    const struct profile_choice *after = &arguments->choice;
    const uint64_t length_ns = after->end_ns - after->start_ns;
    const char *start = query_value(query, "before_start"), *end = query_value(query, "before_end");
    const char *target = query_value(query, "before_target");
    struct query_argument both[] = {{"start", start ? start : ""}, {"end", end ? end : ""}};
    const struct query range = {.arguments = both, .n = 2};
    int r = read_target(target ? target : after->name, text, &arguments->before);

    if (r < 0)
        return r;
    if ((after->run > 0 && !target) || !after->run != !arguments->before.run) {
        text_append_string(text, "a run is compared with a run: expected target=run:NUMBER and "
                                 "before_target=run:NUMBER");
        return -EINVAL;
    }
    if (!start != !end) {
        text_append_string(text, "before_start and before_end belong together");
        return -EINVAL;
    }
    if (start)
        return read_range(&range, text, &arguments->before);
    arguments->before.end_ns = target ? after->end_ns : after->start_ns;
    arguments->before.start_ns = target                         ? after->start_ns
                                 : after->start_ns >= length_ns ? after->start_ns - length_ns
                                                                : 0;
    return 0;
}

int profile_arguments_read_difference(const struct query *query, struct text *text,
                                      struct profile_arguments **ret_arguments)
{
    static const char *const known[] = {"target",     "start", "end",  "before_start",
                                        "before_end", "nodes", "rows", "before_target",
                                        "measure",    NULL};
    static const char *const measures[] = {"shares", "time", NULL};
    AUTO_ARGUMENTS struct profile_arguments *arguments = NULL;
    unsigned measure = 0;
    int r = read_common(query, known, text, &arguments);

    if (r >= 0)
        r = read_word(query, "measure", measures, text, &measure);
    if (r >= 0)
        r = read_before(query, text, arguments);
    if (r < 0)
        return r;
    arguments->measure = (enum difference_measure)measure;
    *ret_arguments = TAKE(arguments);
    return 0;
}

static int read_label(const char *label, enum profile_scope scope, struct profile_choice *choice)
{
    choice->scope = scope;
    choice->label = strdup(label);
    choice->name = strdup(label);
    return choice->name && choice->label ? 0 : -ENOMEM;
}

int profile_arguments_read_pprof(const struct query *query, struct text *text,
                                 struct profile_arguments **ret_arguments)
{
    static const struct api_number seconds_form = {"seconds", 1, MOST_SECONDS, USUAL_SECONDS};
    static const char *const known[] = {"seconds", "cgroup", "groupname", "format", NULL};
    static const char *const words[] = {"pprof", "collapsed", "speedscope", NULL};
    static const enum profile_form forms[] = {PROFILE_FORM_PPROF, PROFILE_FORM_COLLAPSED,
                                              PROFILE_FORM_SPEEDSCOPE};
    const char *cgroup = query_value(query, "cgroup"), *group = query_value(query, "groupname");
    AUTO_ARGUMENTS struct profile_arguments *arguments = calloc(1, sizeof(*arguments));
    const uint64_t now_ns = clock_realtime_ns();
    uint64_t seconds = 0;
    unsigned form = 0;
    int r = arguments ? api_arguments_check(query, known, text) : -ENOMEM;

    if (r >= 0)
        r = api_number_read(query, &seconds_form, text, &seconds);
    if (r >= 0)
        r = read_word(query, "format", words, text, &form);
    if (r >= 0 && cgroup && group) {
        text_append_string(text, "a profile is of one: ?cgroup= or ?groupname=");
        return -EINVAL;
    }
    if (r >= 0 && (cgroup || group))
        r = read_label(cgroup ? cgroup : group, cgroup ? PROFILE_CGROUP : PROFILE_PROCESSES,
                       &arguments->choice);
    else if (r >= 0 && forms[form] != PROFILE_FORM_PPROF)
        r = read_target("machine", text, &arguments->choice); /* there are no labels in it */
    if (r < 0)
        return r;
    arguments->form = forms[form];
    arguments->choice.end_ns = now_ns - COMPLETE_NS;
    arguments->choice.start_ns = arguments->choice.end_ns - seconds * NS_PER_SECOND;
    *ret_arguments = TAKE(arguments);
    return 0;
}
