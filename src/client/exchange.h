/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * One exchange after the other with an HTTP server: a request, and the bytes of its answer. Nothing
 * here waits but exchange_wait().
 */

#include <stdbool.h>
#include <stddef.h>

/* Bytes that came and are not used yet. */
struct buffer {
    char *data;
    size_t length, capacity;
};

struct exchange;

/* `where` as pmu_client_open() takes it. Returns what that does. */
int exchange_new(const char *where, struct exchange **ret_exchange);
struct exchange *exchange_free(struct exchange *exchange);

struct exchange_request {
    const char *method;
    const char *path;
    const char *body; /* JSON, borrowed until the exchange ends; NULL: none */
    bool is_endless;  /* the answer is a stream, which has all the time that there is */
};

/* Begins, after it has given up what was under way. Returns 0, -EINVAL or -ENOMEM. */
int exchange_begin(struct exchange *exchange, const struct exchange_request *request);

/* Does what can be done now. Returns 1: the answer is complete; 0: it is not; -errno: it failed. */
int exchange_advance(struct exchange *exchange);

/* Gives up what is under way, with all that came of it. */
void exchange_cancel(struct exchange *exchange);

/* The descriptor that is readable when exchange_advance() has something to do. */
int exchange_descriptor(const struct exchange *exchange);

/* Waits until then, for so many milliseconds; -1: for ever. Returns 1, 0 after that time, -errno.
 */
int exchange_wait(const struct exchange *exchange, int timeout_ms);

/* What has come. The status is 0, and the type empty, before the head is there. */
int exchange_status(const struct exchange *exchange);
const char *exchange_content_type(const struct exchange *exchange);
struct buffer *exchange_received(struct exchange *exchange);

/* What libcurl says of a failure; "": nothing. */
const char *exchange_words(const struct exchange *exchange);
