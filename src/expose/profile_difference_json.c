/* SPDX-License-Identifier: Apache-2.0 */
#include "expose/json_text.h"
#include "expose/profile_columns.h"
#include "expose/profile_json.h"

#define COLUMN(type, prefix, name, of)                                                             \
    static void append_##prefix##_##name(struct text *text, const void *items, size_t i)           \
    {                                                                                              \
        const struct type *item = (const struct type *)items + i;                                  \
                                                                                                   \
        of;                                                                                        \
    }

#define COMMON_COLUMNS(type, prefix)                                                               \
    COLUMN(type, prefix, function, profile_column_append_place(text, item->function))              \
    COLUMN(type, prefix, self_before, text_append_u64(text, item->self[0]))                        \
    COLUMN(type, prefix, self_after, text_append_u64(text, item->self[1]))                         \
    COLUMN(type, prefix, total_before, text_append_u64(text, item->total[0]))                      \
    COLUMN(type, prefix, total_after, text_append_u64(text, item->total[1]))                       \
    COLUMN(type, prefix, change, append_real(text, item->change))                                  \
    COLUMN(type, prefix, sigma, append_real(text, item->sigma))                                    \
    COLUMN(type, prefix, differs, text_append_char(text, item->differs ? '1' : '0'))

#define COMMON_ENTRIES(prefix)                                                                     \
    {"function", append_##prefix##_function}, {"self_before", append_##prefix##_self_before},      \
        {"self_after", append_##prefix##_self_after},                                              \
        {"total_before", append_##prefix##_total_before},                                          \
        {"total_after", append_##prefix##_total_after}, {"change", append_##prefix##_change},      \
        {"sigma", append_##prefix##_sigma},                                                        \
    {                                                                                              \
        "differs", append_##prefix##_differs                                                       \
    }

/* More digits than these would tell nothing: each has an error of some percent. */
static void append_real(struct text *text, double value)
{
    if (value < 0) {
        text_append_char(text, '-');
        value = -value;
    }
    json_append_measured(text, value);
}

COLUMN(difference_node, node, parent, profile_column_append_place(text, item->parent))
COMMON_COLUMNS(difference_node, node)
COMMON_COLUMNS(difference_row, row)

static void append_side(struct text *text, const struct difference *difference, size_t side)
{
    text_append_format(text, "\"%s\":{\"from\":", side == 0 ? "before" : "after");
    json_append_seconds(text, difference->from_ns[side]);
    text_append_string(text, ",\"to\":");
    json_append_seconds(text, difference->to_ns[side]);
    text_append_string(text, ",\"samples\":");
    text_append_u64(text, difference->samples[side]);
    text_append_char(text, ',');
    profile_append_value(text, difference->event, difference->nodes[0].total_value[side]);
    text_append_string(text, "},");
}

int profile_json_write_difference(const struct difference *difference, struct text *text)
{
    static const struct profile_column node_columns[] = {{"parent", append_node_parent},
                                                         COMMON_ENTRIES(node)};
    static const struct profile_column row_columns[] = {COMMON_ENTRIES(row)};

    text_append_format(text, "{\"measure\":\"%s\",\"bound\":",
                       difference->measure == DIFFERENCE_OF_SHARES ? "shares" : "time");
    json_append_measured(text, difference->bound);
    text_append_char(text, ',');
    append_side(text, difference, 0);
    append_side(text, difference, 1);
    text_append_string(text, "\n\"nodes\":");
    profile_columns_append(text, node_columns, ARRAY_SIZE(node_columns), difference->nodes,
                           difference->n_nodes);
    text_append_string(text, ",\n\"functions\":");
    profile_columns_append_functions(text, difference->functions, difference->n_functions);
    text_append_string(text, ",\n\"table\":");
    profile_columns_append(text, row_columns, ARRAY_SIZE(row_columns), difference->rows,
                           difference->n_rows);
    text_append_string(text, "}\n");
    return text_error(text);
}
