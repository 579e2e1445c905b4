/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What may be asked of the running program over HTTP. The server's thread asks through a slot, and
 * the thread that owns the slot carries the request out and answers. The slot has room for one
 * request: a client that asks while another is being carried out has to try again.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/text.h"

enum control_action {
    CONTROL_RELOAD, /* read the configuration again */
    CONTROL_PAUSE,  /* leave the hardware counters alone for a time */
};

struct control_request {
    enum control_action action;
    uint64_t duration_ns; /* how long to pause; 0: the pause that stands ends */
};

/*
 * Parses how long a pause is to be: "off", which becomes 0, or a duration from 1s to 7d, as the
 * configuration writes it. Returns 0, or -EINVAL for anything else.
 */
int control_parse_pause(const char *text, uint64_t *ret_ns);

/* What control_parse_pause() expects, in words. */
#define CONTROL_PAUSE_EXPECTED "off, or a duration from 1s to 7d, such as 10m"

struct control_slot;

/* Makes a slot, which has to outlive the server that asks through it. 0 or -errno. */
int control_slot_new(struct control_slot **ret_slot);
struct control_slot *control_slot_free(struct control_slot *slot);
DEFINE_AUTO(control_slot, struct control_slot *, control_slot_free)

/* The owner's side. */

/* A descriptor that is readable while a request may wait for control_slot_take(). Borrowed. */
int control_slot_request_fd(const struct control_slot *slot);

/* Takes the request, if one waits; then it has to be answered. Returns false if none waits. */
bool control_slot_take(struct control_slot *slot, struct control_request *ret_request);

/* Answers. good: the request was carried out. The text, for people, is taken over. */
void control_slot_answer(struct control_slot *slot, bool good, struct text *text);

/* The asking side. */

/* A descriptor that is readable while an answer may wait for control_slot_collect(). Borrowed. */
int control_slot_answer_fd(const struct control_slot *slot);

/* Asks. Returns false if another request has not been answered. */
bool control_slot_ask(struct control_slot *slot, const struct control_request *request);

/* Takes the answer, if there is one; the caller frees the text. Returns false if there is none. */
bool control_slot_collect(struct control_slot *slot, bool *ret_good, struct text *ret_text);

/* Says that nobody waits for the answer any more. Withdraws a request that was not taken. */
void control_slot_abandon(struct control_slot *slot);
