/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A version, the range, the rate and the event; then functions as a kind and two texts with their
 * lengths; then each node but the root as the distance to its parent, its function, its samples and
 * its value. All numbers are of seven bits a byte (base/varint.h).
 */
#include "profile/tree_pack.h"

#include <errno.h>
#include <stdlib.h>

#include "profile/packed.h"
#include "profile/tree_builder.h"

#define VERSION 1

int profile_tree_pack(const struct profile_tree *tree, struct text *bytes)
{
    varint_put(bytes, VERSION);
    varint_put(bytes, tree->from_ns);
    varint_put(bytes, tree->to_ns);
    varint_put(bytes, tree->rate_hz);
    packed_put_string(bytes, tree->event ? tree->event : "");
    varint_put(bytes, tree->n_functions);
    for (size_t i = 0; i < tree->n_functions; i++) {
        varint_put(bytes, tree->functions[i].kind);
        packed_put_string(bytes, tree->functions[i].owner);
        packed_put_string(bytes, tree->functions[i].name);
    }
    varint_put(bytes, tree->n_nodes);
    varint_put(bytes, tree->nodes[0].self);
    varint_put(bytes, tree->nodes[0].self_value);
    for (uint32_t i = 1; i < tree->n_nodes; i++) {
        const struct profile_node *node = &tree->nodes[i];

        varint_put(bytes, i - node->parent);
        varint_put(bytes, node->function + UINT64_C(1));
        varint_put(bytes, node->self);
        varint_put(bytes, node->self_value);
    }
    return text_error(bytes);
}

static uint32_t take_function(struct varint_reader *reader, struct tree_builder *builder)
{
    const enum profile_kind kind = (enum profile_kind)packed_take(reader, 0, PROFILE_NOTE);
    AUTO_FREE char *owner = packed_take_name(reader), *name = packed_take_name(reader);

    builder->failed |= !owner || !name;
    return builder->failed
               ? 0
               : tree_builder_function(builder, &(struct profile_function_name){kind, owner, name});
}

static void take_own(struct varint_reader *reader, struct tree_builder *builder, uint32_t node)
{
    const uint64_t samples = varint_take(reader), value = varint_take(reader);

    tree_builder_add(builder, node, samples, value);
}

static void take_nodes(struct varint_reader *reader, struct tree_builder *builder,
                       const uint32_t *functions, size_t n_functions, uint32_t *nodes, size_t n)
{
    take_own(reader, builder, 0);
    for (uint32_t i = 1; i < n && !reader->is_bad; i++) {
        const uint64_t distance = packed_take(reader, 1, i);
        const uint64_t function = packed_take(reader, 1, n_functions) - 1;

        if (reader->is_bad)
            return;
        nodes[i] = tree_builder_child(builder, nodes[i - distance], functions[function]);
        take_own(reader, builder, nodes[i]);
    }
}

static int take_tree(struct varint_reader *reader, struct tree_builder *builder)
{
    const size_t n_functions = packed_take_count(reader);
    AUTO_FREE uint32_t *functions = calloc(n_functions + 1, sizeof(*functions));
    AUTO_FREE uint32_t *nodes = NULL;
    size_t n;

    for (size_t i = 0; functions && i < n_functions && !reader->is_bad; i++)
        functions[i] = take_function(reader, builder);
    n = packed_take_count(reader);
    nodes = calloc(n + 1, sizeof(*nodes));
    if (!functions || !nodes)
        return -ENOMEM;
    take_nodes(reader, builder, functions, n_functions, nodes, n);
    return builder->failed ? -ENOMEM : 0;
}

int profile_tree_unpack(const void *bytes, size_t n, struct profile_tree **ret_tree)
{
    const unsigned char *first = bytes;
    struct varint_reader reader = {.at = first, .end = first + n};
    AUTO_TREE_BUILDER struct tree_builder builder = {0};
    struct profile_tree like = {0};
    AUTO_FREE char *event = NULL;
    int r;

    (void)packed_take(&reader, VERSION, VERSION);
    like.from_ns = varint_take(&reader);
    like.to_ns = varint_take(&reader);
    like.rate_hz = (unsigned)packed_take(&reader, 0, UINT32_MAX);
    event = packed_take_name(&reader);
    if (reader.is_bad || !event)
        return reader.is_bad ? -EBADMSG : -ENOMEM;
    like.event = *event ? event : NULL;
    tree_builder_init(&builder);
    r = take_tree(&reader, &builder);
    if (reader.is_bad || (r == 0 && reader.at != reader.end))
        return -EBADMSG;
    return r < 0 ? r : tree_builder_finish(&builder, &like, ret_tree);
}
