/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/subordinate_ids.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/parse.h"

#define MOST_RANGES 65536

struct range {
    uid_t first;
    uint32_t count;
    char *account; /* the name of the account; NULL: `owner` is known */
    uid_t owner;
};

struct subordinate_ids {
    struct name_service *service;
    char *path;
    struct stat read; /* of the file when it was read */
    struct range *ranges;
    size_t n;
};

/* Parses the number in n bytes. */
static bool parse_field(const char *text, size_t n, uint64_t *ret_value)
{
    char digits[24];

    if (n >= sizeof(digits))
        return false;
    memcpy(digits, text, n);
    digits[n] = '\0';
    return parse_u64(digits, ret_value) == 0;
}

bool subordinate_range_parse(const char *line, struct subordinate_range *ret_range)
{
    const char *first = strchr(line, ':');
    const char *count = first ? strchr(first + 1, ':') : NULL;
    uint64_t first_id, n_ids;

    if (!count || first == line || *line == '#' ||
        !parse_field(first + 1, (size_t)(count - first - 1), &first_id) ||
        !parse_field(count + 1, strcspn(count + 1, "\n"), &n_ids))
        return false;
    if (n_ids == 0 || n_ids > UINT32_MAX || first_id > UINT32_MAX - n_ids)
        return false;
    *ret_range = (struct subordinate_range){
        .account = line,
        .n_account = (size_t)(first - line),
        .first = (uid_t)first_id,
        .count = (uint32_t)n_ids,
    };
    return true;
}

static void free_ranges(struct range *ranges, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(ranges[i].account);
    free(ranges);
}

/* 0 or -ENOMEM. */
static int add_range(const struct subordinate_range *parsed, struct range **ranges, size_t *n)
{
    struct range *larger = reallocarray(*ranges, *n + 1, sizeof(*larger));
    char *account = larger ? strndup(parsed->account, parsed->n_account) : NULL;

    if (larger)
        *ranges = larger;
    if (!account)
        return -ENOMEM;
    larger[(*n)++] =
        (struct range){.first = parsed->first, .count = parsed->count, .account = account};
    return 0;
}

static int read_ranges(FILE *file, struct range **ret_ranges, size_t *ret_n)
{
    AUTO_FREE char *line = NULL;
    struct range *ranges = NULL;
    struct subordinate_range parsed;
    size_t n = 0, capacity = 0;
    int r = 0;

    while (r == 0 && n < MOST_RANGES && getline(&line, &capacity, file) > 0)
        if (subordinate_range_parse(line, &parsed))
            r = add_range(&parsed, &ranges, &n);
    if (r < 0) {
        free_ranges(ranges, n);
        return r;
    }
    *ret_ranges = ranges;
    *ret_n = n;
    return 0;
}

static bool is_as_read(const struct stat *read, const struct stat *now)
{
    return read->st_ino == now->st_ino && read->st_dev == now->st_dev &&
           read->st_size == now->st_size && read->st_mtim.tv_sec == now->st_mtim.tv_sec &&
           read->st_mtim.tv_nsec == now->st_mtim.tv_nsec;
}

void subordinate_ids_refresh(struct subordinate_ids *ids)
{
    FILE *file = fopen(ids->path, "re");
    struct stat now = {0};
    struct range *ranges = NULL;
    size_t n = 0;

    if (file && (fstat(fileno(file), &now) < 0 || is_as_read(&ids->read, &now) ||
                 read_ranges(file, &ranges, &n) < 0)) {
        (void)fclose(file);
        return;
    }
    if (file)
        (void)fclose(file);
    free_ranges(ids->ranges, ids->n);
    ids->ranges = ranges;
    ids->n = n;
    ids->read = now;
}

int subordinate_ids_new(const char *path, struct name_service *service,
                        struct subordinate_ids **ret_ids)
{
    AUTO(subordinate_ids) struct subordinate_ids *ids = calloc(1, sizeof(*ids));

    if (!ids)
        return -ENOMEM;
    ids->service = service;
    ids->path = strdup(path);
    if (!ids->path)
        return -ENOMEM;
    subordinate_ids_refresh(ids);
    *ret_ids = TAKE(ids);
    return 0;
}

struct subordinate_ids *subordinate_ids_free(struct subordinate_ids *ids)
{
    if (ids) {
        free_ranges(ids->ranges, ids->n);
        free(ids->path);
    }
    free(ids);
    return NULL;
}

/* The account of a range, a name or a number (subuid(5)). It is asked for until it is known. */
static uid_t owner_of(struct name_service *service, struct range *range)
{
    enum name_outcome outcome;
    uint64_t number;

    if (!range->account)
        return range->owner;
    outcome = name_service_number_of(service, range->account, &range->owner);
    if (outcome == NAME_LATE)
        return range->first;
    if (outcome == NAME_UNKNOWN)
        range->owner = parse_u64(range->account, &number) == 0 && number <= UINT32_MAX
                           ? (uid_t)number
                           : range->first;
    free(TAKE(range->account));
    return range->owner;
}

uid_t subordinate_ids_owner(struct subordinate_ids *ids, uid_t uid)
{
    for (size_t i = 0; i < ids->n; i++) {
        struct range *range = &ids->ranges[i];

        if (uid < range->first || uid - range->first >= range->count)
            continue;
        return owner_of(ids->service, range);
    }
    return uid;
}
