/* SPDX-License-Identifier: Apache-2.0 */
#include "expose/profile_collapsed.h"

#define DELETE 0x7f

static void append_name(struct text *text, const char *name)
{
    for (; *name; name++) {
        const unsigned char c = (unsigned char)*name;

        text_append_char(text, c < ' ' || c == DELETE || c == ';' ? '_' : *name);
    }
}

/* As DTrace shows functions, with their file: that of another program may have the same name. */
static void append_frame(struct text *text, const struct profile_function_name *function)
{
    if (function->kind == PROFILE_USER && *function->owner) {
        append_name(text, function->owner);
        text_append_char(text, '`');
    }
    append_name(text, *function->name ? function->name : "[unnamed]");
    if (function->kind == PROFILE_KERNEL)
        text_append_string(text, "_[k]");
    else if (function->kind == PROFILE_JIT)
        text_append_string(text, "_[j]");
}

/* The way from the root; `way` has room for all nodes. */
static void append_stack(struct text *text, const struct profile_tree *tree, uint32_t node,
                         uint32_t *way)
{
    size_t n = 0;

    for (; tree->nodes[node].parent != PROFILE_NO_NODE; node = tree->nodes[node].parent)
        way[n++] = tree->nodes[node].function;
    if (n == 0)
        text_append_string(text, "[unknown]");
    while (n-- > 0) {
        append_frame(text, &tree->functions[way[n]]);
        if (n > 0)
            text_append_char(text, ';');
    }
}

int profile_collapsed_write(const struct profile_tree *tree, struct text *text)
{
    AUTO_FREE uint32_t *way = calloc(tree->n_nodes, sizeof(*way));

    text->failed |= !way;
    for (uint32_t i = 0; way && i < tree->n_nodes; i++) {
        const uint64_t own = tree->event ? tree->nodes[i].self_value : tree->nodes[i].self;

        if (own == 0)
            continue;
        append_stack(text, tree, i, way);
        text_append_char(text, ' ');
        text_append_u64(text, own);
        text_append_char(text, '\n');
    }
    return text_error(text);
}
