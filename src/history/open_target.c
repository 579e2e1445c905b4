/* SPDX-License-Identifier: Apache-2.0 */
#include "history/open_target.h"

#include <errno.h>
#include <string.h>

/* Targets take turns, so that memory stays level. */
#define TURNS          6
#define OLDEST_ROWS_US (300 * UINT64_C(1000000))

struct open_target *open_target_free(struct open_target *target)
{
    if (!target)
        return NULL;
    free(target->key);
    free(target->kind);
    text_done(&target->labels);
    (void)layout_unref(target->layout);
    open_rows_done(&target->rows);
    free(target);
    return NULL;
}

static struct open_target *make_target(const char *key, const char *kind, const struct text *labels)
{
    struct open_target *target = calloc(1, sizeof(*target));

    if (!target)
        return NULL;
    target->key = strdup(key);
    target->kind = strdup(kind);
    text_append(&target->labels, labels->data, labels->length);
    if (!target->key || !target->kind || text_error(&target->labels) < 0)
        return open_target_free(target);
    return target;
}

static struct open_target *enter(struct recorder *recorder, struct open_target *target)
{
    HASH_ADD_KEYPTR(hh, recorder->targets, target->key, strlen(target->key), target);
    return target->hh.tbl ? target : open_target_free(target); /* HASH_NONFATAL_OOM */
}

struct open_target *open_target_find_or_make(struct recorder *recorder, const char *key,
                                             const char *kind, const struct text *labels)
{
    struct open_target *target;

    HASH_FIND_STR(recorder->targets, key, target);
    if (target)
        return target;
    target = make_target(key, kind, labels);
    if (!target)
        return NULL;
    target->n_rows_due =
        OPEN_ROWS_OF_CHUNK - (recorder->n_born++ % TURNS) * (OPEN_ROWS_OF_CHUNK / TURNS);
    return enter(recorder, target);
}

/* Whether the row is that of another birth, or of other events: then it has no base. */
static bool is_another_birth(const struct open_target *target, const struct layout *layout,
                             const uint64_t *totals, uint64_t start)
{
    if (start != target->start || !layout_is_same(layout, target->layout))
        return true;
    for (size_t i = 0; i < target->rows.n_numbers; i++)
        if (totals[i] != ROW_UNKNOWN && target->rows.unknown[i] != NEVER_KNOWN &&
            totals[i] < target->rows.last[i])
            return true;
    return false;
}

/* Another target takes the place of one that was born again; its rows wait to be stored. */
static struct open_target *succeed(struct recorder *recorder, struct open_target *before)
{
    struct open_target *target = make_target(before->key, before->kind, &before->labels);

    if (!target)
        return NULL;
    target->n_rows_due = before->n_rows_due;
    target->is_beside = before->is_beside;
    target->is_counted = true;
    HASH_DEL(recorder->targets, before);
    before->next_ended = recorder->ended;
    recorder->ended = before;
    return enter(recorder, target);
}

static bool tells_nothing(const uint64_t *totals, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (totals[i] != ROW_UNKNOWN)
            return false;
    return true;
}

static int begin_rows(struct open_target *target, struct layout *layout, uint64_t start)
{
    int r = open_rows_init(&target->rows, layout->n_totals);

    if (r < 0)
        return r;
    target->layout = layout_ref(layout);
    target->start = start;
    return 0;
}

int open_target_append(struct recorder *recorder, struct open_target **place, struct layout *layout,
                       uint64_t start, const struct snapshot *snapshot, const uint64_t *totals)
{
    int r = 0;

    if (tells_nothing(totals, layout->n_totals))
        return 0;
    if ((*place)->layout && is_another_birth(*place, layout, totals, start)) {
        struct open_target *successor = succeed(recorder, *place);

        if (!successor)
            return -ENOMEM;
        *place = successor;
    }
    if (!(*place)->layout)
        r = begin_rows(*place, layout, start);
    if (r == 0)
        r = open_rows_append(&(*place)->rows, snapshot->taken_ns / 1000,
                             snapshot->taken_realtime_ns / 1000000, totals);
    for (size_t i = 0; i < layout->n_totals && r == 0; i++)
        recorder->n_samples += totals[i] != ROW_UNKNOWN;
    return r;
}

int open_target_begin(struct recorder *recorder, struct open_target **place, struct layout *layout,
                      uint64_t start, const struct row_time *time, const uint64_t *base)
{
    struct open_target *target = *place;
    int r;

    if (target->layout)
        target = succeed(recorder, target);
    if (!target)
        return -ENOMEM;
    *place = target;
    r = begin_rows(target, layout, start);
    if (r == 0 && base) {
        r = open_rows_append(&target->rows, time->monotonic_us, time->realtime_ms, base);
        target->rows.has_base = r == 0;
    }
    return r;
}

bool open_target_has_news(const struct open_target *target)
{
    return target->rows.n_rows > (target->rows.has_base ? 1 : 0);
}

bool open_target_is_due(const struct open_target *target)
{
    return open_target_has_news(target) &&
           (!target->is_counted || target->rows.n_rows > target->n_rows_due ||
            target->rows.monotonic_us - target->rows.first_monotonic_us >= OLDEST_ROWS_US);
}
