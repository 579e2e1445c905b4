/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "client/client.h"

#define HEAD                                                                                       \
    "{\"process_start_time_seconds\":1000.5,\"sequence\":7,\"taken_seconds\":12.25,"               \
    "\"interval_seconds\":1,\"stale\":false,\"paused\":true,\"uncounted\":["                       \
    "{\"kind\":\"cgroup\",\"reason\":\"over_limit\",\"targets\":3}],\"tables\":["

static int read_text(const char *text, json_t **ret_value, struct pmu_targets **ret_targets,
                     const char **ret_expected)
{
    *ret_value = json_loads(text, JSON_DECODE_INT_AS_REAL, NULL);
    assert_non_null(*ret_value);
    return pmu_targets_read(*ret_value, ret_targets, ret_expected);
}

static void tables_have_columns_rows_and_values(void **state)
{
    static const char text[] = HEAD
        "{\"kind\":\"machine\",\"mechanism\":null,\"columns\":[],\"rows\":[]},"
        "{\"kind\":\"cgroup\",\"mechanism\":\"bpf\",\"columns\":["
        "{\"name\":\"pmu_cgroup_cycles_total\",\"type\":\"counter\"},"
        "{\"name\":\"pmu_cgroup_group_coverage_ratio\",\"type\":\"gauge\",\"group\":\"core\"}],"
        "\"rows\":[{\"labels\":{\"cgroup\":\"/a\"},\"info\":{\"unit\":\"a\"},\"values\":[5,null]},"
        "{\"labels\":{\"cgroup\":\"/b\"},\"values\":[6,0.5]}]}]}";
    struct pmu_targets *targets;
    const char *expected;
    json_t *value;

    (void)state;
    assert_int_equal(0, read_text(text, &value, &targets, &expected));
    assert_true(targets->sequence > 6.5 && targets->paused && !targets->stale);
    assert_true(isnan(targets->taken_realtime_seconds));
    assert_int_equal(1, targets->n_uncounted);
    assert_string_equal("over_limit", targets->uncounted[0].reason);
    assert_int_equal(2, targets->n_tables);
    assert_null(targets->tables[0].mechanism);
    assert_string_equal("bpf", targets->tables[1].mechanism);
    assert_int_equal(2, targets->tables[1].n_columns);
    assert_true(targets->tables[1].columns[0].is_counter);
    assert_false(targets->tables[1].columns[1].is_counter);
    assert_string_equal("core", targets->tables[1].columns[1].group);
    assert_int_equal(2, targets->tables[1].n_rows);
    assert_string_equal("/b", pmu_row_label(&targets->tables[1].rows[1], "cgroup"));
    assert_null(pmu_row_label(&targets->tables[1].rows[1], "cpu"));
    assert_true(isnan(targets->tables[1].rows[0].values[1]));
    assert_true(targets->tables[1].rows[1].values[1] > 0.4);
    assert_null(pmu_targets_free(targets));
    json_decref(value);
}

static void what_is_wrong_is_refused_with_what_was_expected(void **state)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"[]", "\"process_start_time_seconds\""},
        {"{\"process_start_time_seconds\":1,\"sequence\":1,\"taken_seconds\":1}",
         "\"interval_seconds\""},
        {HEAD "7]}", "a kind and a list of rows"},
        {HEAD "{\"kind\":\"x\",\"rows\":[],\"columns\":7}]}", "a list of columns"},
        {HEAD "{\"kind\":\"x\",\"rows\":[],\"columns\":[{}]}]}", "a name for each column"},
        {HEAD "{\"kind\":\"x\",\"rows\":[{\"values\":[1]}],\"columns\":[]}]}", "as many values"},
        {HEAD "{\"kind\":\"x\",\"rows\":[{\"values\":[\"1\"]}],\"columns\":[{\"name\":\"a\"}]}]}",
         "numbers and null"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct pmu_targets *targets = NULL;
        const char *expected = "";
        json_t *value;

        assert_int_equal(-EPROTO, read_text(cases[i].text, &value, &targets, &expected));
        if (!strstr(expected, cases[i].expected))
            fail_msg("%s: %s", cases[i].text, expected);
        assert_null(targets);
        json_decref(value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_have_columns_rows_and_values),
        cmocka_unit_test(what_is_wrong_is_refused_with_what_was_expected),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
