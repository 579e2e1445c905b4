/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The bodies of one page: each version of its text is written once in each form, compressed once,
 * and shared by all who read it. A store belongs to the server's thread.
 */

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "web/compression.h"
#include "web/connections.h"
#include "web/negotiation.h"
#include "web/route.h"

/* How many versions of a page with one form can be under way to clients at one time. */
#define BODIES 4

/* A page has at most so many forms, for each of which there is one body more. */
#define MOST_FORMS 4

#define MOST_BODIES (BODIES + MOST_FORMS - 1)

/* Room for the hash of a text in quotation marks; that of its gzip has another character. */
#define ETAG_SIZE 24

struct body {
    struct text text;
    struct text gzip; /* The text once somebody has asked for it so, unless it is no shorter. */

    /* The store's references to what shows the text, by escaping, as it is and as gzip. */
    struct MHD_Response *responses[N_ESCAPINGS][2];
    unsigned n_responses; /* So many have not been freed: they point to the text. */

    char etag[ETAG_SIZE]; /* It is empty where the text can change. */
    size_t form;
    uint64_t version;
    uint64_t sequence; /* The store had made so many bodies before this one. */
    bool kept;         /* The buffer outlives the text in it, so that its pages stay warm. */
    bool busy;         /* Somebody reads the text: it must not change. */
    bool compressed;   /* There is a gzip, or it is known that there is to be none. */
};

struct body_store {
    const struct route *route;
    void *context; /* It is passed to the functions of the route. */
    struct connection_table *connections;
    struct compression *compression;
    struct body bodies[MOST_BODIES];
    size_t n_bodies;
    struct body *current[MOST_FORMS]; /* The next request for its version and form gets it. */
    uint64_t n_made;
};

/* The route is a page. What else is passed is borrowed for the store's life. */
void body_store_init(struct body_store *store, const struct route *route, void *context,
                     struct connection_table *connections, struct compression *compression);

/* Gives up the body that is shared; answers that are under way keep it. */
void body_store_forget(struct body_store *store);

/* It is called after the daemons have stopped, because nobody may be reading a body. */
void body_store_done(struct body_store *store);

/*
 * Finds the body of the version that stands now, or makes it. An answer to a request with
 * arguments, or with more of a path than the route's, is not shared. Returns 0, and the caller
 * passes the body to body_queue(); -ENOMEM; -EBUSY: too many versions are being read, and the
 * readers of the oldest have just been cut off; another -errno of the route's render(), whose text
 * is then moved to ret_refusal for the caller to free.
 */
int body_store_get(struct body_store *store, const struct route_request *request, size_t form,
                   struct body **ret_body, struct text *ret_refusal);

/*
 * Answers 200 with the body, which stays unchanged until the client has taken it; or 304 where
 * the client has it already.
 */
enum MHD_Result body_queue(struct body_store *store, struct body *body, enum escaping escaping,
                           struct MHD_Connection *mhd, struct connection *reader);
