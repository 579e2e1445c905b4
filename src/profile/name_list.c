/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/name_list.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "profile/object_message.h"
#include "target/clean_text.h"

void name_list_done(struct name_list *list)
{
    free(list->names);
    free(list->bytes);
    *list = (struct name_list){0};
}

#define AUTO_NAME_LIST __attribute__((cleanup(name_list_done)))

/* Sets the names, which stand one behind the other. False: they do not hold what lengths say. */
static bool set_names(struct name_list *list, const char *lengths, size_t n_bytes)
{
    char *name = list->bytes;
    uint16_t length;

    for (size_t i = 0; i < list->n; i++) {
        memcpy(&length, lengths + i * sizeof(length), sizeof(length));
        if (length == OBJECT_NAME_MISSING)
            continue;
        if (length > OBJECT_NAME_MOST || length >= n_bytes || name[length] != '\0' ||
            !text_is_clean(name, length))
            return false;
        list->names[i] = name;
        name += length + 1;
        n_bytes -= (size_t)length + 1;
    }
    return n_bytes == 0;
}

int name_list_parse(const void *bytes, size_t n_bytes, size_t n, struct name_list *ret_list)
{
    AUTO_NAME_LIST struct name_list list = {.n = n};
    const size_t of_lengths = n * sizeof(uint16_t);
    const char *lengths = bytes;

    if (n > n_bytes / sizeof(uint16_t))
        return -EBADMSG;
    list.names = calloc(n > 0 ? n : 1, sizeof(*list.names));
    list.bytes = malloc(n_bytes - of_lengths + 1);
    if (!list.names || !list.bytes)
        return -ENOMEM;
    memcpy(list.bytes, lengths + of_lengths, n_bytes - of_lengths);
    if (!set_names(&list, lengths, n_bytes - of_lengths))
        return -EBADMSG;
    *ret_list = list;
    list = (struct name_list){0};
    return 0;
}
