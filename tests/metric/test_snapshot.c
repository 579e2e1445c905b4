/* SPDX-License-Identifier: Apache-2.0 */
#include "metric/metric_fixture.h"

#include <pthread.h>

#include "metric/snapshot.h"

/* There are accounts of two plans in turn. Their totals are absent until something is counted. */
struct fixture {
    struct plan *plans[2];
    struct account *accounts[3];
    struct roster *roster;
};

static int set_up(void **state)
{
    static struct fixture fixture;
    AUTO(catalogue) struct catalogue *catalogue = NULL;

    fixture.plans[0] = fixture_plan("pmu_machine_", 0, 1);
    fixture.plans[1] = fixture_plan("pmu_cgroup_", 0, 2);
    fixture.accounts[0] = fixture_account(fixture.plans[1], "/a", 5);
    fixture.accounts[1] = fixture_account(fixture.plans[0], "/", 6);
    fixture.accounts[2] = fixture_account(fixture.plans[1], "/b", 7);
    assert_int_equal(catalogue_new(fixture.plans, 2, NULL, 0, &catalogue), 0);
    assert_int_equal(roster_new(catalogue, fixture.accounts, 3, &fixture.roster), 0);
    *state = &fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    for (size_t i = 0; i < ARRAY_SIZE(f->accounts); i++)
        f->accounts[i] = account_free(f->accounts[i]);
    (void)roster_unref(f->roster);
    (void)plan_unref(f->plans[0]);
    (void)plan_unref(f->plans[1]);
    return 0;
}

static struct snapshot *take(const struct fixture *f, uint64_t cycles)
{
    const struct exporter_status status = {.cycles = cycles};
    struct snapshot *snapshot = snapshot_new(f->roster, f->accounts, 3, &status);

    assert_non_null(snapshot);
    return snapshot;
}

static void snapshot__has_each_row_where_the_roster_says(void **state)
{
    static const uint64_t hidden = NUMBER_ABSENT_COUNT; /* whether the group is unknown */
    const uint64_t numbers[] = {6, 60, hidden, 5, 50, 51, hidden, 7, 70, 71, hidden};
    struct fixture *f = *state;
    AUTO(snapshot) struct snapshot *snapshot = NULL;

    f->accounts[0]->row[1].count = 50;
    f->accounts[0]->row[2].count = 51;
    f->accounts[1]->row[1].count = 60;
    f->accounts[2]->row[1].count = 70;
    f->accounts[2]->row[2].count = 71;
    snapshot = take(f, 3);
    assert_int_equal(snapshot->roster->n_numbers, ARRAY_SIZE(numbers));
    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
        assert_int_equal(snapshot->numbers[i].count, numbers[i]);
    assert_int_equal(snapshot->status.cycles, 3);
}

/* The machine's plan comes first, then both cgroups. */
static void snapshot__has_times_on_cpus_for_each_row_where_it_was_given_them(void **state)
{
    struct fixture *f = *state;
    AUTO(snapshot) struct snapshot *snapshot = take(f, 1);
    AUTO(cpu_list) struct cpu_list *cpus = NULL;

    assert_null(snapshot->cpus);
    assert_int_equal(cpu_list_parse("0,3", &cpus), 0);
    snapshot->cpus = snapshot_cpus_new(f->roster, cpus);
    assert_non_null(snapshot->cpus);
    assert_int_equal(snapshot->cpus->n_cpus, 2);
    assert_int_equal(snapshot->cpus->numbers[1], 3);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(snapshot->cpus->ran_ns[i], NUMBER_ABSENT_COUNT);
    assert_ptr_equal(snapshot_cpus_row(snapshot->cpus, f->roster, 1), snapshot->cpus->ran_ns);
    assert_ptr_equal(snapshot_cpus_row(snapshot->cpus, f->roster, 0), snapshot->cpus->ran_ns + 2);
    assert_ptr_equal(snapshot_cpus_row(snapshot->cpus, f->roster, 2), snapshot->cpus->ran_ns + 4);
}

