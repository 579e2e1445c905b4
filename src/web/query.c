/* SPDX-License-Identifier: Apache-2.0 */
#include "web/query.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/parse.h"

/* Decodes a text in its place: it only gets shorter. Returns false where a "%" has no digits. */
static bool decode(char *text)
{
    char *end = text;

    for (; *text; text++) {
        if (*text == '%') {
            const int high = digit_value(text[1]);
            const int low = high < 0 ? -1 : digit_value(text[2]);

            if (low < 0)
                return false;
            *end++ = (char)(high * 16 + low);
            text += 2;
        } else {
            *end++ = *text == '+' ? ' ' : *text;
        }
    }
    *end = '\0';
    return true;
}

/* Decodes one argument and adds it to the query, which has room for it. */
static void add_argument(struct query *query, char *text)
{
    char *const equals = strchr(text, '=');
    char *const value = equals ? equals + 1 : text + strlen(text);

    if (equals)
        *equals = '\0';
    if (*text && decode(text) && decode(value))
        query->arguments[query->n++] = (struct query_argument){text, value};
}

static size_t count_arguments(const char *text)
{
    size_t n = 1;

    for (; *text; text++)
        n += *text == '&';
    return n;
}

int query_parse(const char *text, struct query *ret_query)
{
    struct query query = {.text = strdup(text),
                          .arguments = calloc(count_arguments(text), sizeof(*query.arguments))};
    char *rest = query.text;

    if (!query.text || !query.arguments) {
        query_done(&query);
        return -ENOMEM;
    }
    while (rest)
        add_argument(&query, strsep(&rest, "&"));
    *ret_query = query;
    return 0;
}

void query_done(struct query *query)
{
    free(TAKE(query->arguments));
    free(TAKE(query->text));
    query->n = 0;
}

const char *query_value(const struct query *query, const char *name)
{
    for (size_t i = 0; i < query->n; i++)
        if (strcmp(query->arguments[i].name, name) == 0)
            return query->arguments[i].value;
    return NULL;
}
