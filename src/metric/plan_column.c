/* SPDX-License-Identifier: Apache-2.0 */

/* The array of columns of a plan: how it grows, how it is freed. */
#include <errno.h>

#include "base/text.h"
#include "metric/plan_build.h"

const char *column_label(const struct column *column, const char *name)
{
    for (size_t i = 0; i < COLUMN_LABELS && column->labels[i].name; i++)
        if (strcmp(column->labels[i].name, name) == 0)
            return column->labels[i].value;
    return NULL;
}

static void free_labels(struct column *column)
{
    for (size_t i = 0; i < COLUMN_LABELS; i++)
        free(column->labels[i].value);
}

/* Gives the column values of its own. On failure it holds nothing. 0 or -ENOMEM. */
static int copy_labels(struct column *column)
{
    int r = 0;

    for (size_t i = 0; i < COLUMN_LABELS; i++) {
        struct column_label *label = &column->labels[i];

        label->value = label->name && r == 0 ? strdup(label->value) : NULL;
        if (label->name && !label->value)
            r = -ENOMEM;
    }
    if (r < 0)
        free_labels(column);
    return r;
}

int plan_add_number(struct plan *plan, struct column column, struct text *name, struct text *help)
{
    AUTO_FREE char *name_string = text_take(name);
    AUTO_FREE char *help_string = text_take(help);
    struct column *columns;

    if (!name_string || !help_string)
        return -ENOMEM;
    columns = reallocarray(plan->columns, plan->n_described + 1, sizeof(*columns));
    if (!columns)
        return -ENOMEM;
    plan->columns = columns;
    if (copy_labels(&column) < 0)
        return -ENOMEM;
    column.name = TAKE(name_string);
    column.help = TAKE(help_string);
    columns[plan->n_described++] = column;
    plan->n_numbers = plan->n_described;
    return 0;
}

int plan_add_column(struct plan *plan, struct column column, struct text *name, struct text *help)
{
    int r = plan_add_number(plan, column, name, help);

    if (r == 0)
        plan->n_columns = plan->n_described;
    return r;
}

void plan_free_columns(struct plan *plan)
{
    for (size_t i = 0; plan->columns && i < plan->n_described; i++) {
        free(plan->columns[i].name);
        free(plan->columns[i].help);
        free_labels(&plan->columns[i]);
    }
    free(TAKE(plan->columns));
}
