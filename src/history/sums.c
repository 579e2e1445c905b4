/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Rows that are as far apart as the steps, or farther, are points of their own, at their own times:
 * with steps of a fixed grid a cycle that is a little early would leave a hole behind it. Rows that
 * are closer are summed up in the steps of a grid.
 */
#include "history/sums.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"

int sums_init(struct sums *sums, struct layout *layout)
{
    *sums = (struct sums){.layout = layout_ref(layout)};
    return 0;
}

void sums_done(struct sums *sums)
{
    sums->layout = layout_unref(sums->layout);
    free(TAKE(sums->times_ns));
    free(TAKE(sums->growths));
}

/* Adds a point without growth. NULL: there is no memory. */
static struct growth *add_point(struct sums *sums, uint64_t time_ns)
{
    const size_t n_totals = sums->layout->n_totals;
    size_t capacity = sums->capacity;
    uint64_t *times = array_reserve(sums->times_ns, sizeof(*times), &capacity, sums->n_points + 1);
    struct growth *growths;

    if (!times)
        return NULL;
    sums->times_ns = times;
    if (capacity != sums->capacity) {
        growths = reallocarray(sums->growths, capacity, (n_totals + 1) * sizeof(*growths));
        if (!growths)
            return NULL;
        sums->growths = growths;
        sums->capacity = capacity;
    }
    times[sums->n_points] = time_ns;
    growths = &sums->growths[sums->n_points++ * n_totals];
    memset(growths, 0, n_totals * sizeof(*growths));
    return growths;
}

/*
 * Whether rows stand as far from each other as the steps of an answer, or nearly: then each is a
 * point of its own. All rows of a kind have to agree, whatever their timers did by the way: a step
 * of 15 s is one for rows of 9.99 s, too.
 */
static bool rows_are_apart(const struct chunk_rows *rows, uint64_t step_ns)
{
    const uint64_t steps = rows->n_rows - 1;
    const uint64_t us =
        steps ? (rows->monotonic_us[steps] - rows->monotonic_us[0]) / steps : step_ns;

    return us * 1600 >= step_ns;
}

/* The last row in which a total was known, up to this one; n_rows: none. */
struct known_row {
    uint64_t total, monotonic_us;
    bool is_known;
};

static void grow(const struct chunk_rows *rows, size_t row, struct known_row *known,
                 struct growth *growths)
{
    for (size_t i = 0; i < rows->n_numbers; i++) {
        const uint64_t total = rows->totals[row * rows->n_numbers + i];

        if (total == ROW_UNKNOWN)
            continue;
        if (known[i].is_known && growths) {
            growths[i].count += total - known[i].total;
            growths[i].time_us += rows->monotonic_us[row] - known[i].monotonic_us;
        }
        known[i] = (struct known_row){total, rows->monotonic_us[row], true};
    }
}

/* The last step ends with the range, so that no point stands behind it. */
static uint64_t end_of_step(const struct sums_range *range, uint64_t at_ns)
{
    const uint64_t end_ns = (at_ns / range->step_ns + 1) * range->step_ns;

    return end_ns < range->end_ns ? end_ns : range->end_ns;
}

int sums_add(struct sums *sums, const struct chunk_rows *rows, const struct sums_range *range)
{
    const bool apart = rows_are_apart(rows, range->step_ns);
    AUTO_FREE struct known_row *known = calloc(rows->n_numbers + 1, sizeof(*known));

    if (!known)
        return -ENOMEM;
    for (size_t i = 0; i < rows->n_rows; i++) {
        const uint64_t at_ns = rows->realtime_ms[i] * NS_PER_MS;
        const uint64_t time_ns = apart ? at_ns : end_of_step(range, at_ns);
        const bool is_base = i == 0 && rows->has_base;
        struct growth *growths = NULL;

        if (!is_base && at_ns >= range->start_ns && at_ns < range->end_ns) {
            growths = sums->n_points > 0 && sums->times_ns[sums->n_points - 1] == time_ns
                          ? &sums->growths[(sums->n_points - 1) * sums->layout->n_totals]
                          : add_point(sums, time_ns);
            if (!growths)
                return -ENOMEM;
        }
        grow(rows, i, known, growths);
    }
    return 0;
}

struct place {
    uint64_t time_ns;
    size_t point;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *one = a, *other = b;

    if (one->time_ns != other->time_ns)
        return one->time_ns < other->time_ns ? -1 : 1;
    return one->point < other->point ? -1 : one->point > other->point;
}

static bool is_sorted(const struct sums *sums)
{
    for (size_t i = 1; i < sums->n_points; i++)
        if (sums->times_ns[i - 1] >= sums->times_ns[i])
            return false;
    return true;
}

static void merge(struct sums *sorted, const struct growth *growths)
{
    struct growth *last = &sorted->growths[(sorted->n_points - 1) * sorted->layout->n_totals];

    for (size_t i = 0; i < sorted->layout->n_totals; i++) {
        last[i].count += growths[i].count;
        last[i].time_us += growths[i].time_us;
    }
}

int sums_sort(struct sums *sums)
{
    AUTO_FREE struct place *places = NULL;
    struct sums sorted;

    if (is_sorted(sums))
        return 0;
    places = calloc(sums->n_points, sizeof(*places));
    if (!places || sums_init(&sorted, sums->layout) < 0)
        return -ENOMEM;
    for (size_t i = 0; i < sums->n_points; i++)
        places[i] = (struct place){sums->times_ns[i], i};
    qsort(places, sums->n_points, sizeof(*places), compare_places);
    for (size_t i = 0; i < sums->n_points; i++) {
        const bool is_same =
            sorted.n_points > 0 && sorted.times_ns[sorted.n_points - 1] == places[i].time_ns;

        if (!is_same && !add_point(&sorted, places[i].time_ns)) {
            sums_done(&sorted);
            return -ENOMEM;
        }
        merge(&sorted, &sums->growths[places[i].point * sums->layout->n_totals]);
    }
    sums_done(sums);
    *sums = sorted;
    return 0;
}

static double ratio_value(const struct layout_series *series, const struct growth *growths)
{
    double values[EVENT_GROUP_MAX] = {0}, value = NAN;

    if (series->n_totals > EVENT_GROUP_MAX)
        return NAN;
    for (size_t i = 0; i < series->n_totals; i++) {
        const struct growth *growth = &growths[series->totals[i]];

        if (growth->time_us == 0)
            return NAN;
        values[i] = (double)growth->count;
    }
    return formula_value(series->formula, values, &value) ? value : NAN;
}

double sums_value(const struct sums *sums, const struct layout_series *series, size_t point)
{
    const struct growth *growths = &sums->growths[point * sums->layout->n_totals];
    const struct growth *first;

    if (series->kind == SERIES_RATIO)
        return ratio_value(series, growths);
    first = &growths[series->totals[0]];
    if (first->time_us == 0)
        return NAN;
    if (series->kind == SERIES_RATE)
        return (double)first->count * series->scale / ((double)first->time_us / 1e6);
    if (first->count == 0 || growths[series->totals[1]].time_us == 0)
        return NAN;
    return fmin(1, (double)growths[series->totals[1]].count / (double)first->count);
}
