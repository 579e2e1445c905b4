/* SPDX-License-Identifier: Apache-2.0 */

/* What a recording has sampled, and trees as bytes. */
#include "profile/recorded.h"

#include "profile/store_fixture.h"
#include "profile/tree_pack.h"

static void record(struct profile_store *store, struct recorded *recorded, const char *stack,
                   uint64_t period)
{
    uint32_t functions[256];
    const size_t n = functions_of(store, stack, functions);

    recorded_add(recorded, &(struct profile_stack){functions, n, PROFILE_NO_PLACE}, period);
}

static struct profile_tree *recorded_as_tree(const struct recorded *recorded)
{
    struct profile_tree *tree = NULL;

    assert_int_equal(recorded_tree(recorded, &tree), 0);
    return tree;
}

/* The node of this name that is below the root. */
static const struct profile_node *node_of(const struct profile_tree *tree, const char *name)
{
    for (size_t i = 1; i < tree->n_nodes; i++)
        if (strcmp(tree->functions[tree->nodes[i].function].name, name) == 0)
            return &tree->nodes[i];
    fail_msg("there is no %s", name);
    return NULL;
}

static void samples_of_one_period__are_the_samples_themselves(void **state)
{
    AUTO(profile_store) struct profile_store *store = store_of(&roomy);
    AUTO(recorded) struct recorded *recorded = recorded_new(store, 100);
    AUTO(profile_tree) struct profile_tree *tree = NULL;

    (void)state;
    for (int i = 0; i < 7; i++)
        record(store, recorded, "main;work", 1000);
    for (int i = 0; i < 3; i++)
        record(store, recorded, "main;rest", 1000);
    tree = recorded_as_tree(recorded);
    assert_tree(tree, "main;rest 3\nmain;work 7\n");
    assert_int_equal(recorded_samples(recorded), 10);
    assert_int_equal(tree->nodes[0].total_value, 10000);
    assert_int_equal(node_of(tree, "work")->self_value, 7000);
}

static void functions__are_those_of_its_samples_and_no_others(void **state)
{
    AUTO(profile_store) struct profile_store *store = store_of(&roomy);
    AUTO(recorded) struct recorded *recorded = recorded_new(store, 100);
    AUTO_FREE bool *has = NULL;
    uint32_t ours[256], other[256];
    size_t n, n_has = 0;

    (void)state;
    (void)functions_of(store, "other", other);
    record(store, recorded, "main;work", 1000);
    (void)functions_of(store, "main;work", ours);
    has = recorded_functions(recorded, &n);
    assert_non_null(has);
    for (size_t i = 0; i < n; i++)
        n_has += has[i];
    assert_int_equal(n_has, 2);
    assert_true(has[ours[0]] && has[ours[1]]);
    assert_false(other[0] < n && has[other[0]]);
}

/* Weights 1, 1 and 2: W = 4, S = 6, and W^2 / S = 2.67 samples, half of which are those of 2. */
static void samples_of_different_periods__tell_as_much_as_fewer_of_one(void **state)
{
    AUTO(profile_store) struct profile_store *store = store_of(&roomy);
    AUTO(recorded) struct recorded *recorded = recorded_new(store, 100);
    AUTO(profile_tree) struct profile_tree *tree = NULL;

    (void)state;
    for (int i = 0; i < 300; i++) {
        record(store, recorded, "main;light", 10);
        record(store, recorded, "main;light", 10);
        record(store, recorded, "main;heavy", 20);
    }
    tree = recorded_as_tree(recorded);
    assert_int_equal(recorded_samples(recorded), 900);
    assert_int_equal(tree->nodes[0].total, 800);
    assert_int_equal(node_of(tree, "heavy")->self, 400);
    assert_int_equal(node_of(tree, "light")->self, 400);
    assert_int_equal(node_of(tree, "heavy")->self_value, 6000);
}

static void stacks_beyond_the_limit__are_folded_and_none_is_lost(void **state)
{
    AUTO(profile_store) struct profile_store *store = store_of(&roomy);
    AUTO(recorded) struct recorded *recorded = recorded_new(store, 4);
    AUTO(profile_tree) struct profile_tree *tree = NULL;
    char stack[32];

    (void)state;
    for (int i = 0; i < 50; i++) {
        (void)snprintf(stack, sizeof(stack), "main;of_%d", i);
        record(store, recorded, stack, 1);
    }
    tree = recorded_as_tree(recorded);
    assert_int_equal(tree->nodes[0].total, 50);
    assert_int_equal(tree->nodes[0].total_value, 50);
    assert_true(node_of(tree, "(folded)")->self > 40);
    assert_true(tree->n_nodes < 8);
}

