/* SPDX-License-Identifier: Apache-2.0 */
#include "metric/metric_fixture.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "count/sample.h"
#include "expose/targets_json.h"
#include "metric/snapshot.h"
#include "sys/bpf/kvm/counts.h"

struct fixture {
    struct plan *plan;
    struct catalogue *catalogue;
    struct account *accounts[2];
    struct exporter_status status;
    json_t *root;
    struct targets_selection selection;
};

static int set_up_plan(struct plan *plan, void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    f->plan = plan;
    assert_int_equal(catalogue_new(&f->plan, 1, NULL, 0, &f->catalogue), 0);
    f->accounts[0] = fixture_account(f->plan, "/a\"b\\\n\xc3\xa9", UINT64_C(1700000000123456789));
    f->accounts[1] = fixture_account(f->plan, "/b", 1);
    f->status = (struct exporter_status){.interval_ns = 1500000000,
                                         .mechanisms[SCOPE_CGROUP] = {"bpf", "why"}};
    *state = f;
    return 0;
}

static int set_up(void **state)
{
    return set_up_plan(fixture_plan("pmu_cgroup_", 0, 2), state);
}

/* Its plan has a distribution and nothing else. */
static int set_up_histogram(void **state)
{
    const struct plan_spec spec = {
        .prefix = "pmu_cgroup_", .target = "it", .latency = LATENCY_KIND_OFF_CPU};
    AUTO(event_groups) struct event_groups *groups = NULL;
    struct plan *plan = NULL;

    assert_int_equal(event_groups_new(SCOPE_CGROUP, NULL, 0, &groups), 0);
    assert_int_equal(plan_new(&spec, groups, &plan), 0);
    return set_up_plan(plan, state);
}

/* Its plan has exits of guests and connections, by key. */
static int set_up_by_key(void **state)
{
    const struct plan_spec spec = {.prefix = "pmu_cgroup_",
                                   .target = "it",
                                   .start_time = true,
                                   .by_key = 1U << BREAKDOWN_KVM_EXITS | 1U << BREAKDOWN_TCP};
    AUTO(event_groups) struct event_groups *groups = NULL;
    struct plan *plan = NULL;

    assert_int_equal(event_groups_new(SCOPE_CGROUP, NULL, 0, &groups), 0);
    assert_int_equal(plan_new(&spec, groups, &plan), 0);
    return set_up_plan(plan, state);
}

/* An exit of a guest for this reason, which took 3 us and is in that bucket. */
static void count_exit(struct account *account, const char *reason, size_t bucket)
{
    uint64_t numbers[KEYED_TALLIES + KEYED_DISTRIBUTIONS * (KEYED_BUCKETS + 1)] = {[KVM_TALLY] = 1};
    AUTO(breakdown) struct breakdown *exits = breakdown_new(BREAKDOWN_KVM_EXITS);
    struct breakdown_line line = {0};

    (void)snprintf(line.labels[0], sizeof(line.labels[0]), "%s", reason);
    numbers[breakdown_first_bucket(BREAKDOWN_KVM_EXITS, 0) + bucket] = 1;
    numbers[breakdown_first_bucket(BREAKDOWN_KVM_EXITS, 0) + KEYED_BUCKETS] = 3000;
    assert_int_equal(breakdown_add(exits, &line, numbers), 0);
    account_add_breakdowns(account, &(struct breakdowns){.of[BREAKDOWN_KVM_EXITS] = exits});
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    json_decref(f->root);
    (void)account_free(f->accounts[0]);
    (void)account_free(f->accounts[1]);
    (void)catalogue_unref(f->catalogue);
    (void)plan_unref(f->plan);
    free(f);
    return 0;
}

/* Writes a snapshot of both accounts, and reads it by the library as any reader would. */
static json_t *written(struct fixture *f, const struct exposition_facts *facts)
{
    AUTO(roster) struct roster *roster = NULL;
    AUTO(snapshot) struct snapshot *snapshot = NULL;
    AUTO_TEXT struct text text = {0};
    json_error_t error;

    assert_int_equal(roster_new(f->catalogue, f->accounts, 2, &roster), 0);
    snapshot = snapshot_new(roster, f->accounts, 2, &f->status);
    snapshot->sequence = 7;
    snapshot->taken_ns = 86400250000000;
    snapshot->taken_realtime_ns = 1700000001250000000;
    assert_int_equal(targets_json_write(snapshot, facts, &f->selection, &text), 0);
    json_decref(f->root);
    f->root = json_loadb(text.data, text.length, JSON_REJECT_DUPLICATES, &error);
    if (!f->root)
        fail_msg("%s: %.*s", error.text, (int)text.length, text.data);
    return f->root;
}

