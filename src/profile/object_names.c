/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "profile/name_list.h"
#include "profile/object_message.h"
#include "profile/object_table.h"

void object_names_done(struct object_names *names)
{
    free(names->names);
    free(names->bytes);
    *names = (struct object_names){0};
}

int object_names_parse(const void *bytes, size_t n_bytes, size_t n, struct object_names *ret_names)
{
    struct object_names_head head;
    struct name_list list;
    int r;

    if (n_bytes < sizeof(head))
        return -EBADMSG;
    memcpy(&head, bytes, sizeof(head));
    if (head.mark != OBJECT_NAMES_MARK || head.n != n)
        return -EBADMSG;
    r = name_list_parse((const char *)bytes + sizeof(head), n_bytes - sizeof(head), n, &list);
    if (r < 0)
        return r;
    *ret_names = (struct object_names){.n = list.n, .names = list.names, .bytes = list.bytes};
    return 0;
}