/* The store gives new numbers to functions when it runs out of room: those of a recording stay. */
static void functions__stay_while_the_store_makes_room(void **state)
{
    const struct profile_limits tight = {
        .nodes = 200, .functions = 40, .slice_bytes = 1 << 16, .recent = 100, .targets = 10};
    AUTO(profile_store) struct profile_store *store = store_of(&tight);
    AUTO(recorded) struct recorded *recorded = recorded_new(store, 20);
    AUTO(profile_tree) struct profile_tree *tree = NULL;
    const uint64_t generation = profile_store_generation(store);
    char stack[32];
    uint32_t target;

    (void)state;
    profile_store_tick(store, BEGIN);
    target = profile_store_target(store, PROFILE_CGROUP, "/a");
    record(store, recorded, "main;kept", 5);
    for (int i = 0; i < 400; i++) {
        (void)snprintf(stack, sizeof(stack), "main;other_%d", i);
        add_stack(store, target, BEGIN + (uint64_t)i * MINUTE, stack, 1);
        profile_store_tick(store, BEGIN + (uint64_t)i * MINUTE);
    }
    assert_true(profile_store_generation(store) != generation);
    record(store, recorded, "main;kept", 5);
    tree = recorded_as_tree(recorded);
    assert_tree(tree, "main;kept 2\n");
}

static struct profile_tree *tree_of_events(void)
{
    AUTO(profile_store) struct profile_store *store = store_of(&roomy);
    AUTO(recorded) struct recorded *recorded = recorded_new(store, 100);
    struct profile_tree *tree;

    record(store, recorded, "main;work;leaf", 300);
    record(store, recorded, "main;work", 100);
    record(store, recorded, "other", 100);
    tree = recorded_as_tree(recorded);
    tree->from_ns = BEGIN;
    tree->to_ns = BEGIN + MINUTE;
    tree->event = strdup("page-faults");
    return tree;
}

static void tree__comes_back_from_its_bytes_as_it_was(void **state)
{
    AUTO(profile_tree) struct profile_tree *tree = tree_of_events(), *back = NULL;
    AUTO_TEXT struct text bytes = {0}, again = {0};

    (void)state;
    assert_int_equal(profile_tree_pack(tree, &bytes), 0);
    assert_int_equal(profile_tree_unpack(bytes.data, bytes.length, &back), 0);
    assert_string_equal(back->event, "page-faults");
    assert_true(back->from_ns == BEGIN && back->to_ns == BEGIN + MINUTE);
    assert_int_equal(back->nodes[0].total_value, 500);
    assert_int_equal(node_of(back, "work")->total_value, 400);
    assert_int_equal(node_of(back, "leaf")->self, node_of(tree, "leaf")->self);
    assert_int_equal(profile_tree_pack(back, &again), 0);
    assert_int_equal(again.length, bytes.length);
}

static void bytes_of_a_tree_that_are_damaged__are_told_and_harm_nothing(void **state)
{
    AUTO(profile_tree) struct profile_tree *tree = tree_of_events(), *back = NULL;
    AUTO_TEXT struct text bytes = {0};

    (void)state;
    assert_int_equal(profile_tree_pack(tree, &bytes), 0);
    for (size_t length = 0; length < bytes.length; length++) {
        assert_int_equal(profile_tree_unpack(bytes.data, length, &back), -EBADMSG);
        assert_null(back);
    }
    for (size_t at = 0; at < bytes.length; at++)
        for (int bit = 0; bit < 8; bit++) {
            bytes.data[at] = (char)(bytes.data[at] ^ (1 << bit));
            if (profile_tree_unpack(bytes.data, bytes.length, &back) == 0)
                back = profile_tree_free(back);
            assert_null(back);
            bytes.data[at] = (char)(bytes.data[at] ^ (1 << bit));
        }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_of_one_period__are_the_samples_themselves),
        cmocka_unit_test(functions__are_those_of_its_samples_and_no_others),
        cmocka_unit_test(samples_of_different_periods__tell_as_much_as_fewer_of_one),
        cmocka_unit_test(stacks_beyond_the_limit__are_folded_and_none_is_lost),
        cmocka_unit_test(functions__stay_while_the_store_makes_room),
        cmocka_unit_test(tree__comes_back_from_its_bytes_as_it_was),
        cmocka_unit_test(bytes_of_a_tree_that_are_damaged__are_told_and_harm_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
