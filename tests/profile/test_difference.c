/* SPDX-License-Identifier: Apache-2.0 */

/* Comparisons by simulation, with a fixed seed. */
#include "profile/store_fixture.h"

#include <math.h>

#include "profile/difference.h"

#define FUNCTIONS 400

static unsigned seed;

static double random_share(void)
{
    return (double)rand_r(&seed) / ((double)RAND_MAX + 1);
}

/* A program of 400 functions, whose shares fall as 1 / k below that of the first one. */
static double weights[FUNCTIONS];

static void make_weights(double first_share, double more)
{
    double sum = 0;

    for (size_t i = 1; i < FUNCTIONS; i++)
        sum += weights[i] = 1 / (double)i;
    weights[0] = sum * first_share / (1 - first_share) * more;
}

static size_t draw(const double *limits)
{
    const double at = random_share() * limits[FUNCTIONS - 1];
    size_t low = 0, high = FUNCTIONS - 1;

    while (low < high) {
        const size_t middle = (low + high) / 2;

        if (limits[middle] > at)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* "main;part<k % 20>;f<k>", and what of them there is. */
static struct profile_tree *sample_program(size_t n_samples)
{
    const struct profile_limits limits = {10000, 5000, 1 << 20, 0, 10};
    AUTO(profile_store) struct profile_store *store = store_of(&limits);
    size_t counts[FUNCTIONS] = {0};
    double limit[FUNCTIONS], sum = 0;

    for (size_t i = 0; i < FUNCTIONS; i++)
        limit[i] = sum += weights[i];
    for (size_t i = 0; i < n_samples; i++)
        counts[draw(limit)]++;
    for (size_t i = 0; i < FUNCTIONS; i++) {
        char stack[64];

        (void)snprintf(stack, sizeof(stack), "main;part%zu;f%zu", i % 20, i);
        add_stack(store, 0, BEGIN + SECOND, stack, counts[i]);
    }
    profile_store_tick(store, BEGIN + 100 * SECOND);
    return tree_of(store, PROFILE_MACHINE, "", BEGIN, BEGIN + 100 * SECOND);
}

static size_t count_differing(const struct difference *difference)
{
    size_t n = 0;

    for (size_t i = 0; i < difference->n_nodes; i++)
        n += difference->nodes[i].differs;
    for (size_t i = 0; i < difference->n_rows; i++)
        n += difference->rows[i].differs;
    return n;
}

static bool row_differs(const struct difference *difference, const char *name)
{
    for (size_t i = 0; i < difference->n_rows; i++)
        if (strcmp(difference->functions[difference->rows[i].function].name, name) == 0)
            return difference->rows[i].differs && difference->rows[i].change > 0;
    return false;
}

/* In how many of 100 comparisons of a program with itself something differs. */
static size_t count_false(enum difference_measure measure, size_t n_before, size_t n_after)
{
    size_t n = 0;

    make_weights(0.3, 1);
    for (size_t i = 0; i < 100; i++) {
        AUTO(profile_tree) struct profile_tree *before = sample_program(n_before);
        AUTO(profile_tree) struct profile_tree *after = sample_program(n_after);
        AUTO(difference) struct difference *difference = NULL;

        assert_int_equal(difference_new(before, after, measure, &difference), 0);
        assert_true(difference->bound >= 3);
        n += count_differing(difference) > 0;
    }
    return n;
}

static void difference__of_one_program_and_itself__shows_nothing_in_19_of_20(void **state)
{
    static const size_t sizes[][2] = {{300, 300}, {3000, 3000}, {30000, 30000}, {30000, 500}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        const size_t n = count_false(DIFFERENCE_OF_SHARES, sizes[i][0], sizes[i][1]);

        print_message("%zu and %zu samples: %zu of 100 show a difference\n", sizes[i][0],
                      sizes[i][1], n);
        assert_true(n <= 5);
    }
    assert_true(count_false(DIFFERENCE_OF_TIME, 3000, 3000) <= 5);
}

/* In how many of 100 comparisons the function that takes 10 % more time is found, alone or not. */
static size_t count_found(enum difference_measure measure, size_t n_samples)
{
    size_t n = 0;

    for (size_t i = 0; i < 100; i++) {
        AUTO(profile_tree) struct profile_tree *before = NULL, *after = NULL;
        AUTO(difference) struct difference *difference = NULL;

        make_weights(0.3, 1);
        before = sample_program(n_samples);
        make_weights(0.3, 1.1);
        after = sample_program(measure == DIFFERENCE_OF_TIME ? n_samples * 103 / 100 : n_samples);
        assert_int_equal(difference_new(before, after, measure, &difference), 0);
        n += row_differs(difference, "f0");
    }
    return n;
}

static void difference__of_a_function_that_takes_a_tenth_more__is_found(void **state)
{
    const size_t shares = count_found(DIFFERENCE_OF_SHARES, 30000);
    const size_t time = count_found(DIFFERENCE_OF_TIME, 30000);

    (void)state;
    print_message("found of 100: %zu by shares, %zu by time\n", shares, time);
    assert_true(shares >= 85 && time >= 95);
}

/* Two trees of few stacks, over so many seconds. */
static struct profile_tree *tree_from(const char *stack, size_t n, const char *other,
                                      size_t n_other, unsigned seconds)
{
    AUTO(profile_store) struct profile_store *store = store_of(&roomy);

    add_stack(store, 0, BEGIN, stack, n);
    add_stack(store, 0, BEGIN, other, n_other);
    return tree_of(store, PROFILE_MACHINE, "", BEGIN, BEGIN + seconds * SECOND);
}

static void difference__of_two_trees__has_the_nodes_of_both(void **state)
{
    AUTO(profile_tree) struct profile_tree *before = tree_from("main;a", 30, "main;b", 10, 4);
    AUTO(profile_tree) struct profile_tree *after = tree_from("main;b", 60, "main;c;c", 20, 8);
    AUTO(difference) struct difference *difference = NULL;

    (void)state;
    assert_int_equal(difference_new(before, after, DIFFERENCE_OF_SHARES, &difference), 0);
    assert_int_equal(difference->n_nodes, 6); /* root, main, a, b, c, c of c */
    assert_int_equal(difference->samples[0], 40);
    assert_int_equal(difference->samples[1], 80);
    assert_int_equal(difference->nodes[0].total[1], 80);
    assert_int_equal(difference->n_rows, 4);
    assert_string_equal(difference->functions[difference->rows[0].function].name, "a");
    assert_true(fabs(difference->rows[0].change + 0.75) < 1e-9);
    for (size_t i = 0; i < difference->n_rows; i++) {
        const struct difference_row *row = &difference->rows[i];

        if (strcmp(difference->functions[row->function].name, "c") == 0) {
            assert_int_equal(row->self[1], 20);
            assert_int_equal(row->total[1], 20); /* recursion once */
        }
    }
}

static void difference__of_time__is_by_the_length_of_each_range(void **state)
{
    AUTO(profile_tree) struct profile_tree *before = tree_from("main;a", 100, "main;b", 100, 2);
    AUTO(profile_tree) struct profile_tree *after = tree_from("main;a", 200, "main;b", 400, 4);
    AUTO(difference) struct difference *difference = NULL;

    (void)state;
    assert_int_equal(difference_new(before, after, DIFFERENCE_OF_TIME, &difference), 0);
    /* half as much again as the 100 samples a second that it had */
    assert_true(fabs(difference->nodes[0].change - 50 * (double)PERIOD / 1e9) < 1e-6);
    assert_true(fabs(difference->rows[0].change - 50 * (double)PERIOD / 1e9) < 1e-6);
    assert_true(difference->rows[0].differs);
    assert_true(fabs(difference->rows[1].change) < 1e-6);
    assert_false(difference->rows[1].differs);
}

static void difference__with_nothing__shows_nothing_that_is_not_there(void **state)
{
    AUTO(profile_tree) struct profile_tree *before = tree_from("main;a", 30, "main;b", 10, 4);
    AUTO(profile_tree) struct profile_tree *nothing = tree_from("main;a", 1, "main;b", 1, 0);
    AUTO(difference) struct difference *difference = NULL;

    (void)state;
    assert_int_equal(nothing->nodes[0].total, 0);
    assert_int_equal(difference_new(before, nothing, DIFFERENCE_OF_SHARES, &difference), 0);
    assert_int_equal(count_differing(difference), 0);
}

static void difference__that_is_pruned__keeps_totals_rows_and_what_differs(void **state)
{
    AUTO(profile_tree) struct profile_tree *before = NULL, *after = NULL;
    AUTO(difference) struct difference *difference = NULL;
    uint64_t self[2] = {0};
    size_t n_rows;

    (void)state;
    make_weights(0.1, 1);
    before = sample_program(20000);
    make_weights(0.3, 1);
    after = sample_program(30000);
    assert_int_equal(difference_new(before, after, DIFFERENCE_OF_SHARES, &difference), 0);
    n_rows = difference->n_rows;
    assert_int_equal(difference_prune(difference, 50), 0);
    assert_in_range(difference->n_nodes, 25, 50);
    assert_int_equal(difference->n_rows, n_rows);
    assert_true(row_differs(difference, "f0"));
    for (size_t i = 0; i < difference->n_nodes; i++) {
        const struct difference_node *node = &difference->nodes[i];

        assert_true(i == 0 || (node->parent < i && node->function < difference->n_functions));
        for (size_t side = 0; side < 2; side++)
            self[side] += node->self[side];
    }
    assert_int_equal(self[0], 20000);
    assert_int_equal(self[1], 30000);
}

static int setup(void **state)
{
    const char *given = getenv("PMU_TEST_SEED");

    (void)state;
    seed = given ? (unsigned)strtoul(given, NULL, 10) : 4711;
    print_message("seed %u\n", seed);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(difference__of_one_program_and_itself__shows_nothing_in_19_of_20),
        cmocka_unit_test(difference__of_a_function_that_takes_a_tenth_more__is_found),
        cmocka_unit_test(difference__of_two_trees__has_the_nodes_of_both),
        cmocka_unit_test(difference__of_time__is_by_the_length_of_each_range),
        cmocka_unit_test(difference__that_is_pruned__keeps_totals_rows_and_what_differs),
        cmocka_unit_test(difference__with_nothing__shows_nothing_that_is_not_there),
    };

    return cmocka_run_group_tests(tests, setup, NULL);
}
