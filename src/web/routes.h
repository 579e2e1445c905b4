/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The handler of every request: finds the route of its path, and has it answered. */

#include <microhttpd.h>

#include "web/answers.h"
#include "web/body.h"
#include "web/connections.h"
#include "web/control_routes.h"
#include "web/route.h"

struct served_route {
    const struct route *route;
    struct body_store bodies; /* The bodies of its page; a command has none. */
};

struct site {
    struct served_route *routes; /* They stand in the order of the table. */
    size_t n_routes;
    void *context; /* The functions of the routes get it. */
    struct answers answers;
    struct control_routes control;
    struct connection_table *connections;
};

/*
 * The routes and the connections are borrowed for the site's life. Returns 0; -EINVAL: a route is
 * not both a path and either a page or a command; -ENOMEM. site_done() is to be called also then.
 */
int site_init(struct site *site, const struct route_table *table,
              struct connection_table *connections);
void site_done(struct site *site);

/* libmicrohttpd calls it by MHD_OPTION_URI_LOG_CALLBACK; the context is the site. */
void *site_on_target(void *context, const char *text, struct MHD_Connection *mhd);

/* libmicrohttpd calls it as MHD_AccessHandlerCallback; the context is the site. */
enum MHD_Result site_on_request(void *context, struct MHD_Connection *mhd, const char *path,
                                const char *method, const char *http_version, const char *upload,
                                size_t *upload_length, void **request_context);

/* libmicrohttpd calls it as MHD_RequestCompletedCallback; the context is the site. */
void site_on_completed(void *context, struct MHD_Connection *mhd, void **request_context,
                       enum MHD_RequestTerminationCode reason);
