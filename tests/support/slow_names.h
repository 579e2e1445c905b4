/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A name service that does not answer for as long as the test wants. */

#include "support/check.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "sys/name_service.h"

static pthread_mutex_t slow_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t slow_changed = PTHREAD_COND_INITIALIZER;
static bool slow_hangs;
static unsigned slow_asked; /* the number of questions that it was asked */

static inline void slow_names_hang(bool hangs)
{
    (void)pthread_mutex_lock(&slow_mutex);
    slow_hangs = hangs;
    (void)pthread_cond_broadcast(&slow_changed);
    (void)pthread_mutex_unlock(&slow_mutex);
}

static inline void slow_names_pass(void)
{
    (void)pthread_mutex_lock(&slow_mutex);
    slow_asked++;
    while (slow_hangs)
        (void)pthread_cond_wait(&slow_changed, &slow_mutex);
    (void)pthread_mutex_unlock(&slow_mutex);
}

/* Users below 1000 have no name. */
static inline enum name_outcome slow_name_of(uid_t uid, char ret_name[ACCOUNT_NAME_SIZE])
{
    slow_names_pass();
    if (uid < 1000)
        return NAME_UNKNOWN;
    (void)snprintf(ret_name, ACCOUNT_NAME_SIZE, "user%u", uid);
    return NAME_FOUND;
}

static inline enum name_outcome slow_number_of(const char *name, uid_t *ret_uid)
{
    slow_names_pass();
    return sscanf(name, "user%u", ret_uid) == 1 ? NAME_FOUND : NAME_UNKNOWN;
}

static const struct name_ops slow_names = {.name_of = slow_name_of, .number_of = slow_number_of};