static json_t *first_table(json_t *root)
{
    return json_array_get(json_object_get(root, "tables"), 0);
}

static json_t *row(json_t *root, size_t index)
{
    return json_array_get(json_object_get(first_table(root), "rows"), index);
}

static json_t *value(json_t *root, size_t index, size_t column)
{
    return json_array_get(json_object_get(row(root, index), "values"), column);
}

static const struct exposition_facts fresh = {0};

static void times_and_states_are_told(void **state)
{
    struct fixture *f = *state;
    const struct self_stats self = {.start_time_realtime_ns = 1700000000500000000};
    json_t *root = written(f, &(struct exposition_facts){.self = &self});

    assert_int_equal(json_integer_value(json_object_get(root, "sequence")), 7);
    assert_true(json_real_value(json_object_get(root, "taken_seconds")) == 86400.25);
    assert_true(json_real_value(json_object_get(root, "taken_realtime_seconds")) == 1700000001.25);
    assert_true(json_real_value(json_object_get(root, "interval_seconds")) == 1.5);
    assert_true(json_real_value(json_object_get(root, "process_start_time_seconds")) ==
                1700000000.5);
    assert_true(json_is_false(json_object_get(root, "stale")));
    assert_true(json_is_false(json_object_get(root, "paused")));
    f->status.paused = 1;
    assert_true(json_is_true(json_object_get(written(f, &fresh), "paused")));
}

static void a_table_names_its_kind_its_mechanism_and_its_columns(void **state)
{
    json_t *table = first_table(written(*state, &fresh));
    json_t *columns = json_object_get(table, "columns");

    assert_string_equal(json_string_value(json_object_get(table, "kind")), "cgroup");
    assert_string_equal(json_string_value(json_object_get(table, "mechanism")), "bpf");
    assert_int_equal(json_array_size(columns), 3);
    assert_string_equal(json_string_value(json_object_get(json_array_get(columns, 0), "name")),
                        "pmu_cgroup_start_time_seconds");
    assert_string_equal(json_string_value(json_object_get(json_array_get(columns, 0), "type")),
                        "gauge");
    assert_string_equal(json_string_value(json_object_get(json_array_get(columns, 1), "name")),
                        "pmu_cgroup_faults_total");
    assert_string_equal(json_string_value(json_object_get(json_array_get(columns, 1), "type")),
                        "counter");
}

static void a_row_has_its_labels_and_a_value_for_each_column(void **state)
{
    struct fixture *f = *state;
    json_t *root;

    f->accounts[0]->row[1].count = 1234567890123456789;
    f->accounts[0]->row[2].count = NUMBER_ABSENT_COUNT;
    root = written(f, &fresh);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(row(root, 0), "labels"), "cgroup")),
        "/a\"b\\\n\xc3\xa9");
    assert_true(json_real_value(value(root, 0, 0)) == 1700000000.123456789);
    assert_int_equal(json_integer_value(value(root, 0, 1)), 1234567890123456789);
    assert_true(json_is_null(value(root, 0, 2)));
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(row(root, 1), "labels"), "cgroup")),
        "/b");
    assert_int_equal(json_integer_value(value(root, 1, 1)), 0);
}

static void targets_that_are_not_counted_are_told_with_the_reason(void **state)
{
    struct fixture *f = *state;
    json_t *list = json_object_get(written(f, &fresh), "uncounted"), *item;

    assert_int_equal(json_array_size(list), 0);
    f->status.uncounted[SCOPE_CGROUP][ABSENCE_OVER_LIMIT] = 4;
    f->status.uncounted[SCOPE_PROCESS][ABSENCE_NOT_PERMITTED] = 2;
    list = json_object_get(written(f, &fresh), "uncounted");
    assert_int_equal(json_array_size(list), 2);
    item = json_array_get(list, 1);
    assert_string_equal(json_string_value(json_object_get(item, "kind")), "process");
    assert_string_equal(json_string_value(json_object_get(item, "reason")), "not_permitted");
    assert_int_equal(json_integer_value(json_object_get(item, "targets")), 2);
}

