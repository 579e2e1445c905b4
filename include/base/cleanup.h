/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Ownership by scope. A variable marked AUTO_* releases what it holds when it
 * goes out of scope; TAKE() hands it over, and is the only idiom for that:
 *
 *     AUTO_FREE char *copy = strdup(name);
 *     if (!copy)
 *         return -ENOMEM;
 *     *ret_name = TAKE(copy);
 */

#include <stdlib.h>
#include <unistd.h>

static inline void cleanup_free(void *pointer)
{
    free(*(void **)pointer);
}

static inline void cleanup_close(const int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
}

#define AUTO_FREE  __attribute__((cleanup(cleanup_free)))
#define AUTO_CLOSE __attribute__((cleanup(cleanup_close)))

/* Gives the pointer away and leaves NULL behind. */
#define TAKE(pointer)                                                                              \
    ({                                                                                             \
        __typeof__(pointer) _taken = (pointer);                                                    \
        (pointer) = NULL;                                                                          \
        _taken;                                                                                    \
    })

/* Gives the descriptor away and leaves -1 behind. */
#define TAKE_FD(fd)                                                                                \
    ({                                                                                             \
        int _taken = (fd);                                                                         \
        (fd) = -1;                                                                                 \
        _taken;                                                                                    \
    })

/*
 * Declares AUTO(name) for a type whose destructor takes a pointer and returns
 * NULL: DEFINE_AUTO(counter_set, struct counter_set *, counter_set_free).
 */
#define DEFINE_AUTO(name, type, destroy)                                                           \
    static inline void cleanup_##name(type *object)                                                \
    {                                                                                              \
        if (*object)                                                                               \
            (void)destroy(*object);                                                                \
    }
#define AUTO(name) __attribute__((cleanup(cleanup_##name)))

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
