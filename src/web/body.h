/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The bodies of one page: each version of its text is written once and shared by all who read it.
 * A store belongs to the server's thread.
 */

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "web/connections.h"
#include "web/route.h"

/* How many versions of a page can be under way to clients at one time. */
#define BODIES 4

struct body {
    struct text text;
    struct MHD_Response *response; /* The store's reference to what shows the text, or NULL. */
    uint64_t version;
    uint64_t sequence; /* The store had made so many bodies before this one. */
    bool kept;         /* The buffer outlives the text in it, so that its pages stay warm. */
    bool busy;         /* Somebody reads the text: it must not change. */
};

struct body_store {
    const struct route *route;
    void *context; /* It is passed to the functions of the route. */
    struct connection_table *connections;
    struct body bodies[BODIES];
    struct body *current; /* The next request for its version gets this body; NULL: none does. */
    uint64_t n_made;
};

/* The route is a page. Like the context and the connections it is borrowed for the store's life. */
void body_store_init(struct body_store *store, const struct route *route, void *context,
                     struct connection_table *connections);

/* It is called after the daemons have stopped, because nobody may be reading a body. */
void body_store_done(struct body_store *store);

/*
 * Finds the body of the version that stands now, or makes it. The query has no arguments where the
 * route takes none. Returns 0, and the caller passes the body to body_queue(); -ENOMEM; -EBUSY: too
 * many versions are being read, and the readers of the oldest have just been cut off; another
 * -errno of the route's render(), whose text is then moved to ret_refusal for the caller to free.
 */
int body_store_get(struct body_store *store, const struct query *query, struct body **ret_body,
                   struct text *ret_refusal);

/* Answers 200 with the body, which stays unchanged until the client has taken it. */
enum MHD_Result body_queue(struct body_store *store, struct body *body, struct MHD_Connection *mhd,
                           struct connection *reader);
