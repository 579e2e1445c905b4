/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Questions are in a table. The thread takes the oldest one without an answer, looks it up without
 * holding the lock, and ends when there is none left. Only the caller enters and removes questions,
 * so that a question stays at its place while the caller waits for it.
 */
#include "sys/name_service.h"

#include <errno.h>
#include <pthread.h>
#include <pwd.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "sys/thread.h"
#include "sys/wait_allowance.h"

#define MOST_QUESTIONS 64

#define ACCOUNT_BYTES ((size_t)64 * 1024) /* room for all that is known of one account */

struct question {
    uint64_t order; /* number of the question, by which the oldest is found; 0: a free entry */
    bool by_name;   /* `name` is the question and `uid` the answer; else the other way round */
    bool is_answered;
    enum name_outcome outcome;
    uid_t uid;
    char name[ACCOUNT_NAME_SIZE];
};

struct name_service {
    const struct name_ops *ops;
    pthread_mutex_t mutex; /* guards the members from here to the table */
    pthread_cond_t answered;
    bool has_thread;
    struct wait_allowance allowance; /* of the caller, which is the cycle */
    struct question questions[MOST_QUESTIONS];
    atomic_ullong n_answers;
    /* The rest is the caller's alone. */
    uint64_t n_asked;
};

/* Whether an error may pass. getpwnam_r(3): other errors mean that there is no such account. */
static bool is_passing(int wrong)
{
    return wrong == EMFILE || wrong == ENFILE || wrong == ENOMEM || wrong == EINTR ||
           wrong == EAGAIN;
}

static enum name_outcome take_entry(int wrong, const struct passwd *found, uid_t *ret_uid,
                                    char ret_name[ACCOUNT_NAME_SIZE])
{
    if (is_passing(wrong))
        return NAME_LATE;
    if (wrong != 0 || !found || !found->pw_name || !found->pw_name[0] ||
        strlen(found->pw_name) >= ACCOUNT_NAME_SIZE)
        return NAME_UNKNOWN;
    *ret_uid = found->pw_uid;
    memcpy(ret_name, found->pw_name, strlen(found->pw_name) + 1);
    return NAME_FOUND;
}

static enum name_outcome ask_for_name(uid_t uid, char ret_name[ACCOUNT_NAME_SIZE])
{
    AUTO_FREE char *buffer = malloc(ACCOUNT_BYTES);
    struct passwd user, *found = NULL;
    uid_t same;
    int wrong;

    if (!buffer)
        return NAME_LATE;
    wrong = getpwuid_r(uid, &user, buffer, ACCOUNT_BYTES, &found);
    return take_entry(wrong, found, &same, ret_name);
}

static enum name_outcome ask_for_number(const char *name, uid_t *ret_uid)
{
    AUTO_FREE char *buffer = malloc(ACCOUNT_BYTES);
    struct passwd user, *found = NULL;
    char same[ACCOUNT_NAME_SIZE];
    int wrong;

    if (!buffer)
        return NAME_LATE;
    wrong = getpwnam_r(name, &user, buffer, ACCOUNT_BYTES, &found);
    return take_entry(wrong, found, ret_uid, same);
}

static const struct name_ops machine_ops = {.name_of = ask_for_name, .number_of = ask_for_number};

#define SERVICE_OF_MACHINE                                                                         \
    {                                                                                              \
        .ops = &machine_ops, .mutex = PTHREAD_MUTEX_INITIALIZER,                                   \
        .answered = PTHREAD_COND_INITIALIZER                                                       \
    }

struct name_service *name_service_of_machine(void)
{
    static struct name_service machine = SERVICE_OF_MACHINE;

    return &machine;
}

struct name_service *name_service_of_lookups(void)
{
    static struct name_service lookups = SERVICE_OF_MACHINE;

    return &lookups;
}

struct name_service *name_service_new(const struct name_ops *ops)
{
    struct name_service *service = calloc(1, sizeof(*service));

    if (!service)
        return NULL;
    service->ops = ops;
    (void)pthread_mutex_init(&service->mutex, NULL); /* cannot fail without attributes */
    (void)pthread_cond_init(&service->answered, NULL);
    return service;
}

struct name_service *name_service_free(struct name_service *service)
{
    if (!service)
        return NULL;
    (void)pthread_mutex_lock(&service->mutex);
    while (service->has_thread)
        (void)pthread_cond_wait(&service->answered, &service->mutex);
    (void)pthread_mutex_unlock(&service->mutex);
    (void)pthread_cond_destroy(&service->answered);
    (void)pthread_mutex_destroy(&service->mutex);
    free(service);
    return NULL;
}

