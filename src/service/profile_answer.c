/* SPDX-License-Identifier: Apache-2.0 */
#include "service/profile_answer.h"

#include <errno.h>
#include <string.h>

#include "expose/profile_collapsed.h"
#include "expose/profile_json.h"
#include "expose/profile_pprof.h"
#include "expose/profile_speedscope.h"

int profile_tell_no_sampler(const struct profile_sources *sources, struct text *text)
{
    text_append_format(text, "nothing is sampled now: %s",
                       sources->reason ? sources->reason : "it is being started or ended");
    return -EAGAIN;
}

int profile_tell_none(int r, const struct profile_sources *sources,
                      const struct profile_choice *choice, struct text *text)
{
    if (r != -ENOENT)
        return r;
    text_append_format(text, "there are no samples of %.256s", choice->name);
    if (choice->scope == PROFILE_CGROUP && choice->label[0] != '/')
        text_append_format(text, "; the path of a cgroup begins with /, as cgroup:/%.256s does",
                           choice->label);
    if (choice->scope == PROFILE_CGROUP && strcmp(choice->label, "/") == 0)
        text_append_string(text, "; the target machine is the whole machine");
    if (sources->sampler)
        return r;
    text_append_string(text, "; ");
    return profile_tell_no_sampler(sources, text);
}

static bool has_name(const struct profile_function_name *function,
                     const struct profile_arguments *arguments)
{
    return strcmp(function->owner, arguments->owner) == 0 &&
           strcmp(function->name, arguments->function) == 0;
}

/* Reduces a tree to the part that is asked for. */
static int take_part(const struct profile_arguments *arguments, struct text *text,
                     struct profile_tree **tree)
{
    struct profile_tree *part = NULL;
    uint32_t function = 0;
    int r = -ENOENT;

    if (arguments->part == PROFILE_ALL && !arguments->is_inverted)
        return 0;
    while (arguments->part != PROFILE_ALL && function < (*tree)->n_functions &&
           !has_name(&(*tree)->functions[function], arguments))
        function++;
    if (arguments->part == PROFILE_ALL)
        r = profile_tree_invert(*tree, &part);
    else if (arguments->part == PROFILE_CALLERS && function < (*tree)->n_functions)
        r = profile_tree_callers(*tree, function, &part);
    else if (function < (*tree)->n_functions)
        r = profile_tree_callees(*tree, function, &part);
    if (r == -ENOENT)
        text_append_format(text, "the profile has no function %.256s of %.256s",
                           arguments->function, arguments->owner);
    if (r < 0)
        return r;
    (void)profile_tree_free(*tree);
    *tree = part;
    return 0;
}

static int write_pprof(const struct profile_tree *tree, const struct profile_choice *choice,
                       struct text *text)
{
    const struct label label = {choice->scope == PROFILE_CGROUP ? "cgroup" : "groupname",
                                choice->label};
    const struct profile_part part = {
        .tree = tree, .labels = &label, .n_labels = choice->scope == PROFILE_MACHINE ? 0 : 1};

    return profile_pprof_write(&part, 1, text);
}

static int write_json(struct profile_tree *tree, const struct profile_arguments *arguments,
                      struct text *text)
{
    const bool is_pruned = tree->n_nodes > arguments->nodes;
    int r = is_pruned ? profile_tree_prune(tree, (size_t)arguments->nodes) : 0;

    return r < 0 ? r : profile_json_write(tree, is_pruned, text);
}

int profile_answer(const struct profile_arguments *arguments, struct text *text,
                   struct profile_tree **tree)
{
    int r = take_part(arguments, text, tree);

    if (r < 0)
        return r;
    switch (arguments->form) {
    case PROFILE_FORM_COLLAPSED:
        return profile_collapsed_write(*tree, text);
    case PROFILE_FORM_SPEEDSCOPE:
        return profile_speedscope_write(*tree, arguments->choice.name,
                                        (*tree)->event ? SPEEDSCOPE_EVENTS : SPEEDSCOPE_SECONDS,
                                        text);
    case PROFILE_FORM_PPROF:
        return write_pprof(*tree, &arguments->choice, text);
    case PROFILE_FORM_JSON:
    case PROFILE_FORM_COUNT_:
    default:
        return write_json(*tree, arguments, text);
    }
}

static bool is_empty(const struct profile_tree *tree)
{
    return tree->nodes[0].total == 0;
}

/* Which of two sides has no samples: at least one of them. */
static void tell_empty(const struct profile_tree *before, const struct profile_tree *after,
                       const struct profile_arguments *arguments, struct text *text)
{
    const char *before_name = arguments->before.name, *name = arguments->choice.name;
    const bool is_one_target = strcmp(before_name, name) == 0;

    text_append_format(text, "there are no samples of %.256s",
                       is_empty(before) ? before_name : name);
    text_append_string(text, !is_one_target     ? " in its range"
                             : is_empty(before) ? " in the range before"
                                                : " in the range after");
    if (is_empty(before) && is_empty(after) && is_one_target)
        text_append_string(text, ", and none in the range after");
    else if (is_empty(before) && is_empty(after))
        text_append_format(text, ", and none of %.256s in its own", name);
    text_append_string(text, ", so that nothing can be compared");
}

/* There are no shares of nothing. Who has no samples had no CPU time, which can be compared. */
static int check_samples(const struct profile_tree *before, const struct profile_tree *after,
                         const struct profile_arguments *arguments, struct text *text)
{
    const bool are_none = is_empty(before) && is_empty(after);
    const bool is_one_none = is_empty(before) || is_empty(after);

    if (arguments->measure == DIFFERENCE_OF_TIME ? !are_none : !is_one_none)
        return 0;
    tell_empty(before, after, arguments, text);
    return -ENOENT;
}

/* Whole trees are compared, since what is small in one is not in the other. */
int profile_answer_difference(const struct profile_tree *before, const struct profile_tree *after,
                              const struct profile_arguments *arguments, struct text *text)
{
    AUTO(difference) struct difference *difference = NULL;
    int r = check_samples(before, after, arguments, text);

    if (r >= 0)
        r = difference_new(before, after, arguments->measure, &difference);
    if (r >= 0)
        r = difference_prune(difference, (size_t)arguments->nodes);
    return r < 0 ? r : profile_json_write_difference(difference, text);
}
