/* SPDX-License-Identifier: Apache-2.0 */
#include "base/shared_text.h"

#include <string.h>

struct shared_text *shared_text_new(const char *text)
{
    const size_t size = strlen(text) + 1;
    struct shared_text *shared = malloc(sizeof(*shared) + size);

    if (!shared)
        return NULL;
    reference_init(&shared->reference);
    memcpy(shared->text, text, size);
    return shared;
}

struct shared_text *shared_text_ref(struct shared_text *shared)
{
    if (shared)
        reference_take(&shared->reference);
    return shared;
}

struct shared_text *shared_text_unref(struct shared_text *shared)
{
    if (shared && reference_drop(&shared->reference))
        free(shared);
    return NULL;
}

bool shared_text_equal(const struct shared_text *a, const struct shared_text *b)
{
    return a == b || (a && b && strcmp(a->text, b->text) == 0);
}
