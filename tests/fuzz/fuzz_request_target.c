/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/cleanup.h"
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
