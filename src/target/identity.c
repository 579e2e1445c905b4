/* SPDX-License-Identifier: Apache-2.0 */
#include "target/identity.h"

#include <string.h>

#include "base/reference.h"

/* One block of memory: the labels, the info labels, and behind them the bytes of the values. */
struct identity {
    struct reference reference;
    size_t n_labels, n_info;
    struct label all[];
};

/* Adds the size of labels and values to *size. False if the sum is too large. */
static bool add_values_size(const struct label *labels, size_t n, size_t *size)
{
    for (size_t i = 0; i < n; i++)
        if (__builtin_add_overflow(*size, sizeof(*labels) + strlen(labels[i].value) + 1, size))
            return false;
    return true;
}

/* Copies the labels to `to` and their values to `bytes`. Returns where the values end. */
static char *copy_labels(struct label *to, const struct label *from, size_t n, char *bytes)
{
    for (size_t i = 0; i < n; i++) {
        size_t size = strlen(from[i].value) + 1;

        to[i] = (struct label){.name = from[i].name, .value = memcpy(bytes, from[i].value, size)};
        bytes += size;
    }
    return bytes;
}

struct identity *identity_new(const struct label *labels, size_t n_labels, const struct label *info,
                              size_t n_info)
{
    struct identity *identity;
    size_t size = sizeof(*identity);
    char *bytes;

    if (!add_values_size(labels, n_labels, &size) || !add_values_size(info, n_info, &size))
        return NULL;
    identity = malloc(size);
    if (!identity)
        return NULL;
    reference_init(&identity->reference);
    identity->n_labels = n_labels;
    identity->n_info = n_info;
    bytes = (char *)(identity->all + n_labels + n_info);
    bytes = copy_labels(identity->all, labels, n_labels, bytes);
    (void)copy_labels(identity->all + n_labels, info, n_info, bytes);
    return identity;
}

struct identity *identity_ref(struct identity *identity)
{
    reference_take(&identity->reference);
    return identity;
}

struct identity *identity_unref(struct identity *identity)
{
    if (identity && reference_drop(&identity->reference))
        free(identity);
    return NULL;
}

const struct label *identity_labels(const struct identity *identity, size_t *ret_n)
{
    *ret_n = identity->n_labels;
    return identity->all;
}

static bool has_label(const struct identity *identity, const struct label *label)
{
    for (size_t i = 0; i < identity->n_labels; i++)
        if (strcmp(identity->all[i].name, label->name) == 0)
            return strcmp(identity->all[i].value, label->value) == 0;
    return false;
}

bool identity_has_labels(const struct identity *identity, const struct label *labels,
                         size_t n_labels)
{
    if (n_labels != identity->n_labels)
        return false;
    for (size_t i = 0; i < n_labels; i++)
        if (!has_label(identity, &labels[i]))
            return false;
    return true;
}

const struct label *identity_info(const struct identity *identity, size_t *ret_n)
{
    *ret_n = identity->n_info;
    return identity->all + identity->n_labels;
}
