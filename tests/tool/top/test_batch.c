/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/top/top_fixture.h"

#include <jansson.h>

#include "tool/top/batch.h"

struct fixture {
    struct top_rows rows;
    struct top_view view;
};

static int set_up(void **state)
{
    static struct fixture fixture;
    const struct top_settings settings = {.show = TOP_SHOW_ALL, .tree = true, .filter = ""};

    fixture = (struct fixture){0};
    for (unsigned second = 0; second < 2; second++) {
        struct top_reading readings[] = {
            fixture_reading(TOP_MACHINE, "", 10 + 1.5 * second, 0),
            fixture_reading(TOP_CGROUP, "/a/\"b", 1 + 0.5 * second, 100 * second),
            fixture_reading(TOP_CGROUP, "%/a/%ff", 1, NAN),
            fixture_reading(TOP_PROCESS, "make", 2 + second, 20000 * second),
        };
        struct top_page page = fixture_page(second + 1, readings, ARRAY_SIZE(readings));

        assert_true(top_rows_update(&fixture.rows, &page, 1e6) >= 0);
    }
    assert_int_equal(0, top_view_make(&fixture.rows, &settings, &fixture.view));
    *state = &fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    top_view_done(&f->view);
    top_rows_done(&f->rows);
    return 0;
}

static const struct top_about about = {.source = "exporter",
                                       .mechanism = "bpf",
                                       .uncounted = "not counted: 3 cgroup (over_limit)",
                                       .now = 1795344000.25};

static void a_table_is_plain_text(void **state)
{
    struct fixture *f = *state;
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *shown = NULL;
    const char *behind_time;

    top_batch_append_table(&text, &f->rows, &f->view, &about);
    shown = text_take(&text);
    assert_memory_equal("pmutool top - 2026-11-2", shown, strlen("pmutool top - 2026-11-2"));
    behind_time = strchr(shown, ',');
    assert_string_equal(
        ", exporter (bpf), 1.50 of 2 CPUs used, not counted: 3 cgroup (over_limit), "
        "over 1.000 s\n"
        "     CPUS SWITCH/s  NAME\n"
        "     0.50      100  /a\n"
        "     0.50      100    \"b\n"
        "     0.00        -    \\xff\n"
        "     1.00    20.0k  make\n"
        "\n",
        behind_time);
}

static void json_has_each_target_with_its_label(void **state)
{
    struct fixture *f = *state;
    AUTO_TEXT struct text text = {0};
    json_t *root, *targets, *first;

    assert_int_equal(0, top_batch_append_json(&text, &f->rows, &f->view, &about));
    assert_int_equal('\n', text.data[text.length - 1]);
    assert_null(memchr(text.data, '\n', text.length - 1));
    root = json_loadb(text.data, text.length, 0, NULL);
    assert_non_null(root);
    assert_near(json_real_value(json_object_get(root, "time")), 1795344000.25);
    assert_near(json_real_value(json_object_get(root, "seconds")), 1);
    assert_string_equal("exporter", json_string_value(json_object_get(root, "source")));
    assert_near(json_real_value(json_object_get(json_object_get(root, "machine"), "cpus")), 1.5);
    targets = json_object_get(root, "targets");
    assert_int_equal(3, json_array_size(targets)); /* "/a" is no target. */
    first = json_array_get(targets, 0);
    assert_string_equal("cgroup", json_string_value(json_object_get(first, "kind")));
    assert_string_equal("/a/\"b", json_string_value(json_object_get(first, "name")));
    assert_near(json_real_value(json_object_get(first, "cpus")), 0.5);
    assert_true(json_is_null(json_object_get(first, "ipc")));
    assert_string_equal("%/a/%ff",
                        json_string_value(json_object_get(json_array_get(targets, 1), "name")));
    assert_string_equal("process",
                        json_string_value(json_object_get(json_array_get(targets, 2), "kind")));
    json_decref(root);
}

static void a_table_without_lines_says_so(void **state)
{
    struct fixture *f = *state;
    const struct top_view nothing = {0};
    AUTO_TEXT struct text text = {0};

    top_batch_append_table(&text, &f->rows, &nothing, &about);
    assert_int_equal(0, text_error(&text));
    assert_non_null(strstr(text.data, "  NAME\nno cgroup and no process is shown: "));
}

/* The socket may be another program's, which says what it likes. */
static void a_mechanism_steers_no_terminal(void **state)
{
    struct fixture *f = *state;
    const struct top_about hostile = {
        .source = "exporter", .mechanism = "\x1b[2J\xc3", .uncounted = ""};
    AUTO_TEXT struct text table = {0}, json = {0};

    top_batch_append_table(&table, &f->rows, &f->view, &hostile);
    assert_int_equal(0, text_error(&table));
    assert_null(memchr(table.data, '\x1b', table.length));
    assert_non_null(memmem(table.data, table.length, "(\\x1b[2J\\xc3)", 13));
    assert_int_equal(0, top_batch_append_json(&json, &f->rows, &f->view, &hostile));
    assert_null(memchr(json.data, '\x1b', json.length));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(a_table_is_plain_text),
        TEST(a_table_without_lines_says_so),
        TEST(json_has_each_target_with_its_label),
        TEST(a_mechanism_steers_no_terminal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
