/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Questions about profiles, which wait for the thread that has the samples. */

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "profile/sampler.h"
#include "profile/store.h"
#include "web/deferred.h"

#define PROFILE_QUESTIONS_MOST 32

/* What a question is answered from. */
struct profile_sources {
    const struct profile_store *store; /* NULL: there are no samples */
    struct sampler *sampler;           /* NULL: nothing is sampled now */
    const char *reason;                /* why there is none of them, or NULL. Static */
};

/*
 * A question. `work` runs on the profiler's thread and writes the answer; it returns 0, or what a
 * route's function would, with a text that tells people why. -EINPROGRESS: something has to be read
 * first; it is called again after the next turn. It is not called without a store.
 */
struct profile_question {
    int (*work)(const struct profile_sources *sources, const void *arguments, struct text *text);
    void *arguments;
    void (*free_arguments)(void *arguments);
    const char *content_type;
    const char *file_name; /* as which browsers save the answer; NULL: they show it */
};

struct profile_questions {
    pthread_mutex_t lock; /* of all that follows */
    bool are_taken;       /* somebody will answer them */
    struct waiting_question {
        struct profile_question question;
        struct deferred *answer;
    } waiting[PROFILE_QUESTIONS_MOST];
    size_t n;
};

void profile_questions_init(struct profile_questions *questions);
void profile_questions_done(struct profile_questions *questions);

/* Whether questions are taken from here on; at first they are not. */
void profile_questions_take(struct profile_questions *questions, bool are_taken);

/*
 * Has one wait for its answer. The arguments are taken over, whatever is returned: 0, and the
 * answer is on its way; -EAGAIN or -EBUSY, with the reason in words.
 */
int profile_questions_add(struct profile_questions *questions,
                          const struct profile_question *question, struct deferred *answer,
                          struct text *text);

/* Answers all that wait, but for those for which something is to be read first. */
void profile_questions_answer(struct profile_questions *questions,
                              const struct profile_sources *sources);
