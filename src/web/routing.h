/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Which line of the table of routes a request belongs to, by its path and its method. */

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "web/body.h"
#include "web/exchange.h"
#include "web/route.h"

/* The methods that are known; a set of them is a sum. */
enum http_method {
    METHOD_GET = 1 << 0,
    METHOD_HEAD = 1 << 1,
    METHOD_POST = 1 << 2,
    METHOD_PUT = 1 << 3,
    METHOD_DELETE = 1 << 4,
};

struct served_route {
    const struct route *route;
    size_t path_length;
    unsigned methods;         /* The line is for these. */
    struct body_store bodies; /* The bodies of its page; another line has none. */
};

struct routing {
    struct served_route *lines; /* They stand in the order of the table. */
    size_t n;
    bool has_commands; /* Without this, commands are not there. */
};

/*
 * The table and its routes are borrowed. Returns 0; -EINVAL: a route is not a path and one of page,
 * command, question and stream; -ENOMEM.
 */
int routing_init(struct routing *routing, const struct route_table *table,
                 struct connection_table *connections, struct compression *compression);
void routing_done(struct routing *routing);

/* Gives up the bodies that are shared: the next request for a page has it written anew. */
void routing_forget_bodies(struct routing *routing);

/* Returns the method of that name; 0: it is none that we know. */
unsigned method_of(const char *name);

/* Writes a set of methods as the header Allow has it. */
void methods_write(unsigned set, struct text *text);

/* What is known of a request before its method is. */
struct path_found {
    bool takes_query; /* A line of this path has arguments. */
    bool takes_body;  /* A line of this path has bodies. */
};

/*
 * Finds the lines of the path that the exchange asks for, and keeps in it where they begin, and the
 * path where it has to be decoded. To be called once for each request, before routing_choose().
 */
void routing_find(const struct routing *routing, struct exchange *exchange,
                  struct path_found *ret_found);

/*
 * Sets the line of the exchange, and the rest of the path. Returns the methods that lines of this
 * path have; 0: there is no such path.
 */
unsigned routing_choose(const struct routing *routing, struct exchange *exchange, unsigned method);
