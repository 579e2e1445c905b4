/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/top/top_fixture.h"

#include <errno.h>

#include "tool/top/page.h"

#define HEAD                                                                                       \
    "{\"process_start_time_seconds\":1000.5,\"sequence\":7,\"taken_seconds\":12.25,"               \
    "\"interval_seconds\":1,\"stale\":false,\"paused\":true,"                                      \
    "\"uncounted\":[{\"kind\":\"cgroup\",\"reason\":\"over_limit\",\"targets\":3},"                \
    "{\"kind\":\"process\",\"reason\":\"not_permitted\",\"targets\":1}],\"tables\":["

/* Reads the page that this text is. */
static int read_text(const char *text, struct top_page *ret_page, const char **ret_expected)
{
    json_t *const value = json_loads(text, JSON_DECODE_INT_AS_REAL, NULL);
    const int r = top_page_read(value, ret_page, ret_expected);

    json_decref(value); /* the page has a reference of its own */
    return r;
}

static void a_page_is_taken_apart(void **state)
{
    static const char text[] = HEAD
        "{\"kind\":\"machine\",\"mechanism\":null,\"columns\":[{\"name\":\"pmu_machine_cpus\"},"
        "{\"name\":\"pmu_machine_cpu_seconds_total\"}],"
        "\"rows\":[{\"labels\":{},\"values\":[4,1.5]}]},"
        "{\"kind\":\"cgroup\",\"mechanism\":\"bpf\",\"columns\":["
        "{\"name\":\"pmu_cgroup_start_time_seconds\"},"
        "{\"name\":\"pmu_cgroup_task_clock_seconds_total\"},"
        "{\"name\":\"pmu_cgroup_something_else\",\"group\":\"core\"},"
        "{\"name\":\"pmu_cgroup_cycles_total\"}],\"rows\":["
        "{\"labels\":{\"cgroup\":\"/a\"},\"values\":[900,2.5,1,18446744073709551614]},"
        "{\"labels\":{\"cgroup\":\"/b\"},\"values\":[null,null,1,null]}]},"
        "{\"kind\":\"process\",\"columns\":[{\"name\":\"pmu_process_members\"}],"
        "\"rows\":[{\"labels\":{\"groupname\":\"make\"},\"values\":[3]}]}]}\n";
    const char *expected;
    struct top_page page;

    (void)state;
    assert_int_equal(0, read_text(text, &page, &expected));
    assert_near(page.process_started, 1000.5);
    assert_near(page.taken, 12.25);
    assert_true(page.paused);
    assert_string_equal("not counted: 3 cgroup (over_limit), 1 process (not_permitted)",
                        page.uncounted);
    assert_near(page.cpus, 4);
    assert_string_equal("bpf", page.mechanism);
    assert_int_equal(4, page.n);
    assert_int_equal(TOP_MACHINE, page.readings[0].kind);
    assert_near(page.readings[0].totals[TOP_CPU_SECONDS], 1.5);
    assert_int_equal(TOP_CGROUP, page.readings[1].kind);
    assert_string_equal("/a", page.readings[1].name);
    assert_near(page.readings[1].started, 900);
    assert_near(page.readings[1].totals[TOP_CPU_SECONDS], 2.5);
    assert_near(page.readings[1].totals[TOP_CYCLES] / 18446744073709551614.0, 1);
    assert_true(isnan(page.readings[1].totals[TOP_INSTRUCTIONS]));
    assert_true(isnan(page.readings[2].started));
    assert_true(isnan(page.readings[2].totals[TOP_CYCLES]));
    assert_int_equal(TOP_PROCESS, page.readings[3].kind);
    assert_near(page.readings[3].members, 3);
    top_page_done(&page);
}

static void cpus_add_up_to_the_machine(void **state)
{
    static const char text[] =
        HEAD "{\"kind\":\"cpu\",\"columns\":[{\"name\":\"pmu_cpu_cycles_total\"}],\"rows\":["
             "{\"labels\":{\"cpu\":\"0\"},\"values\":[10]},"
             "{\"labels\":{\"cpu\":\"1\"},\"values\":[null]},"
             "{\"labels\":{\"cpu\":\"2\"},\"values\":[5]}]},"
             "{\"kind\":\"machine\",\"columns\":[{\"name\":\"pmu_machine_cpu_seconds_total\"}],"
             "\"rows\":[{\"labels\":{},\"values\":[1.5]}]}]}";
    const char *expected;
    struct top_page page;

    (void)state;
    assert_int_equal(0, read_text(text, &page, &expected));
    assert_int_equal(1, page.n);
    assert_near(page.readings[0].totals[TOP_CYCLES], 15);
    assert_near(page.readings[0].totals[TOP_CPU_SECONDS], 1.5);
    top_page_done(&page);
}

static void kinds_that_are_not_known_are_ignored(void **state)
{
    static const char text[] = HEAD "{\"kind\":\"uncore\",\"columns\":[],\"rows\":[]}]}";
    const char *expected;
    struct top_page page;

    (void)state;
    assert_int_equal(0, read_text(text, &page, &expected));
    assert_int_equal(0, page.n);
    top_page_done(&page);
}

static void what_is_no_page_is_refused_with_what_was_expected(void **state)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"[]", "expected a number for \"process_start_time_seconds\""},
        {"{\"process_start_time_seconds\":\"1\"}",
         "expected a number for \"process_start_time_seconds\""},
        {"{\"process_start_time_seconds\":1,\"sequence\":1,\"taken_seconds\":1}",
         "expected a number for \"interval_seconds\""},
        {HEAD "7]}", "expected a kind and a list of rows in each table"},
        {HEAD "{\"kind\":\"cgroup\",\"rows\":[]}]}", "expected a list of columns in each table"},
        {HEAD "{\"kind\":\"cgroup\",\"columns\":[{}],\"rows\":[]}]}",
         "expected a name for each column"},
        {HEAD "{\"kind\":\"cgroup\",\"columns\":[],\"rows\":[{\"values\":[]}]}]}",
         "expected the label \"cgroup\" in a row"},
        {HEAD "{\"kind\":\"cgroup\",\"columns\":[],\"rows\":[{\"labels\":{\"cgroup\":\"/\"},"
              "\"values\":[1]}]}]}",
         "expected as many values in a row as the table has columns"},
        {HEAD "{\"kind\":\"cgroup\",\"columns\":[{\"name\":\"x\"}],\"rows\":[{\"labels\":"
              "{\"cgroup\":\"/\"},\"values\":[\"1\"]}]}]}",
         "expected numbers and null as the values of a row"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const char *expected = "";
        struct top_page page;

        assert_int_equal(-EPROTO, read_text(cases[i].text, &page, &expected));
        if (!strstr(expected, cases[i].expected))
            fail_msg("%s: %s", cases[i].text, expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_is_taken_apart),
        cmocka_unit_test(cpus_add_up_to_the_machine),
        cmocka_unit_test(kinds_that_are_not_known_are_ignored),
        cmocka_unit_test(what_is_no_page_is_refused_with_what_was_expected),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
