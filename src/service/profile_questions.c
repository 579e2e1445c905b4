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

/* Copies the one at this place; others may be added meanwhile. False: there is none. */
static bool look_at(struct profile_questions *questions, size_t at,
                    struct waiting_question *ret_waiting)
{
    bool has_one;

    (void)pthread_mutex_lock(&questions->lock);
    has_one = at < questions->n;
    if (has_one)
        *ret_waiting = questions->waiting[at];
    (void)pthread_mutex_unlock(&questions->lock);
    return has_one;
}

static void take_out(struct profile_questions *questions, size_t at)
{
    (void)pthread_mutex_lock(&questions->lock);
    questions->n--;
    memmove(questions->waiting + at, questions->waiting + at + 1,
            (questions->n - at) * sizeof(questions->waiting[0]));
    (void)pthread_mutex_unlock(&questions->lock);
}

static int work(const struct profile_question *question, const struct profile_sources *sources,
                struct text *text)
{
    if (sources->store)
        return question->work(sources, question->arguments, text);
    text_append_format(text, "there are no profiles: %s",
                       sources->reason ? sources->reason : "they are being started");
    return -EAGAIN;
}

/* False: it is to be tried again. */
static bool answer(const struct waiting_question *waiting, const struct profile_sources *sources)
{
    const struct profile_question *question = &waiting->question;
    struct text text = {0};
    int r = deferred_is_wanted(waiting->answer) ? work(question, sources, &text) : -ECANCELED;

    if (r == -EINPROGRESS) {
        text_done(&text);
        return false;
    }
    if (r == 0)
        r = text_error(&text);
    if (r == 0 && question->file_name)
        deferred_name_file(waiting->answer, question->file_name);
    if (r == 0)
        deferred_answer(waiting->answer, question->content_type, &text);
    else
        deferred_refuse(waiting->answer, r, &text);
    question->free_arguments(question->arguments);
    return true;
}

/* The oldest one comes first. */
void profile_questions_answer(struct profile_questions *questions,
                              const struct profile_sources *sources)
{
    struct waiting_question waiting;

    for (size_t at = 0; look_at(questions, at, &waiting);)
        if (answer(&waiting, sources))
            take_out(questions, at);
        else
            at++;
}
