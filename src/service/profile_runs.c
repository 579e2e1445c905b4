/* SPDX-License-Identifier: Apache-2.0 */
#include "service/profile_runs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "expose/profile_json.h"
#include "profile/tree_pack.h"
#include "service/profile_answer.h"
#include "service/runs_work.h"

struct asked_profile {
    struct runs *runs;
    struct profile_arguments *arguments;
};

static void free_asked(void *object)
{
    struct asked_profile *asked = object;

    profile_arguments_free(asked->arguments);
    free(asked);
}

/* What the run of a choice has sampled. */
static int read_tree(struct runs *runs, struct history_store *store,
                     const struct profile_choice *choice, struct text *text,
                     struct profile_tree **ret_tree)
{
    AUTO(recording) struct recording *recording = NULL;
    const struct run_samples *samples;
    int r = runs_find(runs, store, choice->run, text, &recording);

    if (r < 0)
        return r;
    samples = recording->samples;
    if (!samples) {
        text_append_format(text, "run %" PRIu64 " has no samples, or none yet", choice->run);
        return -ENOENT;
    }
    r = profile_tree_unpack(samples->bytes, samples->n_bytes, ret_tree);
    if (r == -EBADMSG)
        text_append_format(text, "what is kept of run %" PRIu64 " is damaged", choice->run);
    return r;
}

int profile_run_work_profile(struct history_store *store, const void *question, struct text *text)
{
    const struct asked_profile *asked = question;
    AUTO(profile_tree) struct profile_tree *tree = NULL;
    int r = read_tree(asked->runs, store, &asked->arguments->choice, text, &tree);

    return r < 0 ? r : profile_answer(asked->arguments, text, &tree);
}

int profile_run_work_table(struct history_store *store, const void *question, struct text *text)
{
    const struct asked_profile *asked = question;
    AUTO(profile_tree) struct profile_tree *tree = NULL;
    int r = read_tree(asked->runs, store, &asked->arguments->choice, text, &tree);

    return r < 0 ? r : profile_json_write_table(tree, (size_t)asked->arguments->rows, text);
}

static const char *measured(const struct profile_tree *tree)
{
    return tree->event ? tree->event : "CPU time";
}

/* Shares of different events, or of events and of seconds, have nothing to do with each other. */
static int check_comparable(const struct profile_tree *before, const struct profile_tree *after,
                            const struct profile_arguments *arguments, struct text *text)
{
    if (strcmp(measured(before), measured(after)) != 0) {
        text_append_format(text, "%s has %.256s and %s %.256s; expected two runs of the same event",
                           arguments->before.name, measured(before), arguments->choice.name,
                           measured(after));
        return -EINVAL;
    }
    if (after->event && arguments->measure == DIFFERENCE_OF_TIME) {
        text_append_format(
            text, "these runs have %.256s and no CPU time: only their shares can be compared",
            after->event);
        return -EINVAL;
    }
    return 0;
}

int profile_run_work_difference(struct history_store *store, const void *question,
                                struct text *text)
{
    const struct asked_profile *asked = question;
    AUTO(profile_tree) struct profile_tree *before = NULL;
    AUTO(profile_tree) struct profile_tree *after = NULL;
    int r = read_tree(asked->runs, store, &asked->arguments->before, text, &before);

    if (r == 0)
        r = read_tree(asked->runs, store, &asked->arguments->choice, text, &after);
    if (r == 0)
        r = check_comparable(before, after, asked->arguments, text);
    return r < 0 ? r : profile_answer_difference(before, after, asked->arguments, text);
}

int profile_runs_ask(struct runs *runs, struct history *history,
                     const struct profile_question *question,
                     int (*work)(struct history_store *store, const void *question,
                                 struct text *text),
                     struct deferred *answer, struct text *text)
{
    struct asked_profile *asked = malloc(sizeof(*asked));

    if (!asked) {
        profile_arguments_free(question->arguments);
        return -ENOMEM;
    }
    *asked = (struct asked_profile){runs, question->arguments};
    return history_work_submit(history,
                               &(struct history_work){.work = work,
                                                      .arguments = asked,
                                                      .free_arguments = free_asked,
                                                      .is_question = true,
                                                      .content_type = question->content_type,
                                                      .file_name = question->file_name},
                               answer, text);
}
