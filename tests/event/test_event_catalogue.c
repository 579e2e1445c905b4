/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <stdlib.h>

#include "event/event_catalogue.h"
#include "event/resolver.h"
#include "support/fixture_tree.h"

static const struct event_listing cycles = {.kind = EVENT_HARDWARE,
                                            .name = "cycles",
                                            .alias = "cpu-cycles",
                                            .description = "Cycles of the clock",
                                            .pmu = "cpu"};

static bool wants(const char *pattern)
{
    const struct event_catalogue_filter filter = {.patterns = &pattern, .n_patterns = 1};

    return event_catalogue_is_wanted(&filter, &cycles);
}

static void a_plain_pattern_fits_a_part_of_name_alias_or_description(void **state)
{
    (void)state;
    assert_true(wants("cyc"));
    assert_true(wants("CPU-"));
    assert_true(wants("the clock"));
    assert_false(wants("cpu-clock"));
}

static void a_pattern_with_a_wildcard_fits_the_whole(void **state)
{
    (void)state;
    assert_true(wants("c*s"));
    assert_true(wants("cpu-?ycles"));
    assert_true(wants("*clock"));
    assert_true(wants("[C]YCLES"));
    assert_false(wants("ycle?"));
}

static void one_of_several_patterns_is_enough_and_kind_and_pmu_must_fit_too(void **state)
{
    const char *patterns[] = {"instructions", "cycles"};
    struct event_catalogue_filter filter = {.patterns = patterns, .n_patterns = 2};

    (void)state;
    assert_true(event_catalogue_is_wanted(&filter, &cycles));
    filter.pmu = "cpu*";
    filter.kinds[EVENT_HARDWARE] = true;
    assert_true(event_catalogue_is_wanted(&filter, &cycles));
    filter.pmu = "cp";
    assert_false(event_catalogue_is_wanted(&filter, &cycles));
    filter.pmu = NULL;
    filter.kinds[EVENT_HARDWARE] = false;
    filter.kinds[EVENT_CACHE] = true;
    assert_false(event_catalogue_is_wanted(&filter, &cycles));
}

static void nothing_asked_for_is_everything(void **state)
{
    const struct event_catalogue_filter filter = {0};

    (void)state;
    assert_true(event_catalogue_is_wanted(&filter, &cycles));
}

static void the_list_is_in_order_and_has_each_name_once(void **state)
{
    struct fixture_tree tree = fixture_tree_open();
    const struct event_catalogue_filter filter = {0};
    struct event_catalogue catalogue AUTO_EVENT_CATALOGUE = {0};
    AUTO(event_resolver) struct event_resolver *resolver = NULL;

    (void)state;
    fixture_tree_write(&tree, "kernel/tracing/events/b/p10/id", "10\n");
    fixture_tree_write(&tree, "kernel/tracing/events/b/p9/id", "9\n");
    fixture_tree_write(&tree, "kernel/tracing/events/a/z/id", "8\n");
    assert_int_equal(event_resolver_new(tree.fd, &resolver), 0);
    assert_int_equal(event_catalogue_read(resolver, &filter, &catalogue), 0);
    assert_true(catalogue.n > 20);
    assert_string_equal(catalogue.entries[0].name, "branch-misses");
    for (size_t i = 1; i < catalogue.n; i++) {
        assert_true(catalogue.entries[i - 1].kind <= catalogue.entries[i].kind);
        assert_string_not_equal(catalogue.entries[i - 1].name, catalogue.entries[i].name);
    }
    assert_string_equal(catalogue.entries[catalogue.n - 3].name, "a:z");
    assert_string_equal(catalogue.entries[catalogue.n - 2].name, "b:p9");
    assert_string_equal(catalogue.entries[catalogue.n - 1].name, "b:p10");
    fixture_tree_close(&tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_pattern_fits_a_part_of_name_alias_or_description),
        cmocka_unit_test(a_pattern_with_a_wildcard_fits_the_whole),
        cmocka_unit_test(one_of_several_patterns_is_enough_and_kind_and_pmu_must_fit_too),
        cmocka_unit_test(nothing_asked_for_is_everything),
        cmocka_unit_test(the_list_is_in_order_and_has_each_name_once),
    };

    return cmocka_run_group_tests_name("tool_catalogue", tests, NULL, NULL);
}
