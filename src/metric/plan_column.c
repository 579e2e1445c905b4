/* SPDX-License-Identifier: Apache-2.0 */

/* The array of columns of a plan: how it grows, how much text it makes, how it is freed. */
#include <errno.h>

#include "base/text.h"
#include "metric/plan_build.h"

int plan_add_column(struct plan *plan, struct column column, struct text *name, struct text *help)
{
    AUTO_FREE char *name_string = text_take(name);
    AUTO_FREE char *help_string = text_take(help);
    AUTO_FREE char *group_name = column.group_name ? strdup(column.group_name) : NULL;
    struct column *columns;

    if (!name_string || !help_string || (column.group_name && !group_name))
        return -ENOMEM;
    columns = reallocarray(plan->columns, plan->n_columns + 1, sizeof(*columns));
    if (!columns)
        return -ENOMEM;
    column.name = TAKE(name_string);
    column.help = TAKE(help_string);
    column.group_name = TAKE(group_name);
    plan->columns = columns;
    columns[plan->n_columns++] = column;
    return 0;
}

void plan_free_columns(struct plan *plan)
{
    for (size_t i = 0; plan->columns && i < plan->n_columns; i++) {
        free(plan->columns[i].name);
        free(plan->columns[i].help);
        free(plan->columns[i].group_name);
    }
    free(TAKE(plan->columns));
}

/* The digits of UINT64_MAX are 20, of a double in its shortest form at most 24. */
#define LONGEST_NUMBER 24

size_t plan_row_bytes(const struct plan *plan, size_t labels_bytes)
{
    size_t bytes = 0;

    for (size_t i = 0; i < plan->n_columns; i++) {
        const char *group = plan->columns[i].group_name;

        bytes += strlen(plan->columns[i].name) + labels_bytes + LONGEST_NUMBER +
                 (group ? strlen(group) + sizeof(",group=\"\"") : 0);
    }
    return bytes;
}

size_t plan_head_bytes(const struct plan *plan)
{
    size_t bytes = 0;

    for (size_t i = 0; i < plan->n_columns; i++)
        bytes += 2 * strlen(plan->columns[i].name) + strlen(plan->columns[i].help) +
                 sizeof("# HELP  \n# TYPE  counter\n");
    return bytes;
}