/* Where a machine lacks all events of a group, its targets are shown without a number. */
static void snapshot__has_times_on_cpus_also_for_rows_without_numbers(void **state)
{
    const struct plan_spec spec = {.prefix = "pmu_system_", .target = "it"};
    AUTO(event_groups) struct event_groups *groups = NULL;
    AUTO(catalogue) struct catalogue *catalogue = NULL;
    AUTO(cpu_list) struct cpu_list *cpus = NULL;
    AUTO(roster) struct roster *roster = NULL;
    struct account *accounts[3];
    struct snapshot_cpus *times;
    struct plan *plans[2];

    (void)state;
    assert_int_equal(event_groups_new(SCOPE_SYSTEM, NULL, 0, &groups), 0);
    assert_int_equal(plan_new(&spec, groups, &plans[0]), 0);
    assert_int_equal(plans[0]->n_numbers, 0);
    plans[1] = fixture_plan("pmu_cgroup_", 0, 1);
    accounts[0] = fixture_account(plans[0], "0", 1);
    accounts[1] = fixture_account(plans[1], "/a", 2);
    accounts[2] = fixture_account(plans[0], "1", 3);
    assert_int_equal(catalogue_new(plans, 2, NULL, 0, &catalogue), 0);
    assert_int_equal(roster_new(catalogue, accounts, 3, &roster), 0);
    assert_int_equal(cpu_list_parse("0,3", &cpus), 0);
    times = snapshot_cpus_new(roster, cpus);
    assert_non_null(times);
    assert_ptr_equal(snapshot_cpus_row(times, roster, 0), times->ran_ns);
    assert_ptr_equal(snapshot_cpus_row(times, roster, 2), times->ran_ns + 2);
    assert_ptr_equal(snapshot_cpus_row(times, roster, 1), times->ran_ns + 4);
    (void)snapshot_cpus_free(times);
    for (size_t i = 0; i < ARRAY_SIZE(accounts); i++)
        (void)account_free(accounts[i]);
    for (size_t i = 0; i < ARRAY_SIZE(plans); i++)
        (void)plan_unref(plans[i]);
}

static void snapshot__has_the_rows_as_they_were(void **state)
{
    struct fixture *f = *state;
    AUTO(snapshot) struct snapshot *snapshot = NULL;

    f->accounts[0]->row[1].count = 10;
    snapshot = take(f, 1);
    f->accounts[0]->row[1].count = 100;
    assert_int_equal(snapshot->numbers[f->roster->rows[0]].count, 5);
    assert_int_equal(snapshot->numbers[f->roster->rows[0] + 1].count, 10);
    assert_int_equal(snapshot->numbers[f->roster->rows[0] + 2].count, NUMBER_ABSENT_COUNT);
}

static const struct label label_b = {"cgroup", "/b"};

static void snapshot__finds_the_row_of_a_target_by_its_labels(void **state)
{
    struct fixture *f = *state;
    AUTO(snapshot) struct snapshot *snapshot = NULL;
    struct snapshot_row row = {0};

    f->accounts[2]->row[1].count = 70;
    snapshot = take(f, 1);
    assert_true(snapshot_find(snapshot, &label_b, 1, &row));
    assert_ptr_equal(row.plan, f->plans[1]);
    assert_ptr_equal(row.identity, f->accounts[2]->identity);
    assert_ptr_equal(row.numbers, &snapshot->numbers[f->roster->rows[2]]);
    assert_int_equal(row.numbers[0].count, 7);
    assert_int_equal(snapshot_row_number(&row, "pmu_cgroup_faults_total", NULL)->count, 70);
}

static void snapshot__finds_no_row_of_other_labels(void **state)
{
    static const struct label others[] = {{"cgroup", "/"}, {"cgroup", "/b/c"}, {"groupname", "/b"}};
    AUTO(snapshot) struct snapshot *snapshot = take(*state, 1);
    struct snapshot_row row = {0};

    assert_true(snapshot_find(snapshot, &others[0], 1, &row));
    assert_false(snapshot_find(snapshot, &others[1], 1, &row));
    assert_false(snapshot_find(snapshot, &others[2], 1, &row));
    assert_false(snapshot_find(snapshot, others, 2, &row));
    assert_false(snapshot_find(snapshot, NULL, 0, &row));
    assert_int_equal(row.numbers[0].count, 6); /* what is not found changes nothing */
}

static void row__has_a_number_for_each_family_of_its_plan_and_no_other(void **state)
{
    AUTO(snapshot) struct snapshot *snapshot = take(*state, 1);
    struct snapshot_row row;

    assert_true(snapshot_find(snapshot, &label_b, 1, &row));
    for (size_t i = 0; i < row.plan->n_columns; i++)
        assert_ptr_equal(snapshot_row_number(&row, row.plan->columns[i].name, NULL),
                         &row.numbers[i]);
    assert_null(snapshot_row_number(&row, "pmu_machine_faults_total", NULL));
    assert_null(snapshot_row_number(&row, "pmu_cgroup_faults_total", "software"));
}

