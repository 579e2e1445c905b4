/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The lines of a breakdown are the layout of its rows. A line that comes is another layout, and the
 * rows go on in another chunk, whose base has the lines that were there before as they were, and 0
 * for the one that came: so nothing that was counted between two rows is lost.
 */
#include "history/recorder_by_key.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "history/open_target.h"

/* One breakdown of the snapshot, and where its rows go. */
struct recorded {
    const struct snapshot *snapshot;
    const struct plan_binding *plan;
    struct open_target *target; /* whose breakdown it is */
    const struct breakdown *kept;
};

void by_key_append_key(struct text *text, enum breakdown_kind kind, const char *target)
{
    text_append_format(text, BY_KEY_KIND ":%s:%s", plan_breakdown_word(kind), target);
}

bool recorder_counts(const struct plan_binding *plan, const union number *numbers)
{
    const size_t first = plan->binding.marker;

    for (size_t i = first; i < plan->plan->n_described; i++)
        if (plan->plan->columns[i].kind == COLUMN_GROUP_UNKNOWN &&
            numbers[i].count != NUMBER_ABSENT_COUNT)
            return true;
    return first == SIZE_MAX;
}

/* How often something was counted in a line: what was tallied, or what is in the buckets. */
static uint64_t count_of(const struct breakdown *breakdown, size_t line)
{
    const struct breakdown_shape *shape = &breakdown_shapes[breakdown->kind];
    const uint64_t *numbers = &breakdown->numbers[line * breakdown_numbers(breakdown->kind)];
    const size_t first = shape->n_tallies > 0 ? 0 : breakdown_first_bucket(breakdown->kind, 0);
    const size_t n = shape->n_tallies > 0 ? 1 : shape->distributions.n;
    uint64_t count = 0;

    for (size_t i = first; i < first + n; i++)
        count += numbers[i];
    return count;
}

/*
 * How much there is for keeping a line. Other lines are another layout, which takes some 40 KB: so
 * one that was not kept has to have counted twice as much as the least one that was. Those who let
 * lines overtake each other on purpose have to count twice as much each time.
 */
static uint64_t weight_of(const struct breakdown *breakdown, size_t line,
                          const struct layout *before)
{
    const bool was_kept =
        before && layout_has_line(before, breakdown->kind, &breakdown->lines[line]);

    return count_of(breakdown, line) * (was_kept ? 2 : 1);
}

/* Whether so few lines have more weight that this one is kept. Of two equal ones the first is. */
static bool is_kept(const uint64_t *weights, size_t n, size_t line)
{
    size_t n_before = 0;

    for (size_t i = 0; i < n; i++)
        n_before += weights[i] > weights[line] || (weights[i] == weights[line] && i < line);
    return n_before < BY_KEY_LINES;
}

/*
 * A reference to the lines that are kept, and the one of the others. before: the layout of those
 * that were kept; NULL: none were. NULL: there is no memory.
 */
static struct breakdown *keep(struct breakdown *breakdown, const struct layout *before)
{
    const struct breakdown_line other = breakdown_others(breakdown->kind);
    const size_t n = breakdown_numbers(breakdown->kind);
    AUTO(breakdown) struct breakdown *kept = NULL;
    AUTO_FREE uint64_t *weights = NULL;
    int r;

    if (breakdown->n_lines <= BY_KEY_LINES)
        return breakdown_ref(breakdown);
    weights = calloc(breakdown->n_lines, sizeof(*weights));
    kept = breakdown_new(breakdown->kind);
    r = kept && weights ? 0 : -ENOMEM;
    for (size_t i = 0; i < breakdown->n_lines && r == 0; i++)
        weights[i] = weight_of(breakdown, i, before);
    for (size_t i = 0; i < breakdown->n_lines && r == 0; i++)
        r = breakdown_add(kept,
                          is_kept(weights, breakdown->n_lines, i) ? &breakdown->lines[i] : &other,
                          &breakdown->numbers[i * n]);
    return r < 0 ? NULL : TAKE(kept);
}

static struct open_target *find_rows(struct recorder *recorder, enum breakdown_kind kind,
                                     const struct open_target *target)
{
    AUTO_TEXT struct text key = {0};
    struct open_target *rows;

    by_key_append_key(&key, kind, target->key);
    if (text_error(&key) < 0)
        return NULL;
    rows = open_target_find_or_make(recorder, key.data, BY_KEY_KIND, &target->labels);
    if (rows)
        rows->is_beside = rows->is_counted = true;
    return rows;
}

/* The series of an older layout that is the same; NULL: it had none. */
static const struct layout_series *find_series(const struct layout *layout,
                                               const struct layout_series *series)
{
    for (size_t i = 0; i < layout->n_series; i++)
        if (layout_is_same_series(&layout->series[i], series))
            return &layout->series[i];
    return NULL;
}

/*
 * What each total was at the recording before: 0 where there was no line yet. False: nobody can
 * tell, since the target was not recorded then, or other lines were kept.
 */
