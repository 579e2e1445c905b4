/* SPDX-License-Identifier: Apache-2.0 */
#include "expose/profile_json.h"

#include "expose/json_text.h"
#include "expose/profile_columns.h"

static void append_head(struct text *text, const struct profile_tree *tree)
{
    text_append_char(text, '{');
    profile_append_time(text, "from", tree->from_ns);
    profile_append_time(text, "to", tree->to_ns);
    if (tree->rate_hz > 0)
        text_append_format(text, "\"rate\":%u,", tree->rate_hz);
    else
        text_append_string(text, "\"rate\":null,");
    text_append_string(text, "\"samples\":");
    text_append_u64(text, tree->nodes[0].total);
    text_append_char(text, ',');
    profile_append_value(text, tree->event, tree->nodes[0].total_value);
    text_append_char(text, ',');
}

/* Each column goes through all nodes: so a reader takes an array at once. */
#define NODE_COLUMN(name, of)                                                                      \
    static void append_##name(struct text *text, const void *items, size_t i)                      \
    {                                                                                              \
        const struct profile_node *node = (const struct profile_node *)items + i;                  \
                                                                                                   \
        of;                                                                                        \
    }

NODE_COLUMN(parent, profile_column_append_place(text, node->parent))
NODE_COLUMN(function, profile_column_append_place(text, node->function))
NODE_COLUMN(self, text_append_u64(text, node->self))
NODE_COLUMN(total, text_append_u64(text, node->total))

int profile_json_write(const struct profile_tree *tree, bool is_pruned, struct text *text)
{
    static const struct profile_column columns[] = {{"parent", append_parent},
                                                    {"function", append_function},
                                                    {"self", append_self},
                                                    {"total", append_total}};

    append_head(text, tree);
    text_append_format(text, "\"pruned\":%s,\n\"nodes\":", is_pruned ? "true" : "false");
    profile_columns_append(text, columns, ARRAY_SIZE(columns), tree->nodes, tree->n_nodes);
    text_append_string(text, ",\n\"functions\":");
    profile_columns_append_functions(text, tree->functions, tree->n_functions);
    text_append_string(text, "}\n");
    return text_error(text);
}

/* A row with its function. */
struct table_row {
    struct profile_row row;
    const struct profile_function_name *function;
};

#define ROW_COLUMN(name, of)                                                                       \
    static void append_row_##name(struct text *text, const void *items, size_t i)                  \
    {                                                                                              \
        const struct table_row *row = (const struct table_row *)items + i;                         \
                                                                                                   \
        of;                                                                                        \
    }

ROW_COLUMN(kind, profile_column_append_kind(text, row->function->kind))
ROW_COLUMN(owner, json_append_string(text, row->function->owner))
ROW_COLUMN(name, json_append_string(text, row->function->name))
ROW_COLUMN(self, text_append_u64(text, row->row.self))
ROW_COLUMN(total, text_append_u64(text, row->row.total))
ROW_COLUMN(self_seconds, json_append_seconds(text, row->row.self_value))
ROW_COLUMN(total_seconds, json_append_seconds(text, row->row.total_value))
ROW_COLUMN(self_events, text_append_u64(text, row->row.self_value))
ROW_COLUMN(total_events, text_append_u64(text, row->row.total_value))

int profile_json_write_table(const struct profile_tree *tree, size_t most, struct text *text)
{
    const struct profile_column columns[] = {
        {"kind", append_row_kind},
        {"owner", append_row_owner},
        {"name", append_row_name},
        {"self", append_row_self},
        {"total", append_row_total},
        tree->event ? (struct profile_column){"self_events", append_row_self_events}
                    : (struct profile_column){"self_seconds", append_row_self_seconds},
        tree->event ? (struct profile_column){"total_events", append_row_total_events}
                    : (struct profile_column){"total_seconds", append_row_total_seconds}};
    AUTO_FREE struct profile_row *rows = NULL;
    AUTO_FREE struct table_row *table = NULL;
    size_t n;
    int r = profile_tree_table(tree, &rows, &n);

    if (r < 0)
        return r;
    most = most < n ? most : n;
    table = calloc(most + 1, sizeof(*table));
    text->failed |= !table;
    for (size_t i = 0; table && i < most; i++)
        table[i] = (struct table_row){rows[i], &tree->functions[rows[i].function]};
    append_head(text, tree);
    text_append_format(text, "\"rows\":%zu,\n\"table\":", n);
    profile_columns_append(text, columns, ARRAY_SIZE(columns), table, table ? most : 0);
    text_append_string(text, "}\n");
    return text_error(text);
}

int profile_json_write_seconds(const struct profile_seconds *seconds, struct text *text)
{
    text_append_char(text, '{');
    profile_append_time(text, "from", seconds->from_ns);
    text_append_format(text, "\"rate\":%u,\"parts\":%d,\"seconds\":%zu,\n\"samples\":[",
                       seconds->rate_hz, PROFILE_SECOND_PARTS, seconds->n);
    for (size_t i = 0; i < seconds->n; i++)
        for (size_t j = 0; j < PROFILE_SECOND_PARTS; j++) {
            if (i + j > 0)
                text_append_char(text, ',');
            text_append_u64(text, seconds->samples[i][j]);
        }
    text_append_string(text, "]}\n");
    return text_error(text);
}
