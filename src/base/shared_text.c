/* SPDX-License-Identifier: Apache-2.0 */
#include "base/shared_text.h"

#include <stdio.h>
#include <string.h>

/* Makes an object with room for this many bytes, which takes the descriptor over. */
static struct shared_text *make(size_t size, int fd)
{
    struct shared_text *shared = malloc(sizeof(*shared) + size);

    if (!shared) {
        cleanup_close(&fd);
        return NULL;
    }
    reference_init(&shared->reference);
    shared->fd = fd;
    shared->shown = shared->text;
    return shared;
}

struct shared_text *shared_text_new(const char *text)
{
    const size_t size = strlen(text) + 1;
    struct shared_text *shared = make(size, -1);

    if (shared)
        memcpy(shared->text, text, size);
    return shared;
}

struct shared_text *shared_text_new_file(int fd, const char *path)
{
    char text[32];
    const size_t length = (size_t)snprintf(text, sizeof(text), "/proc/self/fd/%d", fd);
    const size_t size = strlen(path) + 1;
    struct shared_text *shared = make(length + 1 + size, fd);

    if (!shared)
        return NULL;
    memcpy(shared->text, text, length + 1);
    shared->shown = memcpy(shared->text + length + 1, path, size);
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
    if (shared && reference_drop(&shared->reference)) {
        cleanup_close(&shared->fd);
        free(shared);
    }
    return NULL;
}

bool shared_text_equal(const struct shared_text *a, const struct shared_text *b)
{
    return a == b || (a && b && strcmp(a->shown, b->shown) == 0);
}
