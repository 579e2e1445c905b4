/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What all responses have in common: each is described, and queued, by one function of these. */

#include <microhttpd.h>
#include <stdbool.h>

#include "base/text.h"
#include "web/compression.h"

/* A response that is made for one request. */
struct reply {
    unsigned status;
    const char *content_type;
    const char *file_name;           /* Browsers save it under this name; NULL: they show it. */
    const char *allow;               /* The header Allow; NULL: there is none. */
    bool close;                      /* The connection is closed: what follows on it is not read. */
    bool varies;                     /* A client may ask for it as gzip. */
    struct compression *compression; /* This one does; NULL: it does not. */
};

/* Adds the headers that every response has. Returns false if memory ran out. */
bool reply_describe(struct MHD_Response *response, const char *content_type);

/* Every response is queued by this function. */
enum MHD_Result reply_queue(struct MHD_Connection *mhd, unsigned status,
                            struct MHD_Response *response);

/* Answers with a text, which is taken over, and compressed where that makes it shorter. */
enum MHD_Result reply_queue_text(struct MHD_Connection *mhd, const struct reply *reply,
                                 struct text *text);

/* Tells people what was wrong: as plain text, or in JSON as {"error": TEXT}. */
enum MHD_Result reply_queue_error(struct MHD_Connection *mhd, const struct reply *reply,
                                  bool in_json, struct text *text);

/* Writes {"error": MESSAGE}, without a newline at the end of the message. */
void reply_write_error(struct text *text, const char *message);
