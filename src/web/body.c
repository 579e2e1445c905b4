/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A body has several responses of libmicrohttpd, because a response has its own headers: one for
 * each escaping that a client asked for, as it is and as gzip. All point to the same two buffers.
 * libmicrohttpd counts the references to a response: each answer that is under way holds one, and
 * the store holds one to those of the current version. When the last reference goes,
 * body_released() is called, and when it was called for all of them, the buffers can take the next
 * text. Usually every reader is done before the next version is made: then one body for each form
 * serves for ever, and its pages of memory stay warm. Those are the first bodies, which are taken
 * whenever they are free. The others give their memory back, because one that was needed once, for
 * a page that was large then, would stay as large for ever.
 *
 * A slow reader keeps its version for as long as it may read. There are only a few bodies, so that
 * many slow readers cannot keep many versions: when the last free body is taken, the readers of
 * the oldest version are cut off.
 */
#include "web/body.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fnv.h"
#include "web/reply.h"

void body_store_init(struct body_store *store, const struct route *route, void *context,
                     struct connection_table *connections, struct compression *compression)
{
    const size_t n_forms = route->n_forms > 0 ? route->n_forms : 1;

    *store = (struct body_store){
        .route = route,
        .context = context,
        .connections = connections,
        .compression = compression,
        .n_bodies = BODIES + n_forms - 1,
    };
    for (size_t i = 0; i < n_forms; i++)
        store->bodies[i].kept = true;
}

static void empty(struct text *text, bool kept)
{
    const bool outgrown = text->capacity / 4 > text->length;

    if (kept && !outgrown)
        text_clear(text);
    else
        text_done(text);
}

static void make_free(struct body *body)
{
    empty(&body->text, body->kept);
    empty(&body->gzip, body->kept);
    body->compressed = body->busy = false;
    body->etag[0] = '\0';
}

/* libmicrohttpd calls this when the last reference to a response has gone. */
static void body_released(void *context)
{
    struct body *const body = context;

    if (--body->n_responses == 0)
        make_free(body);
}

/* Gives up the store's references; answers that are under way keep theirs. */
static void release(struct body_store *store, struct body *body)
{
    struct MHD_Response **const responses = &body->responses[0][0];

    if (store->current[body->form] == body)
        store->current[body->form] = NULL;
    if (body->n_responses == 0)
        make_free(body);
    for (size_t i = 0; i < sizeof(body->responses) / sizeof(*responses); i++)
        if (responses[i])
            MHD_destroy_response(TAKE(responses[i]));
}

void body_store_forget(struct body_store *store)
{
    for (size_t i = 0; i < MOST_FORMS; i++)
        if (store->current[i])
            release(store, store->current[i]);
}

void body_store_done(struct body_store *store)
{
    body_store_forget(store);
    for (size_t i = 0; i < MOST_BODIES; i++) {
        text_done(&store->bodies[i].text);
        text_done(&store->bodies[i].gzip);
    }
}

static struct body *find_free(struct body_store *store)
{
    for (size_t i = 0; i < store->n_bodies; i++)
        if (!store->bodies[i].busy)
            return &store->bodies[i];
    return NULL;
}

static const struct body *find_oldest(const struct body_store *store)
{
    const struct body *oldest = &store->bodies[0];

    for (size_t i = 1; i < store->n_bodies; i++)
        if (store->bodies[i].sequence < oldest->sequence)
            oldest = &store->bodies[i];
    return oldest;
}

/* Nobody chooses our texts so that two have the same hash. */
static void set_etag(struct body *body)
{
    (void)snprintf(body->etag, sizeof(body->etag), "\"%016" PRIx64 "\"",
                   fnv1a(body->text.data, body->text.length));
}

/* Writes the page into a free body. A failure leaves the body free, and its text to the caller. */
static int make(struct body_store *store, struct body *body, const struct route_request *request,
                size_t form, struct text *ret_refusal)
{
    int r = store->route->render(store->context, request, form, &body->text);

    if (r < 0) {
        *ret_refusal = body->text;
        body->text = (struct text){0};
        return r;
    }
    if (text_error(&body->text) < 0) {
        make_free(body);
        return -ENOMEM;
    }
    body->busy = true;
    body->form = form;
    body->sequence = store->n_made++;
    return 0;
}

/* Lets go of texts of an earlier version, in all forms. */
static void release_earlier(struct body_store *store, uint64_t version)
{
    for (size_t i = 0; i < MOST_FORMS; i++)
        if (store->current[i] && store->current[i]->version != version)
            release(store, store->current[i]);
}

int body_store_get(struct body_store *store, const struct route_request *request, size_t form,
                   struct body **ret_body, struct text *ret_refusal)
{
    const struct route *route = store->route;
    const uint64_t version = route->version ? route->version(store->context) : 1;
    const bool shared = version != 0 && request->query->n == 0 && request->rest[0] == '\0';
    struct body *body;
    int r;

