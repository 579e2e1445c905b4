/* SPDX-License-Identifier: Apache-2.0 */
#include "service/profile_questions.h"

#include <errno.h>
#include <string.h>

void profile_questions_init(struct profile_questions *questions)
{
    *questions = (struct profile_questions){0};
    (void)pthread_mutex_init(&questions->lock, NULL);
}

void profile_questions_done(struct profile_questions *questions)
{
    (void)pthread_mutex_destroy(&questions->lock);
}

void profile_questions_take(struct profile_questions *questions, bool are_taken)
{
    (void)pthread_mutex_lock(&questions->lock);
    questions->are_taken = are_taken;
    (void)pthread_mutex_unlock(&questions->lock);
}

int profile_questions_add(struct profile_questions *questions,
                          const struct profile_question *question, struct deferred *answer,
                          struct text *text)
{
    int r = -EAGAIN;

    (void)pthread_mutex_lock(&questions->lock);
    if (questions->are_taken)
        r = questions->n < PROFILE_QUESTIONS_MOST ? 0 : -EBUSY;
    if (r == 0)
        questions->waiting[questions->n++] =
            (struct waiting_question){.question = *question, .answer = answer};
    (void)pthread_mutex_unlock(&questions->lock);
    if (r == 0)
        return 0;
    question->free_arguments(question->arguments);
    text_append_string(text, r == -EBUSY ? "too many questions about profiles wait for an answer"
                                         : "profiles have not started yet");
    return r;
}

/* Takes the oldest one. False: there is none. */
static bool next(struct profile_questions *questions, struct waiting_question *ret_waiting)
{
    bool has_one;

    (void)pthread_mutex_lock(&questions->lock);
    has_one = questions->n > 0;
    if (has_one) {
        *ret_waiting = questions->waiting[0];
        questions->n--;
        memmove(questions->waiting, questions->waiting + 1,
                questions->n * sizeof(questions->waiting[0]));
    }
    (void)pthread_mutex_unlock(&questions->lock);
    return has_one;
}

static int work(const struct profile_question *question, const struct profile_store *store,
                const char *reason, struct text *text)
{
    if (store)
        return question->work(store, question->arguments, text);
    text_append_format(text, "there are no profiles: %s",
                       reason ? reason : "they are being started");
    return -EAGAIN;
}

static void answer(const struct waiting_question *waiting, const struct profile_store *store,
                   const char *reason)
{
    const struct profile_question *question = &waiting->question;
    struct text text = {0};
    int r = deferred_is_wanted(waiting->answer) ? work(question, store, reason, &text) : -ECANCELED;

    if (r == 0)
        r = text_error(&text);
    if (r == 0 && question->file_name)
        deferred_name_file(waiting->answer, question->file_name);
    if (r == 0)
        deferred_answer(waiting->answer, question->content_type, &text);
    else
        deferred_refuse(waiting->answer, r, &text);
    question->free_arguments(question->arguments);
}

void profile_questions_answer(struct profile_questions *questions,
                              const struct profile_store *store, const char *reason)
{
    struct waiting_question waiting;

    while (next(questions, &waiting))
        answer(&waiting, store, reason);
}
