/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a program that counts by key has to have, as the first member of what it is. */

#include "sys/bpf/keyed_program.h"

struct keyed_program {
    struct keyed_table *table; /* NULL: not yet, or no more */
    uint64_t (*lost)(const struct keyed_program *program);
    void (*end)(struct keyed_program *program); /* frees all but the table, which is gone by then */
};
