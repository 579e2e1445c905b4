/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <jansson.h>
#include <math.h>

#include "expose/history_json.h"

static double instructions[] = {1.5, NAN, 3};
static double coverage[] = {1, 0.5, NAN};
static uint64_t times[] = {UINT64_C(1700000001000000000), UINT64_C(1700000002250000000),
                           UINT64_C(1700000003000000000)};
static struct history_label labels[] = {{(char *)"cgroup", (char *)"/a,\"b\""}};
static struct history_series series[] = {
    {.name = (char *)"pmu_cgroup_instructions_per_second",
     .unit = "per second",
     .values = instructions},
    {.name = (char *)"pmu_cgroup_group_coverage_ratio",
     .unit = "ratio",
     .labels = {{(char *)"group", (char *)"core"}},
     .values = coverage},
};
static struct history_answer one = {labels, 1, 1000000000, times, 3, series, 2},
                             other = {labels, 1, 1000000000, times, 2, series, 1};
static const struct history_part parts[] = {
    {"cgroup:/a,\"b\"", &one}, {"cgroup:/gone", NULL}, {"machine", &other}};
static const struct history_page page = {UINT64_C(1700000000000000000),
                                         UINT64_C(1700000003500000000), 1000000000, parts, 3};

static json_t *read_back(struct text *text)
{
    json_error_t error;
    json_t *root = json_loadb(text->data, text->length, JSON_REJECT_DUPLICATES, &error);

    if (!root)
        fail_msg("%s: %.*s", error.text, (int)text->length, text->data);
    text_done(text);
    return root;
}

static json_t *column(json_t *root, size_t part, size_t index)
{
    return json_array_get(
        json_object_get(json_array_get(json_object_get(root, "targets"), part), "columns"), index);
}

static void a_page_has_times_and_columns_of_each_target(void **state)
{
    struct text text = {0};
    json_t *root, *first;

    (void)state;
    assert_int_equal(history_json_write(&page, &text), 0);
    root = read_back(&text);
    assert_true(json_number_value(json_object_get(root, "start")) == 1700000000);
    assert_true(json_number_value(json_object_get(root, "end")) == 1700000003.5);
    assert_true(json_number_value(json_object_get(root, "step_seconds")) == 1);
    first = json_array_get(json_object_get(root, "targets"), 0);
    assert_string_equal(json_string_value(json_object_get(first, "target")), "cgroup:/a,\"b\"");
    assert_true(json_number_value(json_array_get(json_object_get(first, "times"), 1)) ==
                1700000002.25);
    assert_string_equal(json_string_value(json_object_get(column(root, 0, 0), "unit")),
                        "per second");
    assert_string_equal(json_string_value(json_object_get(column(root, 0, 1), "group")), "core");
    assert_true(json_is_null(json_array_get(json_object_get(column(root, 0, 0), "values"), 1)));
    assert_int_equal(json_array_size(json_object_get(column(root, 2, 0), "values")), 2);
    json_decref(root);
}

static void a_target_without_a_past_is_there_and_empty(void **state)
{
    struct text text = {0};
    json_t *root, *gone;

    (void)state;
    assert_int_equal(history_json_write(&page, &text), 0);
    root = read_back(&text);
    gone = json_array_get(json_object_get(root, "targets"), 1);
    assert_int_equal(json_array_size(json_object_get(gone, "times")), 0);
    assert_int_equal(json_array_size(json_object_get(gone, "columns")), 0);
    json_decref(root);
}

static void csv_has_a_row_for_each_time_and_target(void **state)
{
    struct text text = {0};
    AUTO_FREE char *written = NULL;

    (void)state;
    assert_int_equal(history_csv_write(&page, &text), 0);
    written = text_take(&text);
    assert_string_equal(written, "time,target,pmu_cgroup_instructions_per_second,"
                                 "\"pmu_cgroup_group_coverage_ratio{group=\"\"core\"\"}\"\r\n"
                                 "1700000001,\"cgroup:/a,\"\"b\"\"\",1.5,1\r\n"
                                 "1700000002.25,\"cgroup:/a,\"\"b\"\"\",,0.5\r\n"
                                 "1700000003,\"cgroup:/a,\"\"b\"\"\",3,\r\n"
                                 "1700000001,machine,1.5,\r\n"
                                 "1700000002.25,machine,,\r\n");
}

static void targets_of_the_past_have_their_columns_and_times(void **state)
{
    static char *columns[] = {(char *)"pmu_cgroup_cpus_used"};
    static struct history_target target = {(char *)"cgroup:/a", (char *)"cgroup", labels,  1,
                                           1500000000,          3000000000,       columns, 1};
    const struct history_targets targets = {&target, 1, true};
    struct text text = {0};
    json_t *root, *first;

    (void)state;
    assert_int_equal(history_json_write_targets(&targets, &text), 0);
    root = read_back(&text);
    first = json_array_get(json_object_get(root, "targets"), 0);
    assert_true(json_number_value(json_object_get(first, "first")) == 1.5);
    assert_true(json_number_value(json_object_get(first, "last")) == 3);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(first, "labels"), "cgroup")), "/a,\"b\"");
    assert_string_equal(json_string_value(json_array_get(json_object_get(first, "columns"), 0)),
                        "pmu_cgroup_cpus_used");
    assert_true(json_is_true(json_object_get(root, "cut")));
    json_decref(root);
}

static void shares_of_cpus_are_rows_by_cpu(void **state)
{
    unsigned numbers[] = {0, 3};
    float shares[] = {0.25F, NAN, 1, 0, 0, 0.5F};
    const struct history_cpus cpus = {UINT64_C(10000000000), numbers, 2, times, 3, shares};
    struct text text = {0};
    json_t *root, *values;

    (void)state;
    assert_int_equal(history_json_write_cpus("machine", &cpus, &text), 0);
    root = read_back(&text);
    values = json_object_get(root, "values");
    assert_int_equal(json_array_size(values), 2);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(root, "cpus"), 1)), 3);
    assert_true(json_number_value(json_array_get(json_array_get(values, 0), 0)) == 0.25);
    assert_true(json_is_null(json_array_get(json_array_get(values, 0), 1)));
    assert_true(json_number_value(json_array_get(json_array_get(values, 1), 2)) == 0.5);
    json_decref(root);
}

static void marks_are_listed_whatever_their_text(void **state)
{
    struct history_mark mark = {7, 1500000000, (char *)"<script>\"\n\xff"};
    const struct history_marks marks = {&mark, 1};
    struct text text = {0};
    json_t *root, *first;

    (void)state;
    assert_int_equal(history_json_write_marks(&marks, &text), 0);
    root = read_back(&text);
    first = json_array_get(json_object_get(root, "marks"), 0);
    assert_int_equal(json_integer_value(json_object_get(first, "id")), 7);
    assert_string_equal(json_string_value(json_object_get(first, "text")),
                        "<script>\"\n\xef\xbf\xbd");
    json_decref(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_has_times_and_columns_of_each_target),
        cmocka_unit_test(a_target_without_a_past_is_there_and_empty),
        cmocka_unit_test(csv_has_a_row_for_each_time_and_target),
        cmocka_unit_test(targets_of_the_past_have_their_columns_and_times),
        cmocka_unit_test(shares_of_cpus_are_rows_by_cpu),
        cmocka_unit_test(marks_are_listed_whatever_their_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