static void a_snapshot_that_is_too_old_has_no_tables(void **state)
{
    json_t *root = written(*state, &(struct exposition_facts){.stale = true});

    assert_true(json_is_true(json_object_get(root, "stale")));
    assert_int_equal(json_array_size(json_object_get(root, "tables")), 0);
}

static void targets_and_columns_are_chosen_by_name(void **state)
{
    struct fixture *f = *state;
    const char *const column = "pmu_cgroup_moves_total";
    struct target_filter filter;
    json_t *root;

    assert_int_equal(target_filter_parse("cgroup:/b", &filter), 0);
    f->selection = (struct targets_selection){&filter, 1, &column, 1};
    root = written(f, &fresh);
    assert_int_equal(json_array_size(json_object_get(first_table(root), "rows")), 1);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(row(root, 0), "labels"), "cgroup")),
        "/b");
    assert_int_equal(json_array_size(json_object_get(first_table(root), "columns")), 1);
    assert_string_equal(
        json_string_value(json_object_get(
            json_array_get(json_object_get(first_table(root), "columns"), 0), "name")),
        column);
    assert_int_equal(json_array_size(json_object_get(row(root, 0), "values")), 1);
}

static void a_table_without_a_chosen_target_or_column_is_left_out(void **state)
{
    struct fixture *f = *state;
    const char *const column = "pmu_process_moves_total";
    struct target_filter filter;

    f->selection = (struct targets_selection){.columns = &column, .n_columns = 1};
    assert_int_equal(json_array_size(json_object_get(written(f, &fresh), "tables")), 0);
    assert_int_equal(target_filter_parse("process:b", &filter), 0);
    f->selection = (struct targets_selection){.targets = &filter, .n_targets = 1};
    assert_int_equal(json_array_size(json_object_get(written(f, &fresh), "tables")), 0);
}
static const char *text_of(json_t *column, const char *key)
{
    return json_string_value(json_object_get(column, key));
}

static void buckets_and_sums_of_a_histogram_are_told_where_it_is_named(void **state)
{
    static const char *const names[] = {"pmu_cgroup_off_cpu_seconds",
                                        "pmu_cgroup_off_cpu_seconds_sum"};
    const size_t n = latency_layouts[LATENCY_OFF_CPU_INTERRUPTIBLE].n;
    struct fixture *f = *state;
    const struct plan_histogram *histogram = &f->plan->histograms[0];
    json_t *columns, *root;

    assert_int_equal(json_array_size(json_object_get(first_table(written(f, &fresh)), "columns")),
                     0);
    for (size_t i = 0; i < n; i++)
        f->accounts[0]->row[histogram->first + i].count = i;
    f->accounts[0]->row[histogram->first + n].count = 1500000000;
    f->selection = (struct targets_selection){.columns = names, .n_columns = 2};
    root = written(f, &fresh);
    columns = json_object_get(first_table(root), "columns");
    assert_int_equal(json_array_size(columns), 2 * (n + 1)); /* of both states */
    assert_string_equal(text_of(json_array_get(columns, 0), "le"), "1.52587890625e-05");
    assert_string_equal(text_of(json_array_get(columns, n - 1), "le"), "+Inf");
    assert_string_equal(text_of(json_array_get(columns, n), "name"), names[1]);
    assert_null(text_of(json_array_get(columns, n), "le"));
    assert_string_equal(text_of(json_array_get(columns, n), "state"), "interruptible");
    assert_string_equal(text_of(json_array_get(columns, n + 1), "state"), "uninterruptible");
    assert_int_equal(json_integer_value(value(root, 0, 3)), 3);
    assert_true(json_real_value(value(root, 0, n)) == 1.5);
    assert_true(json_is_null(value(root, 0, n + 1)));
}

static json_t *column(json_t *root, size_t index)
{
    return json_array_get(json_object_get(first_table(root), "columns"), index);
}