    release_earlier(store, version);
    if (shared && store->current[form]) {
        *ret_body = store->current[form];
        return 0;
    }
    body = find_free(store);
    r = body ? make(store, body, request, form, ret_refusal) : -EBUSY;
    if (!find_free(store))
        connection_table_cut_readers(store->connections, find_oldest(store));
    if (r < 0)
        return r;
    body->version = version;
    if (shared)
        store->current[form] = body;
    if (shared && !route->version)
        set_etag(body);
    *ret_body = body;
    return 0;
}

/* Adds what the client has to know to keep the answer, and to ask for it again. */
static bool add_validators(struct MHD_Response *response, const struct body_store *store,
                           const struct body *body, bool gzip)
{
    const bool varies = store->route->n_forms > 1;
    char etag[ETAG_SIZE];

    if (!MHD_add_response_header(response, MHD_HTTP_HEADER_VARY,
                                 varies ? "Accept, Accept-Encoding" : "Accept-Encoding"))
        return false;
    if (!body->etag[0])
        return true;
    (void)snprintf(etag, sizeof(etag), "%.17s%s", body->etag, gzip ? "z\"" : "\"");
    return MHD_add_response_header(response, MHD_HTTP_HEADER_ETAG, etag) &&
           MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-cache");
}

static bool describe(struct MHD_Response *response, const struct body_store *store,
                     const struct body *body, enum escaping escaping, bool gzip)
{
    const struct route *const route = store->route;
    char content_type[256];

    (void)snprintf(content_type, sizeof(content_type), "%s%s",
                   route->n_forms > 0 ? route->forms[body->form].content_type : route->content_type,
                   escaping_parameters[escaping]);
    return reply_describe(response, content_type) && add_validators(response, store, body, gzip) &&
           (!gzip || MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip")) &&
           (!route->security_policy ||
            MHD_add_response_header(response, "Content-Security-Policy", route->security_policy));
}

/* Returns the response that shows the body in this way, or makes it. NULL: there is no memory. */
static struct MHD_Response *response_of(const struct body_store *store, struct body *body,
                                        enum escaping escaping, bool gzip)
{
    const struct text *const text = gzip ? &body->gzip : &body->text;
    struct MHD_Response **const response = &body->responses[escaping][gzip];

    if (*response)
        return *response;
    *response = MHD_create_response_from_buffer_with_free_callback_cls(text->length, text->data,
                                                                       body_released, body);
    if (!*response)
        return NULL;
    body->n_responses++;
    return describe(*response, store, body, escaping, gzip) ? *response : NULL;
}

static const char *header_of(struct MHD_Connection *mhd, const char *name)
{
    return MHD_lookup_connection_value(mhd, MHD_HEADER_KIND, name);
}

/* Compresses the text when the first client asks for that. */
static bool is_to_be_gzip(struct body_store *store, struct body *body, struct MHD_Connection *mhd)
{
    if (body->text.length < COMPRESSION_LEAST ||
        !negotiate_gzip(header_of(mhd, MHD_HTTP_HEADER_ACCEPT_ENCODING)))
        return false;
    if (!body->compressed)
        (void)compression_add(store->compression, &body->text, &body->gzip);
    body->compressed = true;
    return body->gzip.length > 0;
}

/* Tells whether the client has the text, in whichever encoding (RFC 9110, 13.1.2). */
static bool is_known(const struct body *body, struct MHD_Connection *mhd)
{
    const char *const known = body->etag[0] ? header_of(mhd, MHD_HTTP_HEADER_IF_NONE_MATCH) : NULL;
    char hash[ETAG_SIZE];

    if (!known)
        return false;
    (void)snprintf(hash, sizeof(hash), "%.17s", body->etag);
    return strcmp(known, "*") == 0 || strstr(known, hash);
}

static enum MHD_Result queue_not_modified(const struct body_store *store, const struct body *body,
                                          bool gzip, struct MHD_Connection *mhd)
{
    struct MHD_Response *const response =
        MHD_create_response_from_buffer(0, (void *)(uintptr_t) "", MHD_RESPMEM_PERSISTENT);
    enum MHD_Result result = MHD_NO;

    if (!response)
        return MHD_NO;
    if (add_validators(response, store, body, gzip))
        result = reply_queue(mhd, MHD_HTTP_NOT_MODIFIED, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result queue_text(struct body_store *store, struct body *body,
                                  enum escaping escaping, bool gzip, struct MHD_Connection *mhd,
                                  struct connection *reader)
{
    struct MHD_Response *const response = response_of(store, body, escaping, gzip);
    enum MHD_Result result;

    if (!response) {
        store->current[body->form] = NULL; /* It is to be made again. */
        return MHD_NO;
    }
    result = reply_queue(mhd, MHD_HTTP_OK, response);
    if (result == MHD_YES)
        reader->body = body;
    return result;
}

enum MHD_Result body_queue(struct body_store *store, struct body *body, enum escaping escaping,
                           struct MHD_Connection *mhd, struct connection *reader)
{
    const bool gzip = is_to_be_gzip(store, body, mhd);
    enum MHD_Result result;

    if (is_known(body, mhd))
        result = queue_not_modified(store, body, gzip, mhd);
    else
        result = queue_text(store, body, escaping, gzip, mhd, reader);
    if (body != store->current[body->form])
        release(store, body);
    return result;
}
