/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "profile/name_list.h"
#include "profile/object_message.h"
#include "profile/object_table.h"

struct perf_map *perf_map_free(struct perf_map *map)
{
    if (!map)
        return NULL;
    free(map->rows);
    free(map->bytes);
    free(map);
    return NULL;
}

/* Takes the rows over, with their names. False: they do not hold. */
static bool set_rows(struct perf_map *map, const char *rows, const struct name_list *names)
{
    struct perf_map_message_row row;
    uint64_t least = 0;

    for (size_t i = 0; i < map->n; i++) {
        memcpy(&row, rows + i * sizeof(row), sizeof(row));
        if (row.start < least || row.end <= row.start || row.name >= names->n ||
            !names->names[row.name])
            return false;
        map->rows[i] = (struct perf_map_row){row.start, row.end, names->names[row.name]};
        least = row.end;
    }
    return true;
}

static int parse_rows(const char *rows, size_t n, struct name_list *names,
                      struct perf_map **ret_map)
{
    AUTO(perf_map) struct perf_map *map = calloc(1, sizeof(*map));

    if (!map)
        return -ENOMEM;
    map->n = n;
    map->rows = calloc(n > 0 ? n : 1, sizeof(*map->rows));
    if (!map->rows)
        return -ENOMEM;
    if (!set_rows(map, rows, names))
        return -EBADMSG;
    map->bytes = TAKE(names->bytes);
    *ret_map = TAKE(map);
    return 0;
}

int perf_map_parse(const void *bytes, size_t n, struct perf_map **ret_map)
{
    const char *rows = (const char *)bytes + sizeof(struct perf_map_head);
    struct perf_map_head head;
    struct name_list names;
    size_t of_rows;
    int r;

    if (n < sizeof(head))
        return -EBADMSG;
    memcpy(&head, bytes, sizeof(head));
    n -= sizeof(head);
    if (head.mark != PERF_MAP_MARK || head.n > PERF_MAP_ROWS_MOST ||
        head.n_names > PERF_MAP_LINES_MOST || head.n > n / sizeof(struct perf_map_message_row))
        return -EBADMSG;
    of_rows = (size_t)head.n * sizeof(struct perf_map_message_row);
    r = name_list_parse(rows + of_rows, n - of_rows, (size_t)head.n_names, &names);
    if (r < 0)
        return r;
    r = parse_rows(rows, (size_t)head.n, &names, ret_map);
    name_list_done(&names);
    return r;
}

const struct perf_map_row *perf_map_find(const struct perf_map *map, uint64_t address)
{
    size_t low = 0, high = map->n;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (map->rows[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && address < map->rows[low - 1].end ? &map->rows[low - 1] : NULL;
}