static bool read_base(const struct recorder *recorder, const struct recorded *recorded,
                      const struct open_target *rows, const struct layout *layout, uint64_t *base)
{
    const struct layout *before = rows->layout;
    size_t n_found = 0;

    memset(base, 0, layout->n_totals * sizeof(*base));
    if (recorder->by_key_before.monotonic_us == 0 ||
        recorded->target->by_key_us != recorder->by_key_before.monotonic_us)
        return false;
    if (!before)
        return true;
    for (size_t i = 0; i < layout->n_series; i++) {
        const struct layout_series *old = find_series(before, &layout->series[i]);

        if (old)
            base[layout->series[i].totals[0]] = rows->rows.last[old->totals[0]];
        n_found += old != NULL;
    }
    return n_found == before->n_series && rows->start == recorded->target->start &&
           rows->rows.monotonic_us == recorder->by_key_before.monotonic_us;
}

static bool has_fallen(const uint64_t *totals, const uint64_t *base, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (totals[i] < base[i])
            return true;
    return false;
}

/* The rows of these lines: the layout that they have, or a new one with a base where one is known.
 */
static int begin(struct recorder *recorder, const struct recorded *recorded,
                 struct open_target **place)
{
    AUTO(layout) struct layout *layout = NULL;
    AUTO_FREE uint64_t *base = NULL;
    int r;

    if ((*place)->layout && layout_has_lines((*place)->layout, recorded->kept))
        return 0;
    r = layout_of_breakdown(recorded->plan->plan, recorded->kept, &layout);
    if (r < 0)
        return r;
    base = calloc(layout->n_totals + 1, sizeof(*base));
    if (!base)
        return -ENOMEM;
    if (!read_base(recorder, recorded, *place, layout, base) ||
        has_fallen(recorded->kept->numbers, base, layout->n_totals))
        return open_target_begin(recorder, place, layout, recorded->target->start, NULL, NULL);
    return open_target_begin(recorder, place, layout, recorded->target->start,
                             &recorder->by_key_before, base);
}

static int append(struct recorder *recorder, const struct recorded *recorded,
                  struct open_target *rows)
{
    const int r = begin(recorder, recorded, &rows);

    return r < 0 ? r
                 : open_target_append(recorder, &rows, rows->layout, recorded->target->start,
                                      recorded->snapshot, recorded->kept->numbers);
}

static int add_breakdown(struct recorder *recorder, const struct snapshot *snapshot,
                         const struct snapshot_breakdown *of, struct open_target *target)
{
    AUTO(breakdown) struct breakdown *kept = NULL;
    struct open_target *rows;

    if (plan_sums_breakdown(of->breakdown->kind) || of->breakdown->n_lines == 0)
        return 0;
    rows = find_rows(recorder, of->breakdown->kind, target);
    kept = rows ? keep(of->breakdown, rows->layout) : NULL;
    return kept ? append(recorder,
                         &(struct recorded){snapshot, &recorder->plans[of->plan], target, kept},
                         rows)
                : -ENOMEM;
}

/* The breakdowns of a snapshot stand in the order of its accounts, which is not that of its rows.
 */
static struct open_target *target_of(const struct recorder *recorder, const struct roster *roster,
                                     const struct snapshot_breakdown *of)
{
    size_t n = of->target;

    for (size_t i = 0; i < of->plan; i++)
        n += roster->parts[i].n;
    return recorder->rows[n];
}

/* From now on a line that comes was not there at this time. */
static void remember(struct recorder *recorder, const struct snapshot *snapshot)
{
    const struct roster *roster = snapshot->roster;
    size_t n = 0;

    recorder->by_key_before =
        (struct row_time){snapshot->taken_ns / 1000, snapshot->taken_realtime_ns / 1000000};
    for (size_t i = 0; i < roster->catalogue->n_plans; i++)
        for (size_t j = 0; j < roster->parts[i].n; j++, n++)
            recorder->rows[n]->by_key_us = recorder->by_key_before.monotonic_us;
}

int recorder_add_by_key(struct recorder *recorder, const struct snapshot *snapshot)
{
    const struct roster *roster = snapshot->roster;
    struct open_target *target, *next;
    int r = 0;

    HASH_ITER(hh, recorder->targets, target, next)
        target->is_counted = target->is_counted && strcmp(target->kind, BY_KEY_KIND) != 0;
    for (size_t i = 0; i < snapshot->n_breakdowns && r == 0; i++) {
        const struct snapshot_breakdown *of = &snapshot->breakdowns[i];
        const struct plan_binding *plan = &recorder->plans[of->plan];
        const union number *numbers =
            snapshot->numbers + roster->parts[of->plan].first + of->target * plan->plan->n_numbers;

        if (recorder_counts(plan, numbers))
            r = add_breakdown(recorder, snapshot, of, target_of(recorder, roster, of));
    }
    remember(recorder, snapshot);
    return r;
}