/* The oldest question with an answer, or without one. NULL: there is none. */
static struct question *oldest_question(struct name_service *service, bool is_answered)
{
    struct question *found = NULL;

    for (size_t i = 0; i < MOST_QUESTIONS; i++) {
        struct question *question = &service->questions[i];

        if (question->order && question->is_answered == is_answered &&
            (!found || question->order < found->order))
            found = question;
    }
    return found;
}

static void answer(const struct name_ops *ops, struct question *question)
{
    if (question->by_name)
        question->outcome = ops->number_of(question->name, &question->uid);
    else
        question->outcome = ops->name_of(question->uid, question->name);
    question->is_answered = true;
}

/* The main function of the thread. */
static void *ask_all(void *argument)
{
    struct name_service *service = argument;
    struct question *question;

    (void)pthread_mutex_lock(&service->mutex);
    while ((question = oldest_question(service, false))) {
        struct question copy = *question;

        (void)pthread_mutex_unlock(&service->mutex);
        answer(service->ops, &copy);
        (void)pthread_mutex_lock(&service->mutex);
        *question = copy;
        (void)atomic_fetch_add(&service->n_answers, 1);
        service->allowance.hangs = false;
        (void)pthread_cond_broadcast(&service->answered);
    }
    service->has_thread = false;
    (void)pthread_cond_broadcast(&service->answered);
    (void)pthread_mutex_unlock(&service->mutex);
    return NULL;
}

/* Makes sure that the thread runs. False: no thread can be made now. */
static bool begin_to_ask(struct name_service *service)
{
    pthread_t thread;

    if (service->has_thread)
        return true;
    service->has_thread =
        thread_start("names", THREAD_ASKS_FOR_NAMES, ask_all, service, &thread) == 0;
    if (service->has_thread)
        (void)pthread_detach(thread); /* it has not ended: it waits for the lock */
    return service->has_thread;
}

static struct question *find_question(struct name_service *service, const struct question *wanted)
{
    for (size_t i = 0; i < MOST_QUESTIONS; i++) {
        struct question *question = &service->questions[i];

        if (question->order && question->by_name == wanted->by_name &&
            (wanted->by_name ? strcmp(question->name, wanted->name) == 0
                             : question->uid == wanted->uid))
            return question;
    }
    return NULL;
}

/* Enters a question, in the place of the oldest answer if need be. NULL: none has an answer. */
static struct question *enter_question(struct name_service *service, const struct question *wanted)
{
    struct question *place = NULL;

    for (size_t i = 0; i < MOST_QUESTIONS && !place; i++)
        place = service->questions[i].order ? NULL : &service->questions[i];
    place = place ? place : oldest_question(service, true);
    if (place) {
        *place = *wanted;
        place->order = ++service->n_asked;
    }
    return place;
}

static bool is_answered(const void *question)
{
    return ((const struct question *)question)->is_answered;
}

static enum name_outcome ask_locked(struct name_service *service, struct question *asked)
{
    struct question *question = find_question(service, asked);
    const bool is_new = !question;

    if (is_new)
        question = enter_question(service, asked);
    if (!question || !begin_to_ask(service))
        return NAME_LATE;
    if (is_new)
        (void)wait_allowance_spend(&service->allowance, &service->answered, &service->mutex,
                                   is_answered, question);
    if (!question->is_answered)
        return NAME_LATE;
    *asked = *question;
    question->order = 0;
    return asked->outcome;
}

static enum name_outcome ask(struct name_service *service, struct question *asked)
{
    enum name_outcome outcome;

    (void)pthread_mutex_lock(&service->mutex);
    outcome = ask_locked(service, asked);
    (void)pthread_mutex_unlock(&service->mutex);
    return outcome;
}

enum name_outcome name_service_name_of(struct name_service *service, uid_t uid,
                                       char ret_name[ACCOUNT_NAME_SIZE])
{
    struct question asked = {.uid = uid};
    enum name_outcome outcome = ask(service, &asked);

    if (outcome == NAME_FOUND)
        memcpy(ret_name, asked.name, ACCOUNT_NAME_SIZE);
    return outcome;
}

enum name_outcome name_service_number_of(struct name_service *service, const char *name,
                                         uid_t *ret_uid)
{
    struct question asked = {.by_name = true};
    enum name_outcome outcome;

    if (strlen(name) >= ACCOUNT_NAME_SIZE)
        return NAME_UNKNOWN;
    memcpy(asked.name, name, strlen(name) + 1);
    outcome = ask(service, &asked);
    if (outcome == NAME_FOUND)
        *ret_uid = asked.uid;
    return outcome;
}

uint64_t name_service_answers(const struct name_service *service)
{
    return atomic_load(&service->n_answers);
}
