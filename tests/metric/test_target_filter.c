/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <errno.h>

#include "metric/target_filter.h"

static const struct {
    const char *prefix;
    struct label labels[2];
    size_t n;
    const char *name;
} targets[] = {
    {"pmu_machine_", {{0}}, 0, "machine"},
    {"pmu_cgroup_", {{"cgroup", "/a b/\xc3\xa9:&,%"}}, 1, "cgroup:/a b/\xc3\xa9:&,%"},
    {"pmu_cgroup_", {{"cgroup", "/"}}, 1, "cgroup:/"},
    {"pmu_process_", {{"groupname", "nginx"}}, 1, "process:nginx"},
    {"pmu_process_", {{"groupname", "/"}}, 1, "process:/"},
    {"pmu_cpu_", {{"cpu", "1"}}, 1, "cpu:1"},
    {"pmu_cpu_", {{"cpu", "11"}}, 1, "cpu:11"},
    {"pmu_uncore_", {{"pmu", "imc_0"}, {"socket", "1"}}, 2, "uncore:imc_0,1"},
    {"pmu_uncore_", {{"pmu", "imc_0"}, {"socket", ""}}, 2, "uncore:imc_0,"},
};

static void the_name_of_a_target_is_its_kind_and_what_identifies_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(targets); i++) {
        AUTO_TEXT struct text text = {0};
        AUTO_FREE char *name = NULL;

        target_filter_write(targets[i].prefix, targets[i].labels, targets[i].n, &text);
        name = text_take(&text);
        assert_string_equal(name, targets[i].name);
    }
}

static void a_name_matches_its_target_and_no_other(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(targets); i++)
        for (size_t j = 0; j < ARRAY_SIZE(targets); j++) {
            struct target_filter filter;

            assert_int_equal(target_filter_parse(targets[i].name, &filter), 0);
            assert_int_equal(
                target_filter_matches(&filter, targets[j].prefix, targets[j].labels, targets[j].n),
                i == j);
        }
}

static void what_does_not_have_the_form_is_refused(void **state)
{
    static const char *const bad[] = {
        "",        ":",     ":/a",      "machine:",  "machine:a", "cgroup",       "cgroup:",
        "cgroups", "cpus:", "cpu ",     "Cgroup:/a", "pid:1",     "pmu_cgroup:/", "m",
        "cgrou:/", "cpu",   "machines",
    };
    struct target_filter filter = {.kind = "untouched"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        if (target_filter_parse(bad[i], &filter) != -EINVAL)
            fail_msg("\"%s\" passes", bad[i]);
        assert_string_equal(filter.kind, "untouched");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_name_of_a_target_is_its_kind_and_what_identifies_it),
        cmocka_unit_test(a_name_matches_its_target_and_no_other),
        cmocka_unit_test(what_does_not_have_the_form_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
