/* SPDX-License-Identifier: Apache-2.0 */

/* Profiles: as JSON for the page and for pmutool, and in the formats of other programs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "expose/json_text.h"
#include "expose/profile_json.h"
#include "expose/profile_pprof.h"
#include "profile/tree.h"
#include "service/page_group.h"
#include "service/profile_annotation.h"
#include "service/profile_answer.h"
#include "service/profile_arguments.h"
#include "service/profile_runs.h"
#include "service/profiler.h"

#define CONTENT_PPROF "application/octet-stream"

/* Adds up what is asked for. */
static int collect(const struct profile_sources *sources, const struct profile_choice *choice,
                   struct text *text, struct profile_tree **ret_tree)
{
    const struct profile_range range = profile_choice_range(choice);

    return profile_tell_none(profile_store_collect(sources->store, &range, ret_tree), sources,
                             choice, text);
}

static int work_profile(const struct profile_sources *sources, const void *object,
                        struct text *text)
{
    const struct profile_arguments *arguments = object;
    AUTO(profile_tree) struct profile_tree *tree = NULL;
    int r = collect(sources, &arguments->choice, text, &tree);

    return r < 0 ? r : profile_answer(arguments, text, &tree);
}

static int work_table(const struct profile_sources *sources, const void *object, struct text *text)
{
    const struct profile_arguments *arguments = object;
    AUTO(profile_tree) struct profile_tree *tree = NULL;
    int r = collect(sources, &arguments->choice, text, &tree);

    return r < 0 ? r : profile_json_write_table(tree, (size_t)arguments->rows, text);
}

static int work_seconds(const struct profile_sources *sources, const void *object,
                        struct text *text)
{
    const struct profile_arguments *arguments = object;
    const struct profile_range range = profile_choice_range(&arguments->choice);
    AUTO(profile_seconds) struct profile_seconds *seconds = NULL;
    int r = profile_tell_none(profile_store_seconds(sources->store, &range, &seconds), sources,
                              &arguments->choice, text);

    return r < 0 ? r : profile_json_write_seconds(seconds, text);
}

static int work_difference(const struct profile_sources *sources, const void *object,
                           struct text *text)
{
    const struct profile_arguments *arguments = object;
    const struct profile_range range_before = profile_choice_range(&arguments->before);
    const struct profile_range range = profile_choice_range(&arguments->choice);
    const struct profile_range *none = NULL;
    AUTO(profile_tree) struct profile_tree *before = NULL;
    AUTO(profile_tree) struct profile_tree *after = NULL;
    int r =
        profile_store_collect_two(sources->store, &range_before, &range, &before, &after, &none);

    if (r == -EDOM) {
        text_append_string(
            text, "the two ranges are within one minute or hour, of which only the sum of its "
                  "samples is kept");
        return -EINVAL;
    }
    r = profile_tell_none(r, sources, none == &range ? &arguments->choice : &arguments->before,
                          text);
    return r < 0 ? r : profile_answer_difference(before, after, arguments, text);
}

static void append_target(const struct profile_target_info *info, bool is_first, struct text *text)
{
    static const char *const kinds[] = {[PROFILE_MACHINE] = "machine",
                                        [PROFILE_CGROUP] = "cgroup:",
                                        [PROFILE_PROCESSES] = "process:"};
    AUTO_TEXT struct text name = {0};

    text_append_string(&name, kinds[info->scope]);
    text_append_string(&name, info->label);
    text_append_char(&name, '\0');
    text->failed |= text_error(&name) < 0;
    if (text->failed)
        return;
    text_append_string(text, is_first ? "{\"target\":" : ",{\"target\":");
    json_append_string(text, name.data);
    text_append_string(text, ",\"first\":");
    json_append_seconds(text, info->first_ns);
    text_append_string(text, ",\"last\":");
    json_append_seconds(text, info->last_ns);
    text_append_string(text, ",\"samples\":");
    text_append_u64(text, info->samples);
    text_append_char(text, '}');
}

/* The machine is what all cgroups have, and the rest. */
static void add_to_machine(const struct profile_target_info *info,
                           struct profile_target_info *machine)
{
    if (info->scope == PROFILE_PROCESSES || info->samples == 0)
        return;
    if (machine->samples == 0 || info->first_ns < machine->first_ns)
        machine->first_ns = info->first_ns;
    if (info->last_ns > machine->last_ns)
        machine->last_ns = info->last_ns;
    machine->samples += info->samples;
}

