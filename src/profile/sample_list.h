/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Samples in a row, each with its frames behind it. */

#include <stddef.h>
#include <stdint.h>

#include "sys/bpf/profile/record.h"

struct sample_list {
    char *bytes;
    size_t n_bytes, capacity;
    size_t n; /* samples */
};

void sample_list_done(struct sample_list *list);

/* Empties it, and keeps its memory unless that is a lot. */
void sample_list_clear(struct sample_list *list);

/* Copies a sample, and its frames that stand behind it. 0 or -ENOMEM. */
int sample_list_add(struct sample_list *list, const struct profile_sample *sample);

/* The sample at a place below n_bytes, which moves on to the next one. Borrowed. */
struct profile_sample *sample_list_next(const struct sample_list *list, size_t *at);
