/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "fuzz/fuzz.h"
#include "web/query.h"
#include "web/request_target.h"

/*
 * What a client asks for. A target that is taken consists of parts of the text, has a path
 * that begins with a slash and no NUL anywhere. Its arguments are no longer
 * than what was sent.
 */

static bool is_within(struct piece piece, const char *text)
{
    return piece.at >= text && piece.at + piece.length <= text + strlen(text);
}

/* It decodes to a text of its own: what is sent as it is stays, and it gets no longer. */
static void check_path(const struct request_target *target)
{
    AUTO_FREE char *path = request_target_path(target);

    FUZZ_CHECK(!path || (path[0] == '/' && strlen(path) <= target->path.length));
    FUZZ_CHECK(!path || memchr(target->path.at, '%', target->path.length) ||
               strlen(path) == target->path.length);
}

/* As the first argument of each name is looked up; no argument has the name that is looked for
 * last.
 */
static void check_values(const struct query *query)
{
    AUTO_TEXT struct text all = {0};

    for (size_t i = 0; i < query->n; i++) {
        const char *const value = query_value(query, query->arguments[i].name);
        size_t first = 0;

        while (strcmp(query->arguments[first].name, query->arguments[i].name) != 0)
            first++;
        FUZZ_CHECK(value == query->arguments[first].value);
        text_append_string(&all, query->arguments[i].name);
    }
    text_append_string(&all, "+");
    text_append_char(&all, '\0');
    FUZZ_CHECK(!query_value(query, all.data));
}

static void append_encoded(struct text *text, const char *bytes)
{
    for (; *bytes; bytes++)
        text_append_format(text, "%%%02X", (unsigned char)*bytes);
}

/* Arguments whose bytes are all encoded are the same arguments. */
static void check_encoded(const struct query *query)
{
    AUTO_TEXT struct text text = {0};
    struct query again AUTO_QUERY = {0};

    for (size_t i = 0; i < query->n; i++) {
        append_encoded(&text, query->arguments[i].name);
        text_append_char(&text, '=');
        append_encoded(&text, query->arguments[i].value);
        text_append_char(&text, '&');
    }
    text_append_char(&text, '\0');
    FUZZ_CHECK(query_parse(text.data, &again) == 0 && again.n == query->n);
    for (size_t i = 0; i < query->n; i++) {
        FUZZ_CHECK(strcmp(again.arguments[i].name, query->arguments[i].name) == 0);
        FUZZ_CHECK(strcmp(again.arguments[i].value, query->arguments[i].value) == 0);
    }
}

static void fuzz(const char *text)
{
    struct request_target target;
    struct query query;

    if (request_target_parse(text, &target) < 0)
        return;
    FUZZ_CHECK(target.path.length > 0 && target.path.at[0] == '/');
    FUZZ_CHECK(is_within(target.authority, text) && is_within(target.query, text));
    FUZZ_CHECK(!strstr(text, "%00"));
    check_path(&target);
    if (query_parse(target.query.at, &query) < 0)
        return;
    for (size_t i = 0; i < query.n; i++)
        FUZZ_CHECK(strlen(query.arguments[i].name) + strlen(query.arguments[i].value) <
                   target.query.length + 1);
    check_values(&query);
    check_encoded(&query);
    query_done(&query);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_FREE char *copy = calloc(1, size + 1);

    if (!copy)
        return 0;
    if (size > 0)
        memcpy(copy, data, size);
    fuzz(copy);
    return 0;
}
