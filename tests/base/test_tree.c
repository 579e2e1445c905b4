/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <string.h>

#include "base/tree.h"

struct node {
    char name;
    struct node *parent;
    LIST_HEAD(, node) children;
    LIST_ENTRY(node) sibling;
};

/* a has the children b and e; b has c and d; e has f. */
static struct node nodes[] = {{.name = 'a'}, {.name = 'b'}, {.name = 'c'},
                              {.name = 'd'}, {.name = 'e'}, {.name = 'f'}};

static void add(struct node *parent, struct node *child)
{
    child->parent = parent;
    LIST_INSERT_HEAD(&parent->children, child, sibling);
}

static int build_tree(void **state)
{
    (void)state;
    add(&nodes[0], &nodes[4]);
    add(&nodes[0], &nodes[1]);
    add(&nodes[1], &nodes[3]);
    add(&nodes[1], &nodes[2]);
    add(&nodes[4], &nodes[5]);
    return 0;
}

static void assert_walk(struct node *top, const char *expected)
{
    char walk[8] = "";

    for (struct node *node = top; node; node = TREE_NEXT(top, node))
        strncat(walk, &node->name, 1);
    assert_string_equal(walk, expected);
}

static void walk__meets_parents_before_their_children_and_each_node_once(void **state)
{
    (void)state;
    assert_walk(&nodes[0], "abcdef");
}

static void walk__ends_with_the_part_below_its_top(void **state)
{
    (void)state;
    assert_walk(&nodes[1], "bcd");
    assert_walk(&nodes[4], "ef");
    assert_walk(&nodes[3], "d");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walk__meets_parents_before_their_children_and_each_node_once),
        cmocka_unit_test(walk__ends_with_the_part_below_its_top),
    };

    return cmocka_run_group_tests(tests, build_tree, NULL);
}