static int work_targets(const struct profile_sources *sources, const void *object,
                        struct text *text)
{
    const struct profile_store *store = sources->store;
    struct profile_target_info info, machine = {.scope = PROFILE_MACHINE, .label = ""};

    (void)object;
    for (size_t i = 0; profile_store_list(store, i, &info); i++)
        add_to_machine(&info, &machine);
    text_append_string(text, "{\"targets\":[");
    append_target(&machine, true, text);
    for (size_t i = 0; profile_store_list(store, i, &info); i++)
        if (info.scope != PROFILE_MACHINE && info.samples > 0)
            append_target(&info, false, text);
    text_append_string(text, "]}\n");
    return text_error(text);
}

/* Profiles of all targets, each under its label. */
struct pprof_parts {
    struct profile_part *parts;
    struct profile_tree **trees;
    struct label *labels;
    size_t n, capacity;
};

static void parts_done(struct pprof_parts *parts)
{
    for (size_t i = 0; i < parts->n; i++)
        (void)profile_tree_free(parts->trees[i]);
    free(parts->parts);
    free(parts->trees);
    free(parts->labels);
}
#define AUTO_PARTS __attribute__((cleanup(parts_done)))

static int make_parts(const struct profile_store *store, struct pprof_parts *parts)
{
    struct profile_target_info info;

    while (profile_store_list(store, parts->capacity, &info))
        parts->capacity++;
    parts->parts = calloc(parts->capacity + 1, sizeof(*parts->parts));
    parts->trees = calloc(parts->capacity + 1, sizeof(*parts->trees)); // NOLINT: of pointers
    parts->labels = calloc(parts->capacity + 1, sizeof(*parts->labels));
    return parts->parts && parts->trees && parts->labels ? 0 : -ENOMEM;
}

/* Adds what is of the target alone, so that no sample is there twice. */
static int add_part(const struct profile_store *store, const struct profile_arguments *arguments,
                    const struct profile_target_info *info, struct pprof_parts *parts)
{
    const struct profile_range range = {.scope = info->scope,
                                        .label = info->label,
                                        .own_only = true,
                                        .from_ns = arguments->choice.start_ns,
                                        .to_ns = arguments->choice.end_ns};
    struct profile_tree *tree;
    int r = profile_store_collect(store, &range, &tree);

    if (r < 0)
        return r == -ENOENT ? 0 : r;
    parts->labels[parts->n] = (struct label){"cgroup", info->label};
    parts->trees[parts->n] = tree;
    parts->parts[parts->n] =
        (struct profile_part){.tree = tree,
                              .labels = &parts->labels[parts->n],
                              .n_labels = info->scope == PROFILE_CGROUP ? 1 : 0};
    parts->n++;
    return 0;
}

static int write_all(const struct profile_sources *sources,
                     const struct profile_arguments *arguments, struct text *text)
{
    const struct profile_store *store = sources->store;
    struct pprof_parts parts AUTO_PARTS = {0};
    struct profile_target_info info;
    int r = make_parts(store, &parts);

    for (size_t i = 0; r >= 0 && i < parts.capacity && profile_store_list(store, i, &info); i++)
        if (info.scope != PROFILE_PROCESSES)
            r = add_part(store, arguments, &info, &parts);
    if (r >= 0 && parts.n == 0 && !sources->sampler)
        return profile_tell_no_sampler(sources, text);
    return r < 0 ? r : profile_pprof_write(parts.parts, parts.n, text);
}

static int work_pprof(const struct profile_sources *sources, const void *object, struct text *text)
{
    const struct profile_arguments *arguments = object;
    AUTO(profile_tree) struct profile_tree *tree = NULL;
    int r;

    if (!arguments->choice.name)
        return write_all(sources, arguments, text);
    r = collect(sources, &arguments->choice, text, &tree);
    return r < 0 ? r : profile_answer(arguments, text, &tree);
}

/* What answers questions: of what is in the store, and of runs; NULL: runs are not asked about. */
struct profile_work {
    int (*of_store)(const struct profile_sources *sources, const void *arguments,
                    struct text *text);
    int (*of_run)(struct history_store *store, const void *question, struct text *text);
};

/* Hands a question with its arguments to the profiler, or to the historian if it is about runs. */
static int ask(const struct pages *pages, const struct profile_work *work,
               struct profile_question *question, struct profile_arguments *arguments,
               struct deferred *answer, struct text *text)
{
    question->work = work->of_store;
    question->arguments = arguments;
    question->free_arguments = profile_arguments_free;
    if (work->of_run && profile_arguments_are_of_run(arguments))
        return profile_runs_ask(pages->sources.runs, pages->sources.history, question, work->of_run,
                                answer, text);
    if (!pages->sources.profiler) {
        profile_arguments_free(arguments);
        text_append_string(text, "there are no profiles here");
        return -EAGAIN;
    }
    return profiler_ask(pages->sources.profiler, question, answer, text);
}

