/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Sends requests as bytes to a server that each test program has, and returns what comes back. */

#include "web/http_client.h"

#define LINE     " HTTP/1.1\r\nHost: test\r\n"
#define SMUGGLED "GET /-/healthy HTTP/1.1\r\nHost: test\r\n\r\n"

static inline int set_up(void **state)
{
    static struct fixture fixture;

    fixture_up(&fixture, &usual_limits);
    *state = &fixture;
    return 0;
}

static inline int tear_down(void **state)
{
    fixture_down(*state);
    return 0;
}

static inline size_t count(const char *text, const char *word)
{
    size_t n = 0;

    while ((text = strstr(text, word)) != NULL) {
        text += strlen(word);
        n++;
    }
    return n;
}

/*
 * Returns the status of the only answer to these bytes. Checks that the server closes after it and
 * that the answer says so. 0: the server closes without an answer.
 */
static inline int only_status_of(const struct fixture *fixture, const char *bytes, size_t size)
{
    AUTO_CLOSE int fd = connect_to(fixture->port);
    AUTO_FREE char *all = NULL;
    int status = 0;

    (void)send(fd, bytes, size, MSG_NOSIGNAL);
    all = read_to_the_end(fd);
    assert_non_null(all);
    (void)sscanf(all, "HTTP/1.1 %d ", &status);
    if (count(all, "HTTP/1.1 ") != (status == 0 ? 0 : 1))
        fail_msg("more than one answer: %s", all);
    assert_true(status == 0 || strstr(all, "\r\nConnection: close\r\n"));
    return status;
}

static inline int only_status(const struct fixture *fixture, const char *bytes)
{
    return only_status_of(fixture, bytes, strlen(bytes));
}

/* Sends the same with a second request behind it, and checks that this one is not answered. */
#define EXPECT_BYTES(state, status, bytes)                                                         \
    do {                                                                                           \
        static const char all[] = bytes SMUGGLED;                                                  \
        const int got = only_status_of(state, all, sizeof(all) - 1);                               \
        if (got != (status))                                                                       \
            fail_msg("%d for %s", got, #bytes);                                                    \
    } while (0)

/* Checks that a request gets one answer and that the connection stays open. */
static inline void expect_served(const struct fixture *fixture, const char *request)
{
    AUTO_CLOSE int fd = connect_to(fixture->port);
    int status;

    for (unsigned i = 0; i < 2; i++) {
        status = status_of(fd, request);
        if (status != 200)
            fail_msg("%d for %s", status, request);
    }
}
