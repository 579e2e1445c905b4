/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * An answer that another thread than the server's gives, soon or late. The server makes it for a
 * request of a route with `ask` (web/route.h), waits without holding up anybody else, and sends
 * what it is given. A client that has gone makes no difference to who answers.
 */

#include <stdbool.h>

#include "base/cleanup.h"
#include "base/text.h"

struct deferred;

/*
 * Answers with 200 and the text, which is taken over, and ends the answer. Any thread may call it,
 * also within ask(). content_type is static. Who was handed an answer calls this or the function
 * below exactly once; after http_server_free() too.
 */
void deferred_answer(struct deferred *answer, const char *content_type, struct text *text);

/*
 * Refuses with what a route's function would return: -EINVAL, -ENOENT, … and a text that tells
 * people why, which is taken over. Ends the answer, as above.
 */
void deferred_refuse(struct deferred *answer, int error, struct text *text);

/*
 * Whether somebody still waits for the answer. Who was handed it may ask, on any thread, before a
 * long work; the answer is to be given in any case.
 */
bool deferred_is_wanted(struct deferred *answer);

/* To be called before deferred_answer(): browsers save the answer as a file of this name. */
void deferred_name_file(struct deferred *answer, const char *name);
