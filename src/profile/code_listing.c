/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/code_listing.h"

#include <errno.h>
#include <string.h>

#include "profile/name_list.h"
#include "profile/object_message.h"

struct code_listing *code_listing_free(struct code_listing *listing)
{
    if (!listing)
        return NULL;
    free(listing->rows);
    free(listing->texts);
    free(listing->files);
    free(listing->bytes);
    free(listing);
    return NULL;
}

/* n: bytes behind the head. */
static bool head_holds(const struct code_listing_head *head, size_t n)
{
    return head->mark == CODE_LISTING_MARK && head->can_disassemble <= 1 &&
           head->n <= CODE_BYTES_MOST && head->n_files <= head->n &&
           head->n_build_id <= OBJECT_BUILD_ID_MOST && head->n * sizeof(struct code_row) <= n;
}

static bool rows_hold(const struct code_listing *listing, uint32_t start, uint32_t end)
{
    for (size_t i = 0; i < listing->n; i++) {
        const struct code_row *row = &listing->rows[i];

        if (row->address < start || row->address >= end ||
            (i > 0 && row->address <= listing->rows[i - 1].address) ||
            (row->file != CODE_NO_FILE && row->file >= listing->n_files))
            return false;
    }
    return true;
}

/* Shares a list out to texts and files, each of which is there. */
static int take_names(struct code_listing *listing, struct name_list *list)
{
    listing->texts = list->names;
    listing->bytes = list->bytes;
    *list = (struct name_list){0};
    for (size_t i = 0; i < listing->n + listing->n_files; i++)
        if (!listing->texts[i])
            return -EBADMSG;
    listing->files = calloc(listing->n_files + 1, sizeof(*listing->files)); // NOLINT: of pointers
    if (!listing->files)
        return -ENOMEM;
    for (size_t i = 0; i < listing->n_files; i++)
        listing->files[i] = listing->texts[listing->n + i];
    return 0;
}

static int parse_names(struct code_listing *listing, const char *bytes, size_t n)
{
    struct name_list list = {0};
    int r = name_list_parse(bytes, n, listing->n + listing->n_files, &list);

    return r < 0 ? r : take_names(listing, &list);
}

int code_listing_parse(const void *bytes, size_t n, uint32_t start, uint32_t end,
                       struct code_listing **ret_listing)
{
    AUTO(code_listing) struct code_listing *listing = calloc(1, sizeof(*listing));
    const char *rest = (const char *)bytes + sizeof(struct code_listing_head);
    struct code_listing_head head;
    size_t of_rows;
    int r;

    if (!listing)
        return -ENOMEM;
    if (n < sizeof(head))
        return -EBADMSG;
    memcpy(&head, bytes, sizeof(head));
    n -= sizeof(head);
    if (!head_holds(&head, n))
        return -EBADMSG;
    of_rows = (size_t)head.n * sizeof(struct code_row);
    listing->base = head.base;
    listing->can_disassemble = head.can_disassemble;
    listing->n = (size_t)head.n;
    listing->n_files = (size_t)head.n_files;
    listing->n_build_id = (size_t)head.n_build_id;
    memcpy(listing->build_id, head.build_id, listing->n_build_id);
    listing->rows = malloc(of_rows + 1);
    if (!listing->rows)
        return -ENOMEM;
    memcpy(listing->rows, rest, of_rows);
    if (!rows_hold(listing, start, end))
        return -EBADMSG;
    r = parse_names(listing, rest + of_rows, n - of_rows);
    if (r < 0)
        return r;
    *ret_listing = TAKE(listing);
    return 0;
}
