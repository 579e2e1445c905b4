/* SPDX-License-Identifier: Apache-2.0 */
#include "run/samples.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/varint.h"

struct run_samples *run_samples_new(const void *bytes, size_t n)
{
    struct run_samples *samples = calloc(1, sizeof(*samples) + n);

    if (!samples)
        return NULL;
    reference_init(&samples->reference);
    samples->n_bytes = n;
    if (n > 0)
        memcpy(samples->bytes, bytes, n);
    return samples;
}

struct run_samples *run_samples_ref(struct run_samples *samples)
{
    if (samples)
        reference_take(&samples->reference);
    return samples;
}

struct run_samples *run_samples_unref(struct run_samples *samples)
{
    if (samples && reference_drop(&samples->reference))
        free(samples);
    return NULL;
}

int run_samples_pack(const struct run_samples *samples, struct text *bytes)
{
    varint_put(bytes, samples->taken);
    varint_put(bytes, samples->lost);
    varint_put(bytes, samples->complete);
    text_append(bytes, (const char *)samples->bytes, samples->n_bytes);
    return text_error(bytes);
}

int run_samples_unpack(const void *bytes, size_t n, struct run_samples **ret_samples)
{
    const unsigned char *first = bytes;
    struct varint_reader reader = {.at = first, .end = first + n};
    const uint64_t taken = varint_take(&reader), lost = varint_take(&reader);
    const uint64_t complete = varint_take(&reader);
    struct run_samples *samples;

    if (reader.is_bad)
        return -EBADMSG;
    samples = run_samples_new(reader.at, (size_t)(reader.end - reader.at));
    if (!samples)
        return -ENOMEM;
    samples->taken = taken;
    samples->lost = lost;
    samples->complete = complete;
    *ret_samples = samples;
    return 0;
}
