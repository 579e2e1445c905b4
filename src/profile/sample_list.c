/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/sample_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define KEPT_BYTES ((size_t)256 * 1024)

void sample_list_done(struct sample_list *list)
{
    free(list->bytes);
    *list = (struct sample_list){0};
}

void sample_list_clear(struct sample_list *list)
{
    if (list->capacity > KEPT_BYTES)
        sample_list_done(list);
    list->n_bytes = list->n = 0;
}

static size_t bytes_of(const struct profile_sample *sample)
{
    return sizeof(*sample) + ((size_t)sample->n_kernel + sample->n_user) * sizeof(uint64_t);
}

int sample_list_add(struct sample_list *list, const struct profile_sample *sample)
{
    const size_t more = bytes_of(sample);
    char *bytes = array_reserve(list->bytes, 1, &list->capacity, list->n_bytes + more);

    if (!bytes)
        return -ENOMEM;
    list->bytes = bytes;
    memcpy(bytes + list->n_bytes, sample, more);
    list->n_bytes += more;
    list->n++;
    return 0;
}

struct profile_sample *sample_list_next(const struct sample_list *list, size_t *at)
{
    struct profile_sample *sample = (void *)(list->bytes + *at);

    *at += bytes_of(sample);
    return sample;
}