/* All others drop their references: ASan sees whether the snapshot has one of its own. */
static void snapshot__keeps_its_roster_alive(void **state)
{
    struct fixture *f = *state;
    AUTO(snapshot) struct snapshot *snapshot = take(f, 1);

    for (size_t i = 0; i < ARRAY_SIZE(f->accounts); i++)
        f->accounts[i] = account_free(f->accounts[i]);
    f->roster = roster_unref(f->roster);
    assert_int_equal(snapshot->roster->parts[1].n, 2);
}

static void snapshot__lives_until_its_last_reference_is_dropped(void **state)
{
    struct snapshot *snapshot = take(*state, 4);

    assert_ptr_equal(snapshot_ref(snapshot), snapshot);
    assert_null(snapshot_unref(snapshot));
    assert_int_equal(snapshot->status.cycles, 4);
    assert_null(snapshot_unref(snapshot));
    assert_null(snapshot_unref(NULL));
}

static void slot__has_nothing_before_the_first_snapshot(void **state)
{
    AUTO(snapshot_slot) struct snapshot_slot *slot = snapshot_slot_new();

    (void)state;
    assert_null(snapshot_slot_get(slot));
    assert_null(snapshot_slot_free(NULL));
}

static void slot__numbers_snapshots_and_keeps_one_alive_for_its_readers(void **state)
{
    AUTO(snapshot_slot) struct snapshot_slot *slot = snapshot_slot_new();
    AUTO(snapshot) struct snapshot *first = NULL, *second = NULL, *again = NULL;

    snapshot_slot_publish(slot, take(*state, 1));
    first = snapshot_slot_get(slot);
    snapshot_slot_publish(slot, take(*state, 2));
    second = snapshot_slot_get(slot);
    again = snapshot_slot_get(slot);
    assert_int_equal(first->sequence, 1);
    assert_int_equal(first->status.cycles, 1);
    assert_int_equal(second->sequence, 2);
    assert_int_equal(second->status.cycles, 2);
    assert_ptr_equal(second, again);
}

static void slot__leaves_its_snapshot_to_readers_that_outlive_it(void **state)
{
    struct snapshot_slot *slot = snapshot_slot_new();
    AUTO(snapshot) struct snapshot *snapshot = NULL;

    snapshot_slot_publish(slot, take(*state, 1));
    snapshot = snapshot_slot_get(slot);
    assert_null(snapshot_slot_free(slot));
    assert_int_equal(snapshot->sequence, 1);
}

#define PUBLISHED 2000

/* Reads until the last snapshot has come. Returns how many snapshots were wrong. */
static void *read_all(void *argument)
{
    struct snapshot_slot *slot = argument;
    uint64_t before = 0;
    uintptr_t n_wrong = 0;

    while (before < PUBLISHED) {
        AUTO(snapshot) struct snapshot *snapshot = snapshot_slot_get(slot);

        if (!snapshot)
            continue;
        n_wrong += snapshot->sequence < before || snapshot->status.cycles != snapshot->sequence;
        before = snapshot->sequence;
    }
    return (void *)n_wrong;
}

static void slot__may_be_read_while_it_is_written(void **state)
{
    AUTO(snapshot_slot) struct snapshot_slot *slot = snapshot_slot_new();
    pthread_t reader;
    void *n_wrong = NULL;

    assert_int_equal(pthread_create(&reader, NULL, read_all, slot), 0);
    for (uint64_t i = 1; i <= PUBLISHED; i++)
        snapshot_slot_publish(slot, take(*state, i));
    assert_int_equal(pthread_join(reader, &n_wrong), 0);
    assert_null(n_wrong);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(snapshot__has_each_row_where_the_roster_says),
        TEST(snapshot__has_times_on_cpus_for_each_row_where_it_was_given_them),
        TEST(snapshot__has_times_on_cpus_also_for_rows_without_numbers),
        TEST(snapshot__has_the_rows_as_they_were),
        TEST(snapshot__finds_the_row_of_a_target_by_its_labels),
        TEST(snapshot__finds_no_row_of_other_labels),
        TEST(row__has_a_number_for_each_family_of_its_plan_and_no_other),
        TEST(snapshot__keeps_its_roster_alive),
        TEST(snapshot__lives_until_its_last_reference_is_dropped),
        TEST(slot__has_nothing_before_the_first_snapshot),
        TEST(slot__numbers_snapshots_and_keeps_one_alive_for_its_readers),
        TEST(slot__leaves_its_snapshot_to_readers_that_outlive_it),
        TEST(slot__may_be_read_while_it_is_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
