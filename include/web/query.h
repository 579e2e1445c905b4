/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The arguments of a request: what stands behind the question mark of its target, as in
 * "?kind=cgroup&name[]=a&name[]=b", split and decoded.
 */

#include <stddef.h>

struct query_argument {
    const char *name;
    const char *value; /* it is empty where the name stands alone, as in "?kind" */
};

struct query {
    struct query_argument *arguments; /* They are in the order of the request; a name can repeat. */
    size_t n;
    char *text; /* Names and values are kept in here. */
};

/*
 * Splits a text at each "&" and each argument at its first "=", and decodes "+" and "%HH" in names
 * and values. An argument with a "%" that is not followed by two digits is left out, as Go's
 * net/http does. Returns 0, or -ENOMEM. The caller ends the query with query_done().
 */
int query_parse(const char *text, struct query *ret_query);
void query_done(struct query *query);

#define AUTO_QUERY __attribute__((cleanup(query_done)))

/* Returns the value of the first argument that has this name, or NULL if there is none. */
const char *query_value(const struct query *query, const char *name);
