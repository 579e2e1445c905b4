/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Paths in the order of a walk over the tree (a parent first, then all below it) need a node more
 * only where two neighbours part: each such node is the longest path that both lie in. The nodes
 * from the last path up to the root are the only ones to which something may still be added.
 */
#include "tool/top/tree.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/tree.h"

struct node {
    struct top_line line; /* Its name is borrowed while the tree is made. */
    size_t length;        /* of its path: the first bytes of the name */
    double growth[N_TOP_INPUTS];
    struct node *parent;
    LIST_HEAD(, node) children;
    LIST_ENTRY(node) sibling;
    size_t index; /* of its line among those that are shown */
};

struct forest {
    struct node *nodes; /* The first one is the root of all, which is not shown. */
    size_t n;
    const struct top_settings *settings;
};

/* A slash comes before all other bytes, so a parent is followed by all that it contains. */
static int compare_paths(const void *a, const void *b)
{
    const struct top_line *const first = a, *const second = b;
    const char *x = first->name, *y = second->name;
    const bool is_process = first->row->kind == TOP_PROCESS;

    if (is_process != (second->row->kind == TOP_PROCESS))
        return is_process ? 1 : -1;
    while (*x && *x == *y)
        x++, y++;
    if (*x == *y)
        return 0;
    if (*x == '/' || *y == '/')
        return *x == '/' ? (*y ? -1 : 1) : (*x ? 1 : -1);
    return (unsigned char)*x < (unsigned char)*y ? -1 : 1;
}

/* Returns the length of the path in which both paths lie, without a slash behind it. */
static size_t common_length(const char *a, size_t n_a, const char *b, size_t n_b)
{
    size_t i = 0, length = 0;

    for (; i < n_a && i < n_b && a[i] == b[i]; i++)
        if (a[i] == '/')
            length = i;
    if ((i == n_a || a[i] == '/') && (i == n_b || b[i] == '/'))
        length = i;
    return length;
}

static struct node *add_node(struct forest *forest, struct node *parent, char *path, size_t length)
{
    struct node *node = &forest->nodes[forest->n++];

    node->line = (struct top_line){.name = path};
    node->length = length;
    node->parent = parent;
    for (size_t i = 0; i < N_TOP_INPUTS; i++)
        node->growth[i] = NAN;
    return node;
}

/* The path "/" is the root of the machine's or a container's cgroups: it contains all others. */
static size_t path_length(const char *path)
{
    return strcmp(path, "/") == 0 ? 0 : strlen(path);
}

/* Adds a cgroup behind `last`, the one before it in the order of paths. Returns its node. */
static struct node *add_cgroup(struct forest *forest, struct node *last,
                               const struct top_line *line)
{
    const size_t length = path_length(line->name);
    const size_t common =
        common_length(last->line.name ? last->line.name : "", last->length, line->name, length);
    struct node *below = NULL, *node = last;

    while (node->parent && node->length > common) {
        below = node;
        node = node->parent;
    }
    if (below && node->length < common) {
        node = add_node(forest, node, line->name, common);
        below->parent = node;
    }
    node = add_node(forest, node, line->name, length);
    node->line = *line;
    memcpy(node->growth, line->row->growth, sizeof(node->growth));
    return node;
}

/* The longest paths come first, and processes, which are in no other line, anywhere. */
static int compare_lengths(const void *a, const void *b)
{
    const struct node *const *const x = a, *const *const y = b;

    return ((*x)->length < (*y)->length) - ((*x)->length > (*y)->length);
}

static void add_growth(struct node *parent, const struct node *node)
{
    for (size_t i = 0; i < N_TOP_INPUTS; i++)
        if (!isnan(node->growth[i]))
            parent->growth[i] =
                isnan(parent->growth[i]) ? node->growth[i] : parent->growth[i] + node->growth[i];
}

