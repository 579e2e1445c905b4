/* SPDX-License-Identifier: Apache-2.0 */

/* Stands for keyed_table.c where libbpf was not there to build that with. */
#include "sys/bpf/keyed_table.h"

#include <errno.h>

int keyed_table_new(size_t n_cells, struct keyed_table **ret_table)
{
    (void)n_cells, (void)ret_table;
    return -EOPNOTSUPP;
}

struct keyed_table *keyed_table_free(struct keyed_table *table)
{
    (void)table;
    return NULL;
}

/* There is no table, and so none of the following is ever called. */

struct keyed_maps keyed_table_maps(const struct keyed_table *table)
{
    (void)table;
    return (struct keyed_maps){-1, -1, -1};
}

int keyed_table_add_places(struct keyed_table *table, struct keyed_place *places, size_t n)
{
    (void)table, (void)places, (void)n;
    return -EOPNOTSUPP;
}

void keyed_table_read(struct keyed_table *table, keyed_take *take, void *context)
{
    (void)table, (void)take, (void)context;
}

int keyed_table_forget(struct keyed_table *table, keyed_is_given_up *is_given_up,
                       const void *context)
{
    (void)table, (void)is_given_up, (void)context;
    return -EOPNOTSUPP;
}
