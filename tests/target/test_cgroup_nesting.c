/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <stdlib.h>
#include <string.h>

#include "support/fixture_tree.h"
#include "target/cgroup_nesting.h"

#define MOST 8

struct expected {
    const char *path;
    size_t counters;
    bool holds, will_hold;
};

static void check(const struct expected *expected, size_t n, size_t budget, size_t longest)
{
    struct nested_cgroup cgroups[MOST];

    for (size_t i = 0; i < n; i++)
        cgroups[i] = (struct nested_cgroup){.path = expected[i].path,
                                            .counters = expected[i].counters,
                                            .holds = expected[i].holds,
                                            .owner = (void *)(uintptr_t)&expected[i]};
    assert_int_equal(cgroup_nesting_admit(cgroups, n, budget), longest);
    for (size_t i = 0; i < n; i++) {
        const struct expected *one = cgroups[i].owner;

        if (cgroups[i].holds != one->will_hold)
            fail_msg("%s of %zu: %d", one->path, budget, cgroups[i].holds);
    }
}

#define CHECK(budget, longest, ...)                                                                \
    do {                                                                                           \
        static const struct expected expected[] = {__VA_ARGS__};                                   \
        check(expected, ARRAY_SIZE(expected), budget, longest);                                    \
    } while (0)

static void admit__those_that_do_not_nest_share_nothing(void **state)
{
    (void)state;
    check(NULL, 0, 3, 0);
    CHECK(3, 3, {"/c", 3, 0, 1}, {"/a", 3, 0, 1}, {"/b", 2, 0, 1});
    CHECK(3, 3, {"/a", 3, 0, 1}, {"/a-b", 3, 0, 1}, {"/ab", 3, 0, 1}, {"/a b", 3, 0, 1});
}

static void admit__one_that_takes_more_than_there_is_gets_none(void **state)
{
    (void)state;
    CHECK(3, 2, {"/a", 4, 0, 0}, {"/a/b", 2, 0, 1});
}

static void admit__a_chain_takes_no_more_than_the_budget_and_ancestors_come_first(void **state)
{
    (void)state;
    CHECK(4, 4, {"/a/b/c", 2, 0, 0}, {"/a", 2, 0, 1}, {"/a/b", 2, 0, 1});
    CHECK(4, 4, {"/a", 2, 0, 1}, {"/a/b", 2, 0, 1}, {"/a/c", 2, 0, 1}, {"/a/c/d", 1, 0, 0},
          {"/a-b/c", 4, 0, 1});
    CHECK(6, 6, {"/a/b/c", 2, 0, 1}, {"/a", 2, 0, 1}, {"/a/b", 2, 0, 1});
}

static void admit__who_holds_counters_keeps_them(void **state)
{
    (void)state;
    /* a newcomer below the others takes part */
    CHECK(3, 3, {"/a", 3, 1, 1}, {"/a/b", 3, 0, 0});
    /* so does a newcomer above them, which was not in the set before */
    CHECK(3, 3, {"/a", 3, 0, 0}, {"/a/b", 3, 1, 1});
    /* of the chains below the longest counts, not their sum */
    CHECK(5, 5, {"/a", 2, 0, 1}, {"/a/b", 3, 1, 1}, {"/a/c", 3, 1, 1});
    CHECK(5, 5, {"/a", 1, 0, 0}, {"/a/b", 3, 1, 1}, {"/a/b/c", 2, 1, 1}, {"/a/d", 1, 1, 1});
    /* cgroups may hold more than the budget, if it was larger before */
    CHECK(1, 4, {"/a", 2, 1, 1}, {"/a/b", 2, 1, 1}, {"/a/c", 1, 0, 0});
}

static void admit__the_root_is_above_all(void **state)
{
    (void)state;
    CHECK(3, 3, {"/a", 2, 0, 0}, {"/", 2, 0, 1}, {"/b", 1, 0, 1});
}

static void admit__ancestors_that_are_not_counted_take_nothing(void **state)
{
    (void)state;
    CHECK(3, 3, {"/a", 1, 0, 1}, {"/a/x/y/z", 2, 0, 1}, {"/a/x/y/z/v/w", 1, 0, 0});
}

