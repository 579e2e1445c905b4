/* SPDX-License-Identifier: Apache-2.0 */
/* Which families a page has, of those that there are. */
#include "expose/exposition_fixture.h"

/* Writes the families that are called so. */
static int choose(struct fixture *f, const char *first, const char *second, bool is_stale)
{
    const char *const names[] = {first, second};
    const struct exposition_order order = {.names = names, .n_names = second ? 2 : 1};
    struct exposition_facts facts = fresh;

    facts.stale = is_stale;
    return write_it(f, 1, &facts, &order);
}

static void names__choose_families_by_their_name_in_either_format(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(choose(f, "pmu_cgroup_faults_total", "pmu_cgroup", false), 0);
    assert_has(f->text.data, "\npmu_cgroup_faults_total{");
    assert_has(f->text.data, "\npmu_cgroup_info{");
    assert_null(strstr(f->text.data, "pmu_cgroup_start_time_seconds"));
    assert_null(strstr(f->text.data, "pmu_exporter"));
    assert_int_equal(choose(f, "pmu_cgroup_faults", "pmu_exporter_build_info", false), 0);
    assert_has(f->text.data, "\npmu_cgroup_faults_total{");
    assert_has(f->text.data, "\npmu_exporter_build_info{");
    assert_null(strstr(f->text.data, "pmu_cgroup_info"));
}

static void names__of_families_without_samples_are_known(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(
        choose(f, "pmu_exporter_pause_end_timestamp_seconds", "process_open_fds", false), 0);
    assert_string_equal(f->text.data, "");
    assert_int_equal(choose(f, "pmu_cgroup_faults_total", "pmu_exporter_http_connections", true),
                     0);
    assert_string_equal(f->text.data, "");
}

static void names__that_are_unknown_are_refused_with_what_was_meant(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(choose(f, "pmu_cgroup_faults_total", "pmu_cgroup_fault_total", false),
                     -EINVAL);
    assert_string_equal(f->text.data, "there is no metric family pmu_cgroup_fault_total; did you "
                                      "mean pmu_cgroup_faults_total?\n");
    assert_int_equal(choose(f, "up", NULL, false), -EINVAL);
    assert_string_equal(f->text.data, "there is no metric family up\n");
}

static void names__that_could_be_none_are_not_repeated(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(choose(f, "\033[2J", NULL, false), -EINVAL);
    assert_null(strchr(f->text.data, '\033'));
    assert_int_equal(choose(f, "", NULL, false), -EINVAL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(names__choose_families_by_their_name_in_either_format),
        TEST(names__of_families_without_samples_are_known),
        TEST(names__that_are_unknown_are_refused_with_what_was_meant),
        TEST(names__that_could_be_none_are_not_repeated),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
