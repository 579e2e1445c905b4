/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libmicrohttpd counts the references to a response: each answer that is under way holds one, and
 * the store holds one to the current version. When the last reference goes, body_released() is
 * called, and the buffer can take the next text. Usually every reader is done before the next
 * version is made: then one buffer serves for ever, and its pages of memory stay warm. That is the
 * first buffer, which is taken whenever it is free. The others give their memory back, because one
 * that was needed once, for a page that was large then, would stay as large for ever.
 *
 * A slow reader keeps its version for as long as it may read. There are only a few buffers, so that
 * many slow readers cannot keep many versions: when the last free buffer is taken, the readers of
 * the oldest version are cut off.
 */
#include "web/body.h"

#include <errno.h>

#include "web/answers.h"

void body_store_init(struct body_store *store, const struct route *route, void *context,
                     struct connection_table *connections)
{
    *store = (struct body_store){.route = route, .context = context, .connections = connections};
    store->bodies[0].kept = true;
}

/* libmicrohttpd calls this when the last reference to the response has gone. */
static void body_released(void *context)
{
    struct body *const body = context;
    const bool outgrown = body->text.capacity / 4 > body->text.length;

    if (body->kept && !outgrown)
        text_clear(&body->text);
    else
        text_done(&body->text);
    body->busy = false;
}

/* Gives up the store's reference; answers that are under way keep theirs. */
static void release(struct body_store *store, struct body *body)
{
    if (store->current == body)
        store->current = NULL;
    MHD_destroy_response(TAKE(body->response));
}

void body_store_done(struct body_store *store)
{
    if (store->current)
        release(store, store->current);
    for (size_t i = 0; i < BODIES; i++)
        text_done(&store->bodies[i].text);
}

static struct body *find_free(struct body_store *store)
{
    for (size_t i = 0; i < BODIES; i++)
        if (!store->bodies[i].busy)
            return &store->bodies[i];
    return NULL;
}

static const struct body *find_oldest(const struct body_store *store)
{
    const struct body *oldest = &store->bodies[0];

    for (size_t i = 1; i < BODIES; i++)
        if (store->bodies[i].sequence < oldest->sequence)
            oldest = &store->bodies[i];
    return oldest;
}

static bool describe(const struct body *body, const struct route *route)
{
    return response_describe(body->response, route->content_type) &&
           (!route->security_policy ||
            MHD_add_response_header(body->response, "Content-Security-Policy",
                                    route->security_policy));
}

/* Writes the page into a free body. A failure leaves the body free, and its text to the caller. */
static int make(struct body_store *store, struct body *body, const struct query *query,
                struct text *ret_refusal)
{
    int r = store->route->render(store->context, query, &body->text);

    if (r < 0) {
        *ret_refusal = body->text;
        body->text = (struct text){0};
        return r;
    }
    if (text_error(&body->text) == 0)
        body->response = MHD_create_response_from_buffer_with_free_callback_cls(
            body->text.length, body->text.data, body_released, body);
    if (!body->response) {
        body_released(body);
        return -ENOMEM;
    }
    body->busy = true;
    body->sequence = store->n_made++;
    if (!describe(body, store->route)) {
        release(store, body);
        return -ENOMEM;
    }
    return 0;
}

int body_store_get(struct body_store *store, const struct query *query, struct body **ret_body,
                   struct text *ret_refusal)
{
    const struct route *route = store->route;
    const uint64_t version = route->version ? route->version(store->context) : 1;
    const bool shared = version != 0 && query->n == 0;
    struct body *body;
    int r;

    if (store->current && store->current->version != version)
        release(store, store->current);
    if (shared && store->current) {
        *ret_body = store->current;
        return 0;
    }
    body = find_free(store);
    r = body ? make(store, body, query, ret_refusal) : -EBUSY;
    if (!find_free(store))
        connection_table_cut_readers(store->connections, find_oldest(store));
    if (r < 0)
        return r;
    body->version = version;
    if (shared)
        store->current = body;
    *ret_body = body;
    return 0;
}

enum MHD_Result body_queue(struct body_store *store, struct body *body, struct MHD_Connection *mhd,
                           struct connection *reader)
{
    enum MHD_Result result;

    result = MHD_queue_response(mhd, MHD_HTTP_OK, body->response);
    if (result == MHD_YES)
        reader->body = body;
    if (body != store->current)
        release(store, body);
    return result;
}
