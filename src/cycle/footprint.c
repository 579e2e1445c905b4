/* SPDX-License-Identifier: Apache-2.0 */
#include "cycle/footprint.h"

#include <string.h>

/* Bytes of the labels on a line, escaped, with their quotes and commas. */
static size_t labels_bytes(const struct label *labels, size_t n)
{
    size_t bytes = 0;

    for (size_t i = 0; i < n; i++) {
        bytes += strlen(labels[i].name) + sizeof("=\"\",");
        for (const char *c = labels[i].value; *c; c++)
            bytes += *c == '\\' || *c == '"' ? 2 : 1;
    }
    return bytes;
}

struct footprint footprint_of(const struct plan *plan, const struct identity *identity)
{
    size_t n_labels, n_info;
    const struct label *labels = identity_labels(identity, &n_labels);
    const struct label *info = identity_info(identity, &n_info);
    size_t bytes = labels_bytes(labels, n_labels) + sizeof("{}");
    struct footprint footprint = {plan_row_series(plan), plan_row_bytes(plan, bytes)};

    if (n_info > 0) {
        footprint.series++;
        footprint.bytes +=
            strlen(plan->prefix) + sizeof("info 1\n") + bytes + labels_bytes(info, n_info);
    }
    return footprint;
}