static void keys_are_columns_of_all_that_the_targets_have(void **state)
{
    struct fixture *f = *state;
    const char *columns[] = {"pmu_cgroup_kvm_exits_total", "pmu_cgroup_kvm_exit_seconds_sum"};
    json_t *root;

    count_exit(f->accounts[0], "hlt", 2);
    count_exit(f->accounts[0], "hlt", 2);
    count_exit(f->accounts[1], "io", 4);
    f->selection.columns = columns;
    f->selection.n_columns = ARRAY_SIZE(columns);
    root = written(f, &fresh);
    assert_int_equal(json_array_size(json_object_get(first_table(root), "columns")), 4);
    assert_string_equal(json_string_value(json_object_get(column(root, 0), "name")), columns[0]);
    assert_string_equal(json_string_value(json_object_get(column(root, 0), "reason")), "hlt");
    assert_string_equal(json_string_value(json_object_get(column(root, 1), "reason")), "io");
    assert_string_equal(json_string_value(json_object_get(column(root, 2), "name")), columns[1]);
    assert_int_equal(json_integer_value(value(root, 0, 0)), 2);
    assert_int_equal(json_integer_value(value(root, 0, 1)), 0);
    assert_int_equal(json_integer_value(value(root, 1, 1)), 1);
    assert_true(json_real_value(value(root, 0, 2)) == 6e-6);
    assert_true(json_real_value(value(root, 1, 3)) == 3e-6);
}

static void keys_have_a_column_for_each_bucket_and_are_not_told_unasked(void **state)
{
    struct fixture *f = *state;
    const char *columns[] = {"pmu_cgroup_kvm_exit_seconds"};
    json_t *root;

    count_exit(f->accounts[0], "hlt", 2);
    root = written(f, &fresh);
    assert_int_equal(json_array_size(json_object_get(first_table(root), "columns")), 1);
    f->selection.columns = columns;
    f->selection.n_columns = 1;
    root = written(f, &fresh);
    assert_int_equal(json_array_size(json_object_get(first_table(root), "columns")), KEYED_BUCKETS);
    assert_int_equal(json_array_size(json_object_get(row(root, 1), "values")), KEYED_BUCKETS);
    assert_int_equal(json_integer_value(value(root, 0, 2)), 1);
    assert_int_equal(json_integer_value(value(root, 1, 2)), 0);
    assert_string_equal(json_string_value(json_object_get(column(root, KEYED_BUCKETS - 1), "le")),
                        "+Inf");
}

static void table_is_there_before_the_first_key(void **state)
{
    struct fixture *f = *state;
    const char *columns[] = {"pmu_cgroup_kvm_exits_total"};
    json_t *root;

    f->selection.columns = columns;
    f->selection.n_columns = 1;
    root = written(f, &fresh);
    assert_non_null(first_table(root));
    assert_int_equal(json_array_size(json_object_get(first_table(root), "columns")), 0);
    columns[0] = "pmu_cgroup_tcp_connects_total"; /* which has no key */
    root = written(f, &fresh);
    assert_int_equal(json_array_size(json_object_get(first_table(root), "columns")), 1);
    assert_int_equal(json_integer_value(value(root, 0, 0)), 0);
    columns[0] = "pmu_cgroup_span_seconds"; /* which the targets do not have */
    assert_null(first_table(written(f, &fresh)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(times_and_states_are_told),
        TEST(a_table_names_its_kind_its_mechanism_and_its_columns),
        TEST(a_row_has_its_labels_and_a_value_for_each_column),
        TEST(targets_that_are_not_counted_are_told_with_the_reason),
        TEST(a_snapshot_that_is_too_old_has_no_tables),
        TEST(targets_and_columns_are_chosen_by_name),
        TEST(a_table_without_a_chosen_target_or_column_is_left_out),
        cmocka_unit_test_setup_teardown(buckets_and_sums_of_a_histogram_are_told_where_it_is_named,
                                        set_up_histogram, tear_down),
        cmocka_unit_test_setup_teardown(keys_are_columns_of_all_that_the_targets_have,
                                        set_up_by_key, tear_down),
        cmocka_unit_test_setup_teardown(keys_have_a_column_for_each_bucket_and_are_not_told_unasked,
                                        set_up_by_key, tear_down),
        cmocka_unit_test_setup_teardown(table_is_there_before_the_first_key, set_up_by_key,
                                        tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
