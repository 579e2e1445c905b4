/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Questions stand in a table: the thread takes the oldest that has no answer, asks without
 * the lock, and ends when there is none. Only who asks puts questions in and takes them out, so
 * that one stays where it is while it is waited for.
 */
#include "sys/name_service.h"

#include <errno.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"

#define MOST_QUESTIONS 64

/* Whoever waits is the cycle: so long for an answer, and a tenth of the time, which is saved up. */
#define MOST_WAIT_NS  (NS_PER_SECOND / 10)
#define WAIT_SHARE    10
#define MOST_SAVED_NS NS_PER_SECOND

#define ACCOUNT_BYTES ((size_t)64 * 1024) /* of what is kept about one account */

struct question {
    uint64_t order; /* of the questions; 0: there is none here */
    bool by_name;
    bool is_answered;
    enum name_outcome outcome;
    uid_t uid;                    /* what is asked for, or is the answer … */
    char name[ACCOUNT_NAME_SIZE]; /* … as this is */
};

struct name_service {
    const struct name_ops *ops;
    pthread_mutex_t mutex; /* guards what follows up to the table */
    pthread_cond_t answered;
    bool asks;    /* there is a thread */
    bool in_vain; /* somebody has waited, and since then nothing was answered */
    struct question questions[MOST_QUESTIONS];
    uint64_t n_asked; /* from here on of who asks alone */
    uint64_t begin_ns,
        saved_ns; /* of the last waiting; what may be waited beside what came since */
};

/* getpwnam_r(3): other errors say that there is none. */
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

struct name_service *name_service_of_machine(void)
{
    static struct name_service machine = {
        .ops = &machine_ops,
        .mutex = PTHREAD_MUTEX_INITIALIZER,
        .answered = PTHREAD_COND_INITIALIZER,
    };

    return &machine;
}

struct name_service *name_service_new(const struct name_ops *ops)
{
    struct name_service *service = calloc(1, sizeof(*service));

    if (!service)
        return NULL;
    service->ops = ops;
    (void)pthread_mutex_init(&service->mutex, NULL); /* cannot fail without attributes, nor this */
    (void)pthread_cond_init(&service->answered, NULL);
    return service;
}

struct name_service *name_service_free(struct name_service *service)
{
    if (!service)
        return NULL;
    (void)pthread_mutex_lock(&service->mutex);
    while (service->asks)
        (void)pthread_cond_wait(&service->answered, &service->mutex);
    (void)pthread_mutex_unlock(&service->mutex);
    (void)pthread_cond_destroy(&service->answered);
    (void)pthread_mutex_destroy(&service->mutex);
    free(service);
    return NULL;
}

/* The oldest question that is answered, or is not. NULL: there is none. */
static struct question *oldest(struct name_service *service, bool is_answered)
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

/* The thread. */
static void *ask_all(void *argument)
{
    struct name_service *service = argument;
    struct question *question;

    (void)pthread_setname_np(pthread_self(), "names");
    (void)pthread_mutex_lock(&service->mutex);
    while ((question = oldest(service, false))) {
        struct question copy = *question;

        (void)pthread_mutex_unlock(&service->mutex);
        answer(service->ops, &copy);
        (void)pthread_mutex_lock(&service->mutex);
        *question = copy;
        service->in_vain = false;
        (void)pthread_cond_broadcast(&service->answered);
    }
    service->asks = false;
    (void)pthread_cond_broadcast(&service->answered);
    (void)pthread_mutex_unlock(&service->mutex);
    return NULL;
}

/* Signals are the main thread's. False: there can be no thread now. */
static bool begin_to_ask(struct name_service *service)
{
    pthread_t thread;
    sigset_t all, before;

    if (service->asks)
        return true;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    service->asks = pthread_create(&thread, NULL, ask_all, service) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (service->asks)
        (void)pthread_detach(thread); /* it waits for the lock, and so is there */
    return service->asks;
}

static struct question *find(struct name_service *service, const struct question *wanted)
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

/* NULL: all places are taken by what has no answer. */
static struct question *put(struct name_service *service, const struct question *wanted)
{
    struct question *place = NULL;

    for (size_t i = 0; i < MOST_QUESTIONS && !place; i++)
        place = service->questions[i].order ? NULL : &service->questions[i];
    place = place ? place : oldest(service, true);
    if (place) {
        *place = *wanted;
        place->order = ++service->n_asked;
    }
    return place;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Where the service hangs, one has waited in vain, and nobody else does until it answers. */
static void wait_for(struct name_service *service, const struct question *question)
{
    const uint64_t begin_ns = clock_monotonic_ns();
    const uint64_t earned_ns = (begin_ns - service->begin_ns) / WAIT_SHARE;
    const uint64_t saved_ns = least(MOST_SAVED_NS, service->saved_ns + earned_ns);
    const uint64_t end_ns = begin_ns + least(MOST_WAIT_NS, saved_ns);
    const struct timespec end = {(time_t)(end_ns / NS_PER_SECOND), (long)(end_ns % NS_PER_SECOND)};
    int r = service->in_vain ? ETIMEDOUT : 0;

    while (!question->is_answered && r == 0)
        r = pthread_cond_clockwait(&service->answered, &service->mutex, CLOCK_MONOTONIC, &end);
    service->in_vain = !question->is_answered;
    service->begin_ns = begin_ns;
    service->saved_ns = saved_ns - least(saved_ns, clock_monotonic_ns() - begin_ns);
}

static enum name_outcome ask_locked(struct name_service *service, struct question *asked)
{
    struct question *question = find(service, asked);
    const bool is_new = !question;

    if (is_new)
        question = put(service, asked);
    if (!question || !begin_to_ask(service))
        return NAME_LATE;
    if (is_new)
        wait_for(service, question);
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