/* Computes what cgroups that are not counted show, from the leaves on. */
static void add_up(struct forest *forest, struct node **sorted, double seconds)
{
    qsort(sorted, forest->n - 1, sizeof(struct node *), compare_lengths);
    for (size_t i = 0; i + 1 < forest->n; i++) {
        struct node *const node = sorted[i];

        if (!node->line.row)
            for (enum top_column_id id = 0; id < N_TOP_COLUMNS; id++)
                node->line.values[id] = top_column_value(id, node->growth, seconds);
        if (!node->parent->line.row)
            add_growth(node->parent, node);
    }
}

static bool is_process(const struct node *node)
{
    return node->line.row && node->line.row->kind == TOP_PROCESS;
}

static int compare_nodes(const void *a, const void *b, void *settings)
{
    const struct node *const *const x = a, *const *const y = b;

    if (is_process(*x) != is_process(*y))
        return is_process(*x) ? 1 : -1;
    return top_line_compare(settings, &(*x)->line, &(*y)->line);
}

/* Gives each node its children in their order. */
static void link_children(struct forest *forest, struct node **sorted)
{
    qsort_r(sorted, forest->n - 1, sizeof(struct node *), compare_nodes,
            (void *)(uintptr_t)forest->settings);
    for (size_t i = forest->n - 1; i-- > 0;)
        LIST_INSERT_HEAD(&sorted[i]->parent->children, sorted[i], sibling);
}

/* Returns the part of a path that the parent's lacks; the whole path if two labels stand for one.
 */
static char *name_of(const struct node *node)
{
    const char *const path = node->line.name;
    const size_t above = node->parent->length;

    if (is_process(node) || node->length == 0)
        return strdup(path);
    if (node->parent->parent && node->length > above) /* Only at the top a path keeps its slash. */
        return strndup(path + above + 1, node->length - above - 1);
    return strndup(path, node->length);
}

/* Writes the nodes as lines, in the order of a walk. Returns 0 or -ENOMEM. */
static int write_lines(struct forest *forest, struct top_line *lines)
{
    struct node *root = &forest->nodes[0]; /* not const: TREE_NEXT copies its type */
    size_t n = 0;
    bool failed = false;

    root->index = SIZE_MAX;
    for (struct node *node = TREE_NEXT(root, root); node; node = TREE_NEXT(root, node)) {
        node->index = n;
        lines[n] = node->line;
        lines[n].name = name_of(node);
        lines[n].parent = node->parent->index;
        lines[n].is_last = !LIST_NEXT(node, sibling);
        failed |= !lines[n++].name;
    }
    if (!failed)
        return 0;
    for (size_t i = 0; i < n; i++)
        free(lines[i].name);
    return -ENOMEM;
}

/* Makes a node of each line, and those between them. The lines are in the order of paths. */
static void plant(struct forest *forest, const struct top_line *lines, size_t n)
{
    struct node *const root = add_node(forest, NULL, NULL, 0);
    struct node *last = root;

    for (size_t i = 0; i < n; i++) {
        if (lines[i].row->kind == TOP_CGROUP)
            last = add_cgroup(forest, last, &lines[i]);
        else
            add_node(forest, root, lines[i].name, 0)->line = lines[i];
    }
}

int top_tree_make(double seconds, const struct top_settings *settings, struct top_line **lines,
                  size_t *n)
{
    const size_t most = 2 * *n + 1;
    AUTO_FREE struct node *nodes = calloc(most, sizeof(*nodes));
    AUTO_FREE struct node **sorted = calloc(most, sizeof(*sorted));
    AUTO_FREE struct top_line *tree = calloc(most, sizeof(*tree));
    struct forest forest = {.nodes = nodes, .settings = settings};

    if (!nodes || !sorted || !tree)
        return -ENOMEM;
    qsort(*lines, *n, sizeof(**lines), compare_paths);
    plant(&forest, *lines, *n);
    for (size_t i = 1; i < forest.n; i++)
        sorted[i - 1] = &nodes[i];
    add_up(&forest, sorted, seconds);
    link_children(&forest, sorted);
    if (write_lines(&forest, tree) < 0)
        return -ENOMEM;
    for (size_t i = 0; i < *n; i++)
        free((*lines)[i].name);
    free(*lines);
    *lines = TAKE(tree);
    *n = forest.n - 1;
    return 0;
}
