/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The path of a request is known before its method is: libmicrohttpd has to be told then whether it
 * may read a body. So the lines of the path are found first, and one of them is chosen later.
 */
#include "web/routing.h"

#include <errno.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

static const struct {
    enum http_method method;
    const char *name;
} methods[] = {
    {METHOD_GET, MHD_HTTP_METHOD_GET},       {METHOD_HEAD, MHD_HTTP_METHOD_HEAD},
    {METHOD_POST, MHD_HTTP_METHOD_POST},     {METHOD_PUT, MHD_HTTP_METHOD_PUT},
    {METHOD_DELETE, MHD_HTTP_METHOD_DELETE},
};

unsigned method_of(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(methods); i++)
        if (strcmp(name, methods[i].name) == 0)
            return methods[i].method;
    return 0;
}

void methods_write(unsigned set, struct text *text)
{
    const char *separator = "";

    for (size_t i = 0; i < ARRAY_SIZE(methods); i++)
        if (set & methods[i].method) {
            text_append_string(text, separator);
            text_append_string(text, methods[i].name);
            separator = ", ";
        }
}

/* As in Prometheus, a command by PUT is one by POST. */
static unsigned methods_of(const struct route *route)
{
    static const unsigned asked_by[] = {
        [ROUTE_GET] = METHOD_GET | METHOD_HEAD,
        [ROUTE_POST] = METHOD_POST,
        [ROUTE_DELETE] = METHOD_DELETE,
    };

    if (route->command)
        return METHOD_POST | METHOD_PUT;
    if (route->ask)
        return asked_by[route->method];
    return route->next ? METHOD_GET : METHOD_GET | METHOD_HEAD;
}

static bool is_complete(const struct route *route)
{
    const int n = (route->render != NULL) + (route->command != NULL) + (route->ask != NULL) +
                  (route->next != NULL);

    return n == 1 && route->path && route->path[0] == '/' &&
           (!route->render || route->content_type || route->n_forms > 0) &&
           route->n_forms <= MOST_FORMS &&
           (!route->has_rest || route->path[strlen(route->path) - 1] == '/') &&
           (!route->ending || route->has_rest);
}

int routing_init(struct routing *routing, const struct route_table *table,
                 struct connection_table *connections, struct compression *compression)
{
    *routing = (struct routing){.lines = calloc(table->n + 1, sizeof(*routing->lines))};
    if (!routing->lines)
        return -ENOMEM;
    for (size_t i = 0; i < table->n; i++) {
        const struct route *const route = &table->routes[i];
        struct served_route *const line = &routing->lines[i];

        if (!is_complete(route))
            return -EINVAL;
        *line = (struct served_route){
            .route = route,
            .path_length = strlen(route->path),
            .methods = methods_of(route),
        };
        body_store_init(&line->bodies, route, table->context, connections, compression);
        routing->n++;
    }
    return 0;
}

void routing_forget_bodies(struct routing *routing)
{
    for (size_t i = 0; i < routing->n; i++)
        body_store_forget(&routing->lines[i].bodies);
}

void routing_done(struct routing *routing)
{
    for (size_t i = 0; i < routing->n; i++)
        body_store_done(&routing->lines[i].bodies);
    free(TAKE(routing->lines));
    routing->n = 0;
}

static bool ends_with(struct piece piece, const char *ending)
{
    const size_t length = strlen(ending);

    return piece.length >= length && memcmp(piece.at + piece.length - length, ending, length) == 0;
}

static bool is_path_of(const struct routing *routing, const struct served_route *line,
                       struct piece path)
{
    const struct route *const route = line->route;
    const size_t length = line->path_length;

    if (path.length < length || memcmp(path.at, route->path, length) != 0)
        return false;
    if (route->command && !routing->has_commands)
        return false;
    if (!route->has_rest)
        return path.length == length;
    return !route->ending ||
           ends_with((struct piece){path.at + length, path.length - length}, route->ending);
}

/* Returns the decoded path, which the exchange keeps if it is not what was sent. */
static struct piece path_of(struct exchange *exchange)
{
    const struct piece sent = exchange->asked.target.path;

    if (!exchange->path && memchr(sent.at, '%', sent.length))
        exchange->path = request_target_path(&exchange->asked.target);
    if (!exchange->path)
        return sent;
    return (struct piece){exchange->path, strlen(exchange->path)};
}

void routing_find(const struct routing *routing, struct exchange *exchange,
                  struct path_found *ret_found)
{
    const struct piece path = path_of(exchange);
    struct path_found found = {0};

    exchange->first_line = routing->n;
    for (size_t i = routing->n; i-- > 0;) {
        const struct route *const route = routing->lines[i].route;

        if (!is_path_of(routing, &routing->lines[i], path))
            continue;
        exchange->first_line = i;
        found.takes_query = found.takes_query || route->takes_query;
        found.takes_body = found.takes_body || route->takes_body > 0;
    }
    *ret_found = found;
}

/* Keeps what follows the path of the line. Returns false if there is no memory. */
static bool keep_rest(struct exchange *exchange, const struct served_route *line)
{
    const char *const ending = line->route->ending ? line->route->ending : "";

    if (!exchange->path)
        exchange->path = request_target_path(&exchange->asked.target);
    if (!exchange->path)
        return false;
    exchange->rest = exchange->path + line->path_length;
    exchange->path[strlen(exchange->path) - strlen(ending)] = '\0';
    return true;
}

unsigned routing_choose(const struct routing *routing, struct exchange *exchange, unsigned method)
{
    const struct piece path = path_of(exchange);
    unsigned allowed = 0;

    for (size_t i = exchange->first_line; i < routing->n; i++) {
        struct served_route *const line = &routing->lines[i];

        if (!is_path_of(routing, line, path))
            continue;
        allowed |= line->methods;
        if (!(line->methods & method))
            continue;
        if (!line->route->has_rest || keep_rest(exchange, line))
            exchange->line = line;
        break;
    }
    return allowed;
}
