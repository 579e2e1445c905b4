/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A store whose samples and time the test chooses, and trees written as text. */

#include "support/check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "profile/store.h"
#include "profile/tree.h"
#include "sys/bpf/profile/period.h"

#define SECOND NS_PER_SECOND
#define MINUTE (60 * SECOND)
#define HOUR   (60 * MINUTE)
#define RATE   100u
#define PERIOD profile_period_ns(RATE)

/* Midnight of some day, so that hours and minutes begin with the test. */
#define BEGIN (UINT64_C(20000) * 24 * HOUR)

static const struct profile_limits roomy = {
    .nodes = 10000, .functions = 5000, .slice_bytes = 1 << 20, .recent = 1000, .targets = 100};

static inline struct profile_store *store_of(const struct profile_limits *limits)
{
    struct profile_store *store = profile_store_new(limits, RATE);

    assert_non_null(store);
    return store;
}

/* The functions of a stack that is written as "main;work;leaf". Returns how many there are. */
static inline size_t functions_of(struct profile_store *store, const char *stack,
                                  uint32_t functions[256])
{
    char *copy = strdup(stack), *rest = copy;
    size_t n = 0;

    assert_non_null(copy);
    for (char *name = strsep(&rest, ";"); name; name = strsep(&rest, ";"))
        functions[n++] = profile_store_function(store, PROFILE_USER, "program", name);
    free(copy);
    return n;
}

/* Adds samples of such a stack. */
static inline void add_stack(struct profile_store *store, uint32_t target, uint64_t time_ns,
                             const char *stack, size_t n_samples)
{
    uint32_t functions[256];
    const size_t n = functions_of(store, stack, functions);

    for (size_t i = 0; i < n_samples; i++)
        profile_store_add(store, target, time_ns,
                          &(struct profile_stack){functions, n, PROFILE_NO_PLACE});
}

static inline struct profile_tree *tree_of(const struct profile_store *store,
                                           enum profile_scope scope, const char *label,
                                           uint64_t from_ns, uint64_t to_ns)
{
    const struct profile_range range = {
        .scope = scope, .label = label, .from_ns = from_ns, .to_ns = to_ns};
    struct profile_tree *tree = NULL;

    assert_int_equal(profile_store_collect(store, &range, &tree), 0);
    return tree;
}

static inline uint64_t total_of(const struct profile_store *store, enum profile_scope scope,
                                const char *label, uint64_t from_ns, uint64_t to_ns)
{
    const struct profile_range range = {
        .scope = scope, .label = label, .from_ns = from_ns, .to_ns = to_ns};
    AUTO(profile_tree) struct profile_tree *tree = NULL;

    return profile_store_collect(store, &range, &tree) == 0 ? tree->nodes[0].total : 0;
}

static inline void append_path(const struct profile_tree *tree, uint32_t node, struct text *text)
{
    if (tree->nodes[node].parent == PROFILE_NO_NODE)
        return;
    append_path(tree, tree->nodes[node].parent, text);
    if (text->length > 0)
        text_append_char(text, ';');
    text_append_string(text, tree->functions[tree->nodes[node].function].name);
}

static inline int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts lines and joins them, and frees them and their array. The caller frees the text. */
static inline char *join_sorted(char **lines, size_t n)
{
    struct text all = {0};

    qsort(lines, n, sizeof(*lines), by_text);
    for (size_t i = 0; i < n; i++) {
        text_append_string(&all, lines[i]);
        free(lines[i]);
    }
    free(lines);
    text_append_string(&all, "");
    return text_take(&all);
}

/* The nodes in which samples ended: "main;leaf 3", sorted. The caller frees the text. */
static inline char *text_of(const struct profile_tree *tree)
{
    char **lines = calloc(tree->n_nodes, sizeof(*lines));
    size_t n = 0;

    for (uint32_t i = 0; i < tree->n_nodes; i++) {
        struct text line = {0};

        if (tree->nodes[i].self == 0)
            continue;
        append_path(tree, i, &line);
        text_append_format(&line, " %llu\n", (unsigned long long)tree->nodes[i].self);
        lines[n++] = text_take(&line);
    }
    return join_sorted(lines, n);
}

#define assert_tree(tree, expected)                                                                \
    do {                                                                                           \
        char *_text = text_of(tree);                                                               \
        assert_string_equal(_text, expected);                                                      \
        free(_text);                                                                               \
    } while (0)

/* What holds of every tree. */
static inline void assert_whole(const struct profile_tree *tree)
{
    uint64_t *sums = calloc(tree->n_nodes, sizeof(*sums));

    assert_int_equal(tree->nodes[0].parent, PROFILE_NO_NODE);
    for (size_t i = tree->n_nodes; i-- > 0;) {
        const struct profile_node *node = &tree->nodes[i];

        assert_int_equal(node->total, node->self + sums[i]);
        if (i == 0)
            break;
        assert_true(node->parent < i && node->function < tree->n_functions);
        sums[node->parent] += node->total;
    }
    free(sums);
}
