/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Each allocation is made to fail in turn. A store that has no memory for a stack counts the sample
 * all the same; a question is answered, or refused with -ENOMEM.
 */
#include "profile/store_fixture.h"
#include "support/failing_memory.h"

#include "profile/difference.h"

#define SAMPLES 60

static const struct profile_limits tight = {
    .nodes = 64, .functions = 60, .slice_bytes = 1 << 20, .recent = 20, .targets = 6};

/* The names are made once, so that allocations are those of the store alone. */
static char names[SAMPLES][8], labels[SAMPLES][16];

static void add_some(struct profile_store *store)
{
    for (unsigned i = 0; i < SAMPLES; i++) {
        uint32_t target = profile_store_target(store, PROFILE_CGROUP, labels[i]);
        const uint32_t functions[] = {
            profile_store_function(store, PROFILE_USER, "x", "main"),
            profile_store_function(store, PROFILE_USER, "x", names[i % 20]),
            profile_store_function(store, PROFILE_USER, "x", names[i]),
        };

        target = target == UINT32_MAX ? 0 : target; /* as who samples does */
        profile_store_add(
            store, target, BEGIN + i * 5 * SECOND,
            &(struct profile_stack){functions, ARRAY_SIZE(functions), PROFILE_NO_PLACE});
        if (i % 7 == 0)
            profile_store_tick(store, BEGIN + i * 5 * SECOND);
    }
    profile_store_tick(store, BEGIN + 3 * HOUR);
}

static void store__without_memory_once__counts_each_sample(void **state)
{
    bool is_over = false;

    (void)state;
    for (unsigned i = 0; i < SAMPLES; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "f%u", i);
        (void)snprintf(labels[i], sizeof(labels[i]), "/%c/%u", i % 2 ? 'a' : 'b', i % 11);
    }
    for (unsigned fail = 1; !is_over; fail++) {
        AUTO(profile_store) struct profile_store *store = NULL;
        struct profile_figures figures;

        allocations = 0;
        failing = fail;
        store = profile_store_new(&tight, RATE);
        if (store)
            add_some(store);
        is_over = allocations < failing;
        failing = 0;
        if (!store)
            continue;
        profile_store_figures(store, &figures);
        assert_int_equal(figures.dropped_slices, 0);
        assert_int_equal(total_of(store, PROFILE_MACHINE, "", 0, BEGIN + 24 * HOUR), SAMPLES);
    }
    print_message("%u allocations\n", allocations);
}

static int make_tree(const struct profile_store *store)
{
    const struct profile_range range = {
        .scope = PROFILE_MACHINE, .label = "", .from_ns = 0, .to_ns = BEGIN + HOUR};
    AUTO(profile_tree)
    struct profile_tree *tree = NULL, *inverted = NULL, *callees = NULL, *callers = NULL;
    AUTO(difference) struct difference *difference = NULL;
    AUTO_FREE struct profile_row *rows = NULL;
    size_t n, n_before;
    int r = profile_store_collect(store, &range, &tree);

    if (r == 0)
        r = profile_tree_invert(tree, &inverted);
    if (r == 0)
        r = profile_tree_callees(tree, 0, &callees);
    if (r == 0)
        r = profile_tree_callers(tree, 0, &callers);
    if (r == 0)
        r = profile_tree_table(tree, &rows, &n);
    if (r == 0)
        r = difference_new(tree, inverted, DIFFERENCE_OF_TIME, &difference);
    if (r < 0)
        return r;
    n_before = tree->n_nodes;
    r = profile_tree_prune(tree, 10);
    if (r < 0)
        assert_int_equal(tree->n_nodes, n_before);
    return r;
}

static void trees__without_memory_once__are_refused(void **state)
{
    AUTO(profile_store) struct profile_store *store = store_of(&roomy);
    int r = -ENOMEM;

    (void)state;
    add_some(store);
    for (unsigned fail = 1; r < 0; fail++) {
        allocations = 0;
        failing = fail;
        r = make_tree(store);
        if (r < 0)
            assert_int_equal(r, -ENOMEM);
    }
    failing = 0;
}

static int take_in(const struct profile_store *from, struct profile_store *to)
{
    AUTO_TEXT struct text bytes = {0};
    int r = profile_store_pack(from, 0, UINT32_MAX, &bytes);

    return r < 0 ? r : profile_store_unpack(to, bytes.data, bytes.length);
}

/* What has no memory is refused, or dropped and counted, or folded. */
static void packing__without_memory_once__is_refused_or_counted(void **state)
{
    AUTO(profile_store) struct profile_store *from = store_of(&roomy);
    const uint64_t end = BEGIN + 24 * HOUR;
    bool is_over = false;

    (void)state;
    add_some(from);
    for (unsigned fail = 1; !is_over; fail++) {
        AUTO(profile_store) struct profile_store *to = store_of(&roomy);
        struct profile_figures figures;
        uint64_t total;
        int r;

        profile_store_tick(to, BEGIN + 3 * HOUR);
        allocations = 0;
        failing = fail;
        r = take_in(from, to);
        is_over = allocations < failing;
        failing = 0;
        total = total_of(to, PROFILE_MACHINE, "", 0, end);
        profile_store_figures(to, &figures);
        if (r == 0 && figures.dropped_slices == 0)
            assert_int_equal(total, SAMPLES);
        else
            assert_true(total < SAMPLES && (r == 0 || r == -ENOMEM));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(store__without_memory_once__counts_each_sample),
        cmocka_unit_test(trees__without_memory_once__are_refused),
        cmocka_unit_test(packing__without_memory_once__is_refused_or_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
