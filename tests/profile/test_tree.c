/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/store_fixture.h"

/* Each line of `stacks` is "main;leaf 3". */
static struct profile_tree *tree_from(const char *stacks)
{
    const struct profile_limits limits = {10000, 5000, 1 << 20, 100000, 100};
    AUTO(profile_store) struct profile_store *store = store_of(&limits);
    char *copy = strdup(stacks), *rest = copy;

    assert_non_null(copy);
    for (char *line = strsep(&rest, "\n"); line && *line; line = strsep(&rest, "\n")) {
        char *space = strrchr(line, ' ');

        *space = '\0';
        add_stack(store, 0, BEGIN, line, strtoul(space + 1, NULL, 10));
    }
    free(copy);
    return tree_of(store, PROFILE_MACHINE, "", BEGIN, BEGIN + SECOND);
}

static const char known[] = "main 1\n"
                            "main;a 2\n"
                            "main;a;b 3\n"
                            "main;a;b;a;b 4\n"
                            "main;c 5\n"
                            "other;b 6\n";

static uint32_t function_named(const struct profile_tree *tree, const char *name)
{
    for (uint32_t i = 0; i < tree->n_functions; i++)
        if (strcmp(tree->functions[i].name, name) == 0)
            return i;
    return UINT32_MAX;
}

static void tree__of_stacks__has_them_and_their_time(void **state)
{
    AUTO(profile_tree) struct profile_tree *tree = tree_from(known);

    (void)state;
    assert_whole(tree);
    assert_tree(tree, known);
    assert_int_equal(tree->nodes[0].total, 21);
    assert_int_equal(tree->nodes[0].total_value, 21 * PERIOD);
    assert_int_equal(tree->rate_hz, RATE);
}

static void table__counts_each_sample_once_for_a_function_that_calls_itself(void **state)
{
    AUTO(profile_tree) struct profile_tree *tree = tree_from(known);
    AUTO_FREE struct profile_row *rows = NULL;
    size_t n;

    (void)state;
    assert_int_equal(profile_tree_table(tree, &rows, &n), 0);
    assert_int_equal(n, 5);
    assert_string_equal(tree->functions[rows[0].function].name, "b");
    assert_int_equal(rows[0].self, 13);
    assert_int_equal(rows[0].total, 13);
    assert_string_equal(tree->functions[rows[2].function].name, "a");
    assert_int_equal(rows[2].self, 2);
    assert_int_equal(rows[2].total, 9);
    assert_int_equal(rows[2].total_value, 9 * PERIOD);
}

static void invert__begins_with_the_leaves(void **state)
{
    AUTO(profile_tree) struct profile_tree *tree = tree_from(known);
    AUTO(profile_tree) struct profile_tree *inverted = NULL;
    AUTO(profile_tree) struct profile_tree *again = NULL;

    (void)state;
    assert_int_equal(profile_tree_invert(tree, &inverted), 0);
    assert_whole(inverted);
    assert_tree(inverted, "a;main 2\nb;a;b;a;main 4\nb;a;main 3\nb;other 6\nc;main 5\nmain 1\n");
    assert_int_equal(profile_tree_invert(inverted, &again), 0);
    assert_tree(again, known);
}

static void callees__have_the_function_on_top(void **state)
{
    AUTO(profile_tree) struct profile_tree *tree = tree_from(known);
    AUTO(profile_tree) struct profile_tree *callees = NULL;

    (void)state;
    assert_int_equal(profile_tree_callees(tree, function_named(tree, "b"), &callees), 0);
    assert_whole(callees);
    assert_tree(callees, "b 9\nb;a;b 4\n");
}

static void callers__have_the_function_on_top_too(void **state)
{
    AUTO(profile_tree) struct profile_tree *tree = tree_from(known);
    AUTO(profile_tree) struct profile_tree *callers = NULL;

    (void)state;
    assert_int_equal(profile_tree_callers(tree, function_named(tree, "b"), &callers), 0);
    assert_whole(callers);
    assert_tree(callers, "b;a;main 7\nb;other 6\n");
}

static void views__of_a_function_that_is_not_there__are_refused(void **state)
{
    AUTO(profile_tree) struct profile_tree *tree = tree_from(known);
    struct profile_tree *none = NULL;

    (void)state;
    assert_int_equal(profile_tree_callees(tree, 1000, &none), -ENOENT);
    assert_int_equal(profile_tree_callers(tree, 1000, &none), -ENOENT);
    assert_null(none);
}

static void prune__cuts_what_is_small_and_keeps_totals(void **state)
{
    AUTO(profile_tree)
    struct profile_tree *tree = tree_from("main;a 10\n"
                                          "main;b;c 1\n"
                                          "main;b;d 1\n"
                                          "main;e 1\n"
                                          "main;f 20\n");

    (void)state;
    assert_int_equal(tree->n_nodes, 8);
    assert_int_equal(profile_tree_prune(tree, 8), 0);
    assert_int_equal(tree->n_nodes, 8);
    assert_int_equal(profile_tree_prune(tree, 5), 0);
    assert_whole(tree);
    assert_tree(tree, "main;(4 small) 3\nmain;a 10\nmain;f 20\n");
    assert_int_equal(tree->n_functions, 4); /* those that are left */
}

static void prune__to_almost_nothing__leaves_the_root_and_one(void **state)
{
    AUTO(profile_tree) struct profile_tree *tree = tree_from(known);

    (void)state;
    assert_int_equal(profile_tree_prune(tree, 0), 0);
    assert_whole(tree);
    assert_int_equal(tree->n_nodes, 2);
    assert_int_equal(tree->nodes[0].total, 21);
}

static void prune__of_any_tree__keeps_the_limit_and_the_total(void **state)
{
    unsigned seed = 7;

    (void)state;
    for (size_t round = 0; round < 50; round++) {
        AUTO_TEXT struct text stacks = {0};
        AUTO_FREE char *lines = NULL;
        AUTO(profile_tree) struct profile_tree *tree = NULL;
        const size_t most = 2 + (size_t)rand_r(&seed) % 100;
        uint64_t total;

        for (size_t i = 0; i < 60; i++) {
            text_append_string(&stacks, "main");
            for (int depth = rand_r(&seed) % 8; depth > 0; depth--)
                text_append_format(&stacks, ";f%d", rand_r(&seed) % 3);
            text_append_format(&stacks, " %d\n", 1 + rand_r(&seed) % 9);
        }
        lines = text_take(&stacks);
        tree = tree_from(lines);
        total = tree->nodes[0].total;
        assert_int_equal(profile_tree_prune(tree, most), 0);
        assert_whole(tree);
        assert_true(tree->n_nodes <= most);
        assert_int_equal(tree->nodes[0].total, total);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tree__of_stacks__has_them_and_their_time),
        cmocka_unit_test(table__counts_each_sample_once_for_a_function_that_calls_itself),
        cmocka_unit_test(invert__begins_with_the_leaves),
        cmocka_unit_test(callees__have_the_function_on_top),
        cmocka_unit_test(callers__have_the_function_on_top_too),
        cmocka_unit_test(views__of_a_function_that_is_not_there__are_refused),
        cmocka_unit_test(prune__cuts_what_is_small_and_keeps_totals),
        cmocka_unit_test(prune__to_almost_nothing__leaves_the_root_and_one),
        cmocka_unit_test(prune__of_any_tree__keeps_the_limit_and_the_total),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
