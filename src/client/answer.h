/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What an answer of the exporter means. */

#include <jansson.h>
#include <stddef.h>

struct answer {
    int status;               /* of HTTP */
    const char *content_type; /* "" if it has none */
    const char *body;
    size_t length;
};

/*
 * Returns 0 and the value that pmu_client_get() gives; or what it returns for this status, and
 * `words` of at most `room` bytes says why, as the exporter has put it where it did.
 */
int answer_read(const struct answer *answer, json_t **ret_value, char *words, size_t room);

/* The same for an answer of any type: the caller frees a copy of its bytes, with a NUL behind. */
int answer_read_bytes(const struct answer *answer, char **ret_bytes, size_t *ret_length,
                      char *words, size_t room);