static void describe_form(enum profile_form form, struct profile_question *question)
{
    static const struct {
        const char *content_type, *file_name;
    } forms[PROFILE_FORM_COUNT_] = {
        [PROFILE_FORM_JSON] = {CONTENT_JSON, NULL},
        [PROFILE_FORM_COLLAPSED] = {CONTENT_PLAIN_TEXT, "profile.collapsed.txt"},
        [PROFILE_FORM_SPEEDSCOPE] = {CONTENT_JSON, "profile.speedscope.json"},
        [PROFILE_FORM_PPROF] = {CONTENT_PPROF, "profile.pb"},
    };

    question->content_type = forms[form].content_type;
    question->file_name = forms[form].file_name;
}

static int ask_profile(void *context, const struct route_request *request, struct deferred *answer,
                       struct text *text)
{
    static const struct profile_work work = {work_profile, profile_run_work_profile};
    struct profile_question question = {0};
    struct profile_arguments *arguments;
    int r = profile_arguments_read(request->query, text, &arguments);

    if (r < 0)
        return r;
    describe_form(arguments->form, &question);
    return ask(context, &work, &question, arguments, answer, text);
}

/* Answers that are JSON differ in what they take and in who writes them. */
static int ask_json(const struct pages *pages, const struct route_request *request,
                    int (*read)(const struct query *query, struct text *text,
                                struct profile_arguments **ret_arguments),
                    const struct profile_work *work, struct deferred *answer, struct text *text)
{
    struct profile_question question = {.content_type = CONTENT_JSON};
    struct profile_arguments *arguments;
    int r = read(request->query, text, &arguments);

    return r < 0 ? r : ask(pages, work, &question, arguments, answer, text);
}

static int ask_table(void *context, const struct route_request *request, struct deferred *answer,
                     struct text *text)
{
    static const struct profile_work work = {work_table, profile_run_work_table};

    return ask_json(context, request, profile_arguments_read, &work, answer, text);
}

static int ask_seconds(void *context, const struct route_request *request, struct deferred *answer,
                       struct text *text)
{
    static const struct profile_work work = {.of_store = work_seconds};

    return ask_json(context, request, profile_arguments_read_seconds, &work, answer, text);
}

static int ask_annotation(void *context, const struct route_request *request,
                          struct deferred *answer, struct text *text)
{
    static const struct profile_work work = {.of_store = profile_annotation_work};

    return ask_json(context, request, profile_arguments_read_annotation, &work, answer, text);
}

static int ask_difference(void *context, const struct route_request *request,
                          struct deferred *answer, struct text *text)
{
    static const struct profile_work work = {work_difference, profile_run_work_difference};

    return ask_json(context, request, profile_arguments_read_difference, &work, answer, text);
}

static int ask_targets(void *context, const struct route_request *request, struct deferred *answer,
                       struct text *text)
{
    static const struct profile_work work = {.of_store = work_targets};
    struct profile_question question = {.content_type = CONTENT_JSON};

    (void)request;
    return ask(context, &work, &question, NULL, answer, text);
}

static int ask_pprof(void *context, const struct route_request *request, struct deferred *answer,
                     struct text *text)
{
    static const struct profile_work work = {.of_store = work_pprof};
    struct profile_question question = {0};
    struct profile_arguments *arguments;
    int r = profile_arguments_read_pprof(request->query, text, &arguments);

    if (r < 0)
        return r;
    describe_form(arguments->form, &question);
    return ask(context, &work, &question, arguments, answer, text);
}

static const struct route routes[] = {
    {.path = "/api/v1/profile", .takes_query = true, .ask = ask_profile},
    {.path = "/api/v1/profile/table", .takes_query = true, .ask = ask_table},
    {.path = "/api/v1/profile/seconds", .takes_query = true, .ask = ask_seconds},
    {.path = "/api/v1/profile/annotation", .takes_query = true, .ask = ask_annotation},
    {.path = "/api/v1/profile/difference", .takes_query = true, .ask = ask_difference},
    {.path = "/api/v1/profile/targets", .ask = ask_targets},
    {.path = "/debug/pprof/profile", .takes_query = true, .ask = ask_pprof},
};
const struct page_group profile_pages = {routes, ARRAY_SIZE(routes)};
