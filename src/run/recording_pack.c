/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The rows as bytes: a version, the number of rows, the times, then column after column. Times and
 * totals are differences from the one before (base/varint.h); a total that is not known is a 0, all
 * others are one more. Ratios are the bits of their doubles. Behind the rows stands what a run of
 * kind `schedule` has recorded (schedule_pack.c), or one of kind `record` (samples.c). It is what
 * somebody keeps, and so what is read may be damaged.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/varint.h"
#include "run/recording.h"
#include "run/request.h"

#define VERSION 1

/* What can be a difference with a bit less and one more: totals are below 2^62. */
static bool is_whole(double value)
{
    return value >= 0 && value < 0x1p62;
}

static void pack_total(const struct recording *recording, size_t column, struct text *bytes)
{
    uint64_t before = 0;

    for (size_t i = 0; i < recording->n_rows; i++) {
        const double value = recording->values[i * recording->n_columns + column];

        if (is_whole(value)) {
            varint_put(bytes, varint_of_difference((uint64_t)value - before) + 1);
            before = (uint64_t)value;
        } else {
            varint_put(bytes, 0);
        }
    }
}

static void pack_ratio(const struct recording *recording, size_t column, struct text *bytes)
{
    for (size_t i = 0; i < recording->n_rows; i++)
        text_append(bytes, (const char *)&recording->values[i * recording->n_columns + column],
                    sizeof(double));
}

int recording_pack(const struct recording *recording, struct text *ret_bytes)
{
    uint64_t before = 0;

    varint_put(ret_bytes, VERSION);
    varint_put(ret_bytes, recording->n_rows);
    for (size_t i = 0; i < recording->n_rows; i++) {
        varint_put(ret_bytes, varint_of_difference(recording->times_ns[i] - before));
        before = recording->times_ns[i];
    }
    for (size_t i = 0; i < recording->n_columns; i++)
        if (recording->columns[i].kind == RUN_TOTAL)
            pack_total(recording, i, ret_bytes);
        else
            pack_ratio(recording, i, ret_bytes);
    if (recording->schedule)
        return schedule_trace_pack(recording->schedule, ret_bytes);
    if (recording->samples)
        return run_samples_pack(recording->samples, ret_bytes);
    return text_error(ret_bytes);
}

static void unpack_total(struct recording *recording, size_t column, struct varint_reader *reader)
{
    uint64_t before = 0;

    for (size_t i = 0; i < recording->n_rows && !reader->is_bad; i++) {
        const uint64_t number = varint_take(reader);

        if (number == 0)
            continue;
        before += varint_to_difference(number - 1);
        recording->values[i * recording->n_columns + column] = (double)before;
    }
}

static void unpack_ratio(struct recording *recording, size_t column, struct varint_reader *reader)
{
    for (size_t i = 0; i < recording->n_rows; i++) {
        double value;

        if ((size_t)(reader->end - reader->at) < sizeof(value)) {
            reader->is_bad = true;
            return;
        }
        memcpy(&value, reader->at, sizeof(value));
        reader->at += sizeof(value);
        recording->values[i * recording->n_columns + column] = isfinite(value) ? value : NAN;
    }
}

/* What stands behind the rows. */
static int unpack_rest(struct recording *recording, const void *bytes, size_t n)
{
    switch (recording->kind) {
    case RUN_SCHEDULE:
        return schedule_trace_unpack(bytes, n, &recording->schedule);
    case RUN_RECORDS:
        return run_samples_unpack(bytes, n, &recording->samples);
    default:
        return -EBADMSG;
    }
}

int recording_unpack(struct recording *recording, const void *bytes, size_t length)
{
    const unsigned char *first = bytes;
    struct varint_reader reader = {.at = first, .end = first + length};
    uint64_t n, time_ns = 0;

    if (varint_take(&reader) != VERSION)
        return -EBADMSG;
    n = varint_take(&reader);
    if (n > RUN_SAMPLES_MAX || n * (recording->n_columns + 1) > length)
        return -EBADMSG;
    for (uint64_t i = 0; i < n; i++) {
        time_ns += varint_to_difference(varint_take(&reader));
        if (!recording_add_row(recording, time_ns))
            return -ENOMEM;
    }
    for (size_t i = 0; i < recording->n_columns; i++)
        if (recording->columns[i].kind == RUN_TOTAL)
            unpack_total(recording, i, &reader);
        else
            unpack_ratio(recording, i, &reader);
    if (!reader.is_bad && reader.at < reader.end)
        return unpack_rest(recording, reader.at, (size_t)(reader.end - reader.at));
    return reader.is_bad || reader.at != reader.end ? -EBADMSG : 0;
}
