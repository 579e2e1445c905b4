/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The bodies of the telemetry path: each version of the text is made once and
 * shared by all who read it. All of it belongs to the server's thread.
 */

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "web/connections.h"
#include "web/server.h"

#define BODIES 4 /* versions that can be in flight at one time */

struct body {
    struct text text;
    struct MHD_Response *response; /* our reference to what shows the text, or NULL */
    uint64_t version;
    uint64_t sequence; /* bodies made before this one */
    bool kept;         /* the buffer, warm, outlives the text in it */
    bool busy;         /* somebody reads the text: it must not change */
};

struct body_store {
    struct page_source source;
    struct connection_table *connections;
    struct body bodies[BODIES];
    struct body *current; /* what the next request for its version gets, or NULL */
    uint64_t n_made;
};

void body_store_init(struct body_store *store, const struct page_source *source,
                     struct connection_table *connections);

/* After the daemons have stopped: nobody may be reading a body. */
void body_store_done(struct body_store *store);

/*
 * The body of the version that stands now, made if it is new; body_queue() takes it.
 * 0; -ENOMEM; -EBUSY: too many versions are being read (the readers of the oldest
 * have just been cut off); else what page_source.render() returned.
 */
int body_store_get(struct body_store *store, struct body **ret_body);

/* Answers 200 with the body, which stays unchanged until the client has taken it. */
enum MHD_Result body_queue(struct body_store *store, struct body *body, struct MHD_Connection *mhd,
                           struct connection *reader);
