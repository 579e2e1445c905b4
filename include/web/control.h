/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What may be asked of the running program over HTTP, and the one slot through which
 * the server's thread asks and another thread, the owner of what is asked about,
 * answers. One request at a time: who asks in the middle of another is told to wait.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/text.h"

enum control_action {
    CONTROL_RELOAD, /* read the configuration again */
    CONTROL_PAUSE,  /* let go of the hardware counters for a time */
};

struct control_request {
    enum control_action action;
    uint64_t duration_ns; /* of a pause; 0: none, or the one that stands ends */
};

/*
 * How long a pause may be asked to be: "off", which is 0, or a duration as the
 * configuration writes it, from 1s to 7d. 0; -EINVAL, and the output is untouched.
 */
int control_parse_pause(const char *text, uint64_t *ret_ns);

/* What control_parse_pause() takes, in words. */
#define CONTROL_PAUSE_EXPECTED "off, or a duration from 1s to 7d as in 10m"

struct control_slot;

/* 0 or -errno. The slot outlives the server that asks. */
int control_slot_new(struct control_slot **ret_slot);
struct control_slot *control_slot_free(struct control_slot *slot);
DEFINE_AUTO(control_slot, struct control_slot *, control_slot_free)

/* The owner's side. */

/* Readable while a request may wait for control_slot_take(). Borrowed. */
int control_slot_request_fd(const struct control_slot *slot);

/* The request, if one waits; it must be answered. */
bool control_slot_take(struct control_slot *slot, struct control_request *ret_request);

/* good: it was done. The content of the text, for people, is taken over. */
void control_slot_answer(struct control_slot *slot, bool good, struct text *text);

/* The asking side. */

/* Readable while an answer may wait for control_slot_collect(). Borrowed. */
int control_slot_answer_fd(const struct control_slot *slot);

/* False: another request has not been answered. */
bool control_slot_ask(struct control_slot *slot, const struct control_request *request);

/* The answer, if there is one; the caller frees the text. */
bool control_slot_collect(struct control_slot *slot, bool *ret_good, struct text *ret_text);

/* Nobody waits for the answer any more. A request that was not taken is withdrawn. */
void control_slot_abandon(struct control_slot *slot);
