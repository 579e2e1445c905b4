/* SPDX-License-Identifier: Apache-2.0 */
#include "service/history_work.h"

#include <errno.h>

struct asked {
    struct history_work work;
    struct deferred *answer;
};

static struct asked *asked_free(struct asked *asked)
{
    if (asked->work.free_arguments)
        asked->work.free_arguments(asked->work.arguments);
    free(asked);
    return NULL;
}

static void answer_asked(struct history_store *store, void *context)
{
    struct asked *const asked = context;
    struct text text = {0};
    int r = -EAGAIN;

    if (!asked->work.is_question || deferred_is_wanted(asked->answer))
        r = asked->work.work(store, asked->work.arguments, &text);
    if (r >= 0)
        r = text_error(&text);
    if (r >= 0 && asked->work.file_name)
        deferred_name_file(asked->answer, asked->work.file_name);
    if (r < 0)
        deferred_refuse(asked->answer, r, &text);
    else
        deferred_answer(asked->answer, asked->work.content_type, &text);
    (void)asked_free(asked);
}

int history_work_submit(struct history *history, const struct history_work *work,
                        struct deferred *answer, struct text *text)
{
    struct asked *const asked = malloc(sizeof(*asked));
    int r = -ENOMEM;

    if (!asked) {
        if (work->free_arguments)
            work->free_arguments(work->arguments);
        return r;
    }
    *asked = (struct asked){*work, answer};
    r = history_submit(history, answer_asked, asked);
    if (r < 0)
        (void)asked_free(asked);
    if (r == -EBUSY)
        text_append_string(text, "too many questions about the past wait for an answer");
    if (r != -EOPNOTSUPP)
        return r;
    text_append_string(text, "this program keeps no history, as it runs");
    return -EPERM;
}
