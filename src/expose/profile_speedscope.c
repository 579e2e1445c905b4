/* SPDX-License-Identifier: Apache-2.0 */
#include "expose/profile_speedscope.h"

#include "expose/json_text.h"

static void append_frames(struct text *text, const struct profile_tree *tree)
{
    text_append_string(text, "\"shared\":{\"frames\":[");
    for (size_t i = 0; i < tree->n_functions; i++) {
        const struct profile_function_name *function = &tree->functions[i];

        text_append_string(text, i > 0 ? ",\n{" : "\n{");
        json_append_pair(text, "name", function->name);
        if (*function->owner) {
            text_append_char(text, ',');
            json_append_pair(text, "file", function->owner);
        }
        text_append_char(text, '}');
    }
    text_append_string(text, "]}");
}

/* The way from the root; `way` has room for all nodes. */
static void append_stack(struct text *text, const struct profile_tree *tree, uint32_t node,
                         uint32_t *way)
{
    size_t n = 0;

    for (; tree->nodes[node].parent != PROFILE_NO_NODE; node = tree->nodes[node].parent)
        way[n++] = tree->nodes[node].function;
    text_append_char(text, '[');
    while (n-- > 0) {
        text_append_u64(text, way[n]);
        if (n > 0)
            text_append_char(text, ',');
    }
    text_append_char(text, ']');
}

static void append_weight(struct text *text, uint64_t samples, uint64_t value,
                          enum speedscope_unit unit)
{
    if (unit == SPEEDSCOPE_SECONDS)
        json_append_seconds(text, value);
    else
        text_append_u64(text, unit == SPEEDSCOPE_EVENTS ? value : samples);
}

static void append_samples(struct text *text, const struct profile_tree *tree)
{
    AUTO_FREE uint32_t *way = calloc(tree->n_nodes, sizeof(*way));
    bool is_first = true;

    text->failed |= !way;
    text_append_string(text, "\"samples\":[");
    for (uint32_t i = 0; way && i < tree->n_nodes; i++) {
        if (!profile_node_has_own(&tree->nodes[i]))
            continue;
        text_append_string(text, is_first ? "" : ",\n");
        append_stack(text, tree, i, way);
        is_first = false;
    }
    text_append_char(text, ']');
}

static void append_weights(struct text *text, const struct profile_tree *tree,
                           enum speedscope_unit unit)
{
    bool is_first = true;

    text_append_string(text, "\"weights\":[");
    for (size_t i = 0; i < tree->n_nodes; i++) {
        if (!profile_node_has_own(&tree->nodes[i]))
            continue;
        text_append_string(text, is_first ? "" : ",");
        append_weight(text, tree->nodes[i].self, tree->nodes[i].self_value, unit);
        is_first = false;
    }
    text_append_char(text, ']');
}

int profile_speedscope_write(const struct profile_tree *tree, const char *name,
                             enum speedscope_unit unit, struct text *text)
{
    text_append_string(text,
                       "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
                       "\"exporter\":\"pmu_exporter\",\"activeProfileIndex\":0,");
    json_append_pair(text, "name", name);
    text_append_string(text, ",\n");
    append_frames(text, tree);
    text_append_string(text, ",\n\"profiles\":[{\"type\":\"sampled\",");
    json_append_pair(text, "name", name);
    text_append_format(text, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":",
                       unit == SPEEDSCOPE_SECONDS ? "seconds" : "none");
    append_weight(text, tree->nodes[0].total, tree->nodes[0].total_value, unit);
    text_append_string(text, ",\n");
    append_samples(text, tree);
    text_append_string(text, ",\n");
    append_weights(text, tree, unit);
    text_append_string(text, "}]}\n");
    return text_error(text);
}