static struct cgroup_rules *make_rules(const char *const *patterns, size_t n)
{
    struct cgroup_rules *rules = NULL;

    assert_int_equal(cgroup_rules_new(&rules), 0);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(cgroup_rules_add(rules, &patterns[i], 1, NULL, 0), 0);
    return rules;
}

static struct pmu_chains *read_chains(const char *const *patterns, size_t n)
{
    static const char *const directories[] = {"a/b/c/d/", "a/b-c/", "e/f/", "a/b/g/", "h/"};
    struct fixture_tree tree = fixture_tree_open();
    AUTO(cgroup_rules) struct cgroup_rules *rules = make_rules(patterns, n);
    struct pmu_chains *chains = NULL;

    for (size_t i = 0; i < ARRAY_SIZE(directories); i++)
        fixture_tree_make_directories(&tree, directories[i]);
    fixture_tree_write(&tree, "a/file", "");
    assert_int_equal(cgroup_nesting_read(tree.fd, rules, n, &chains), 0);
    fixture_tree_close(&tree);
    return chains;
}

static void read__finds_no_chain_where_nothing_nests(void **state)
{
    static const char *const patterns[] = {"/*", "/e/f"};
    AUTO(pmu_chains) struct pmu_chains *chains = read_chains(patterns, 1);

    (void)state;
    assert_int_equal(chains->n, 0);
}

static void read__counts_the_targets_of_each_rule_in_a_chain(void **state)
{
    static const char *const patterns[] = {"/a/b/*", "/**"};
    static const uint16_t through_c[] = {1, 3};
    AUTO(pmu_chains) struct pmu_chains *chains = read_chains(patterns, 2);

    (void)state;
    /* a, b and d by the second rule, c by the first; what else there is, it contains */
    assert_int_equal(chains->n, 1);
    assert_memory_equal(chains->depths, through_c, sizeof(through_c));
}

static void read__the_root_is_a_level(void **state)
{
    static const char *const patterns[] = {"/", "/h"};
    static const uint16_t both[] = {1, 1};
    AUTO(pmu_chains) struct pmu_chains *chains = read_chains(patterns, 2);

    (void)state;
    assert_int_equal(chains->n, 1);
    assert_memory_equal(chains->depths, both, sizeof(both));
}

static void read__goes_a_hundred_levels_deep_and_no_further(void **state)
{
    static const char *const all = "/**";
    struct fixture_tree tree = fixture_tree_open();
    AUTO(cgroup_rules) struct cgroup_rules *rules = make_rules(&all, 1);
    AUTO(pmu_chains) struct pmu_chains *chains = NULL;
    char path[256];

    (void)state;
    for (size_t i = 0; i < 240; i += 2)
        memcpy(path + i, "d/", 3);
    fixture_tree_make_directories(&tree, path);
    assert_int_equal(cgroup_nesting_read(tree.fd, rules, 1, &chains), 0);
    fixture_tree_close(&tree);
    assert_int_equal(chains->n, 1);
    assert_int_equal(chains->depths[0], 100);
}

static void read__fails_where_there_is_no_tree(void **state)
{
    static const char *const all = "/**";
    AUTO(cgroup_rules) struct cgroup_rules *rules = make_rules(&all, 1);
    struct pmu_chains *chains = NULL;

    (void)state;
    assert_true(cgroup_nesting_read(-1, rules, 1, &chains) < 0);
    assert_null(chains);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(admit__those_that_do_not_nest_share_nothing),
        cmocka_unit_test(admit__one_that_takes_more_than_there_is_gets_none),
        cmocka_unit_test(admit__a_chain_takes_no_more_than_the_budget_and_ancestors_come_first),
        cmocka_unit_test(admit__who_holds_counters_keeps_them),
        cmocka_unit_test(admit__the_root_is_above_all),
        cmocka_unit_test(admit__ancestors_that_are_not_counted_take_nothing),
        cmocka_unit_test(read__finds_no_chain_where_nothing_nests),
        cmocka_unit_test(read__counts_the_targets_of_each_rule_in_a_chain),
        cmocka_unit_test(read__the_root_is_a_level),
        cmocka_unit_test(read__goes_a_hundred_levels_deep_and_no_further),
        cmocka_unit_test(read__fails_where_there_is_no_tree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
