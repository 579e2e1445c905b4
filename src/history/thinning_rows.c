/* SPDX-License-Identifier: Apache-2.0 */
#include "history/thinning.h"

#include <errno.h>
#include <string.h>

static void copy_row(const struct chunk_rows *from, size_t row, struct chunk_rows *to, size_t place)
{
    to->monotonic_us[place] = from->monotonic_us[row];
    to->realtime_ms[place] = from->realtime_ms[row];
    memcpy(&to->totals[place * to->n_numbers], &from->totals[row * from->n_numbers],
           from->n_numbers * sizeof(*from->totals));
}

static bool is_kept(const struct chunk_rows *rows, size_t row, uint64_t step_ms)
{
    if (row == 0 || row + 1 == rows->n_rows)
        return true;
    return rows->realtime_ms[row] / step_ms != rows->realtime_ms[row + 1] / step_ms;
}

int thinning_thin(const struct chunk_rows *rows, uint64_t step_ms, struct chunk_rows *ret_rows)
{
    struct chunk_rows thin;
    size_t n = 0;

    for (size_t i = 0; i < rows->n_rows; i++)
        n += is_kept(rows, i, step_ms);
    if (chunk_rows_init(&thin, n, rows->n_numbers) < 0)
        return -ENOMEM;
    thin.has_base = rows->has_base;
    n = 0;
    for (size_t i = 0; i < rows->n_rows; i++)
        if (is_kept(rows, i, step_ms))
            copy_row(rows, i, &thin, n++);
    *ret_rows = thin;
    return 0;
}

int thinning_join(struct chunk_rows *rows, const struct chunk_rows *next)
{
    struct chunk_rows joined;
    size_t n = rows->n_rows;

    if (!next->has_base || next->n_numbers != rows->n_numbers ||
        next->monotonic_us[0] != rows->monotonic_us[n - 1] ||
        next->realtime_ms[0] != rows->realtime_ms[n - 1] || n + next->n_rows > CHUNK_ROWS_MAX)
        return 0;
    if (chunk_rows_init(&joined, n + next->n_rows - 1, rows->n_numbers) < 0)
        return -ENOMEM;
    joined.has_base = rows->has_base;
    for (size_t i = 0; i < n; i++)
        copy_row(rows, i, &joined, i);
    for (size_t i = 1; i < next->n_rows; i++)
        copy_row(next, i, &joined, n++);
    chunk_rows_done(rows);
    *rows = joined;
    return 1;
}
