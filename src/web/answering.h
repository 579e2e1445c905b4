/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Answers a request that has come as a whole, by the line of the table that it belongs to. */

#include <microhttpd.h>
#include <stdbool.h>

#include "web/answers.h"
#include "web/connections.h"
#include "web/query.h"
#include "web/route.h"
#include "web/site.h"

/* A request as the handler knows it during one call. */
struct request {
    struct site *site;
    struct MHD_Connection *mhd;
    struct connection *connection;
    const struct route *route;
    struct query query;
};

/*
 * Queues the answer; or suspends the connection, and then the handler is called again when there is
 * one. The query is empty before and after.
 */
enum MHD_Result answering_answer(struct request *request);

/* Queues an answer that never changes. */
enum MHD_Result answering_queue(const struct request *request, enum answer which);

/* Tells whether the line is only for who may control the program, and the client may not. */
bool answering_is_forbidden(const struct route *route, const struct connection *connection);
