/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Which numbers of runs there are, or have been: most follow each other, so that they are kept as
 * spans. Numbers are only added.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct run_span {
    uint64_t first, last;
};

/* All zero in the beginning. */
struct run_numbers {
    struct run_span *spans; /* in order; none touches the next */
    size_t n, capacity;
};

/* Without memory the number is not known later. */
void run_numbers_add(struct run_numbers *numbers, uint64_t number);

bool run_numbers_have(const struct run_numbers *numbers, uint64_t number);

void run_numbers_done(struct run_numbers *numbers);
