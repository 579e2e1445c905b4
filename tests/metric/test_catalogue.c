/* SPDX-License-Identifier: Apache-2.0 */
#include "metric/metric_fixture.h"

#include <string.h>

#include "metric/catalogue.h"

static const struct family *find(const struct catalogue *catalogue, const char *name)
{
    const struct family *found = NULL;

    for (size_t i = 0; i < catalogue->n_families; i++) {
        if (strcmp(catalogue->families[i].name, name) != 0)
            continue;
        assert_null(found); /* once */
        found = &catalogue->families[i];
    }
    if (!found)
        fail_msg("there is no family %s", name);
    return found;
}

static void check_use(const struct family *family, size_t index, size_t plan, size_t column)
{
    assert_true(index < family->n_uses);
    assert_int_equal(family->uses[index].plan, plan);
    assert_int_equal(family->uses[index].index, column);
}

static void family__is_all_columns_of_one_name(void **state)
{
    AUTO(plan) struct plan *both = fixture_plan("pmu_cgroup_", 0, 2);
    AUTO(plan) struct plan *machine = fixture_plan("pmu_machine_", 0, 1);
    AUTO(plan) struct plan *moves = fixture_plan("pmu_cgroup_", 1, 1);
    struct plan *plans[] = {both, machine, moves};
    AUTO(catalogue) struct catalogue *catalogue = NULL;
    const struct family *family;

    (void)state;
    assert_int_equal(catalogue_new(plans, 3, NULL, 0, &catalogue), 0);
    assert_int_equal(catalogue->n_plans, 3);
    assert_int_equal(catalogue->n_families, 5);
    family = find(catalogue, "pmu_cgroup_start_time_seconds");
    assert_int_equal(family->n_uses, 2);
    check_use(family, 0, 0, 0);
    check_use(family, 1, 2, 0);
    family = find(catalogue, "pmu_cgroup_faults_total");
    assert_int_equal(family->n_uses, 1);
    check_use(family, 0, 0, 1);
    family = find(catalogue, "pmu_cgroup_moves_total");
    assert_int_equal(family->n_uses, 2);
    check_use(family, 0, 0, 2);
    check_use(family, 1, 2, 1);
    check_use(find(catalogue, "pmu_machine_start_time_seconds"), 0, 1, 0);
    check_use(find(catalogue, "pmu_machine_faults_total"), 0, 1, 1);
}

static void family__is_described_as_the_first_column_of_its_name(void **state)
{
    AUTO(plan) struct plan *plan = fixture_plan("pmu_cgroup_", 0, 1);
    AUTO(plan) struct plan *same = fixture_plan("pmu_cgroup_", 0, 1);
    struct plan *plans[] = {plan, same};
    AUTO(catalogue) struct catalogue *catalogue = NULL;
    const struct family *family;

    (void)state;
    assert_int_equal(catalogue_new(plans, 2, NULL, 0, &catalogue), 0);
    family = find(catalogue, "pmu_cgroup_faults_total");
    assert_ptr_equal(family->name, plan->columns[1].name);
    assert_ptr_equal(family->help, plan->columns[1].help);
    assert_int_equal(family->type, FAMILY_COUNTER);
    family = find(catalogue, "pmu_cgroup_start_time_seconds");
    assert_int_equal(family->type, FAMILY_GAUGE);
}

static void catalogue__of_nothing_is_empty(void **state)
{
    AUTO(catalogue) struct catalogue *catalogue = NULL;

    (void)state;
    assert_int_equal(catalogue_new(NULL, 0, NULL, 0, &catalogue), 0);
    assert_int_equal(catalogue->n_plans, 0);
    assert_int_equal(catalogue->n_families, 0);
    assert_int_equal(catalogue->n_events, 0);
}

/* Drops the first reference to a plan: ASan sees whether the catalogue has one of its own. */
static void catalogue__keeps_its_plans_alive(void **state)
{
    struct plan *plan = fixture_plan("pmu_cgroup_", 0, 2);
    AUTO(catalogue) struct catalogue *catalogue = NULL;

    (void)state;
    assert_int_equal(catalogue_new(&plan, 1, NULL, 0, &catalogue), 0);
    plan = plan_unref(plan);
    assert_string_equal(catalogue->plans[0]->prefix, "pmu_cgroup_");
    assert_string_equal(find(catalogue, "pmu_cgroup_faults_total")->name,
                        "pmu_cgroup_faults_total");
}

static void catalogue__lives_until_its_last_reference_is_dropped(void **state)
{
    AUTO(plan) struct plan *plan = fixture_plan("pmu_cgroup_", 0, 1);
    struct catalogue *catalogue = NULL;

    (void)state;
    assert_int_equal(catalogue_new(&plan, 1, NULL, 0, &catalogue), 0);
    assert_ptr_equal(catalogue_ref(catalogue), catalogue);
    assert_null(catalogue_unref(catalogue));
    assert_int_equal(catalogue->n_families, 2);
    assert_null(catalogue_unref(catalogue));
    assert_null(catalogue_unref(NULL));
}

static void events__are_copied(void **state)
{
    char metric[] = "pmu_cgroup_faults_total", event[] = "faults", group[] = "software",
         pmu[] = "software", encoding[] = "type=1", none[] = "";
    const struct event_status statuses[] = {
        {"cgroup", metric, event, group, pmu, encoding, ABSENCE_NONE},
        {"system", none, event, group, none, none, ABSENCE_NOT_SUPPORTED},
    };
    AUTO(catalogue) struct catalogue *catalogue = NULL;

    (void)state;
    assert_int_equal(catalogue_new(NULL, 0, statuses, 2, &catalogue), 0);
    for (char *string = metric; *string; string++)
        *string = 'x';
    event[0] = group[0] = pmu[0] = encoding[0] = 'x';
    assert_int_equal(catalogue->n_events, 2);
    assert_string_equal(catalogue->events[0].scope, "cgroup");
    assert_string_equal(catalogue->events[0].metric, "pmu_cgroup_faults_total");
    assert_string_equal(catalogue->events[0].event, "faults");
    assert_string_equal(catalogue->events[0].group, "software");
    assert_string_equal(catalogue->events[0].pmu, "software");
    assert_string_equal(catalogue->events[0].encoding, "type=1");
    assert_int_equal(catalogue->events[0].absence, ABSENCE_NONE);
    assert_string_equal(catalogue->events[1].scope, "system");
    assert_string_equal(catalogue->events[1].metric, "");
    assert_int_equal(catalogue->events[1].absence, ABSENCE_NOT_SUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(family__is_all_columns_of_one_name),
        cmocka_unit_test(family__is_described_as_the_first_column_of_its_name),
        cmocka_unit_test(catalogue__of_nothing_is_empty),
        cmocka_unit_test(catalogue__keeps_its_plans_alive),
        cmocka_unit_test(catalogue__lives_until_its_last_reference_is_dropped),
        cmocka_unit_test(events__are_copied),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
