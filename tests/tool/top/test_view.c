/* SPDX-License-Identifier: Apache-2.0 */
/* The list, sorted and filtered, and as a tree. */
#include "tool/top/top_fixture.h"

#include "tool/top/view.h"

struct fixture {
    struct top_rows rows;
    struct top_settings settings;
    struct top_view view;
};

static int set_up(void **state)
{
    static struct fixture fixture;

    fixture = (struct fixture){.settings = {.show = TOP_SHOW_ALL, .filter = ""}};
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

struct target {
    enum top_kind kind;
    const char *name;
    double cpus;
};

/* Makes rows that used so many CPUs in a second, and switched 10 times as often. */
static void have(struct fixture *f, const struct target *targets, size_t n)
{
    struct top_reading readings[16];
    struct top_page page;

    for (unsigned second = 0; second < 2; second++) {
        for (size_t i = 0; i < n; i++)
            readings[i] =
                fixture_reading(targets[i].kind, targets[i].name, 5 + second * targets[i].cpus,
                                5 + second * 10 * targets[i].cpus);
        page = fixture_page(second + 1, readings, n);
        assert_true(top_rows_update(&f->rows, &page, 1e6) >= 0);
    }
}

/* The names of the lines in their order, each behind as many dots as there are lines above it. */
static void assert_lines(struct fixture *f, const char *expected)
{
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *names = NULL;

    top_view_done(&f->view);
    assert_int_equal(0, top_view_make(&f->rows, &f->settings, &f->view));
    for (size_t i = 0; i < f->view.n; i++) {
        for (size_t p = f->view.lines[i].parent; p != SIZE_MAX; p = f->view.lines[p].parent) {
            assert_true(p < i);
            text_append_char(&text, '.');
        }
        text_append_format(&text, "%s ", f->view.lines[i].name);
    }
    names = text_take(&text);
    assert_string_equal(expected, names);
}

static const struct target three[] = {
    {TOP_CGROUP, "/b", 0.5}, {TOP_PROCESS, "make", 1}, {TOP_CGROUP, "/a", 0}};

static void lines_are_sorted_by_a_column_the_largest_first(void **state)
{
    struct fixture *f = *state;

    have(f, three, 3);
    assert_lines(f, "make /b /a ");
    f->settings.reverse = true;
    assert_lines(f, "/a /b make ");
}

static void names_are_sorted_from_a_to_z(void **state)
{
    struct fixture *f = *state;

    have(f, three, 3);
    f->settings.order = TOP_COLUMN_NAME;
    assert_lines(f, "/a /b make ");
    f->settings.reverse = true;
    assert_lines(f, "make /b /a ");
}

static void what_is_not_known_comes_last_in_either_order(void **state)
{
    struct fixture *f = *state;
    struct top_reading readings[3] = {fixture_reading(TOP_CGROUP, "/a", 1, 1),
                                      fixture_reading(TOP_CGROUP, "/b", 1, 1),
                                      fixture_reading(TOP_CGROUP, "/c", 1, NAN)};
    struct top_page page = fixture_page(1, readings, 3);

    (void)top_rows_update(&f->rows, &page, 1e6);
    readings[1].totals[TOP_SWITCHES] = 2;
    page.taken = page.sequence = 2;
    (void)top_rows_update(&f->rows, &page, 1e6);
    f->settings.order = TOP_COLUMN_SWITCHES;
    assert_lines(f, "/b /a /c ");
    f->settings.reverse = true;
    assert_lines(f, "/a /b /c ");
}

static void one_kind_can_be_shown(void **state)
{
    struct fixture *f = *state;

    have(f, three, 3);
    f->settings.show = TOP_SHOW_CGROUPS;
    assert_lines(f, "/b /a ");
    f->settings.show = TOP_SHOW_PROCESSES;
    assert_lines(f, "make ");
}

static void a_filter_leaves_names_that_contain_it_in_any_case(void **state)
{
    struct fixture *f = *state;

    have(f, three, 3);
    f->settings.filter = "AK";
    assert_lines(f, "make ");
    f->settings.filter = "/";
    assert_lines(f, "/b /a ");
    f->settings.filter = "x";
    assert_lines(f, "");
}

static void idle_targets_can_be_left_out(void **state)
{
    struct fixture *f = *state;

    have(f, three, 3);
    f->settings.hide_idle = true;
    assert_lines(f, "make /b ");
}

static void encoded_names_are_raw_bytes(void **state)
{
    static const struct target targets[] = {{TOP_CGROUP, "%/a%ff", 1}, {TOP_PROCESS, "%/a%ff", 0}};
    struct fixture *f = *state;

    have(f, targets, 2);
    assert_lines(f, "/a\xff %/a%ff ");
}

static const struct target nested[] = {
    {TOP_CGROUP, "/system.slice/b.service", 0.25},
    {TOP_CGROUP, "/system.slice/a.service", 0.5},
    {TOP_CGROUP, "/user.slice", 1},
    {TOP_CGROUP, "/user.slice/x/y.scope", 0.75},
    {TOP_CGROUP, "/user.slice/x/z.scope", 0},
    {TOP_CGROUP, "/user.slicer", 0.1},
    {TOP_PROCESS, "make", 2},
};

static void the_tree_has_each_cgroup_below_the_one_that_contains_it(void **state)
{
    struct fixture *f = *state;

    have(f, nested, ARRAY_SIZE(nested));
    f->settings.tree = true;
    assert_lines(f, "/user.slice .x ..y.scope ..z.scope "
                    "/system.slice .a.service .b.service /user.slicer make ");
}

static void a_cgroup_that_is_not_counted_shows_the_sum(void **state)
{
    struct fixture *f = *state;

    have(f, nested, ARRAY_SIZE(nested));
    f->settings.tree = true;
    assert_lines(f, "/user.slice .x ..y.scope ..z.scope "
                    "/system.slice .a.service .b.service /user.slicer make ");
    assert_null(f->view.lines[4].row);
    assert_near(f->view.lines[4].values[TOP_COLUMN_CPUS], 0.75);
    assert_near(f->view.lines[4].values[TOP_COLUMN_SWITCHES], 7.5);
    assert_non_null(f->view.lines[0].row);
    assert_near(f->view.lines[0].values[TOP_COLUMN_CPUS], 1); /* contains what is below already */
}

static void the_tree_knows_which_line_is_the_last_of_its_parent(void **state)
{
    static const bool last[] = {false, true, false, true, false, false, true, false, true};
    struct fixture *f = *state;

    have(f, nested, ARRAY_SIZE(nested));
    f->settings.tree = true;
    assert_int_equal(0, top_view_make(&f->rows, &f->settings, &f->view));
    assert_int_equal(ARRAY_SIZE(last), f->view.n);
    for (size_t i = 0; i < f->view.n; i++)
        assert_int_equal(last[i], f->view.lines[i].is_last);
}

static void each_level_of_the_tree_is_sorted(void **state)
{
    struct fixture *f = *state;

    have(f, nested, ARRAY_SIZE(nested));
    f->settings.tree = true;
    f->settings.order = TOP_COLUMN_NAME;
    f->settings.reverse = true;
    assert_lines(f, "/user.slicer /user.slice .x ..z.scope ..y.scope "
                    "/system.slice .b.service .a.service make ");
}

static void the_root_contains_all_others(void **state)
{
    static const struct target targets[] = {
        {TOP_CGROUP, "/a", 1}, {TOP_CGROUP, "/", 2}, {TOP_CGROUP, "/a/b", 1}};
    struct fixture *f = *state;

    have(f, targets, ARRAY_SIZE(targets));
    f->settings.tree = true;
    assert_lines(f, "/ .a ..b ");
}

static void a_filter_of_the_tree_keeps_what_contains_the_matches(void **state)
{
    struct fixture *f = *state;

    have(f, nested, ARRAY_SIZE(nested));
    f->settings.tree = true;
    f->settings.filter = "service";
    assert_lines(f, "/system.slice .a.service .b.service ");
}

static void a_path_of_a_thousand_levels_is_a_few_lines(void **state)
{
    char deep[2][1024] = {"", ""};
    const struct target targets[] = {{TOP_CGROUP, deep[0], 1}, {TOP_CGROUP, deep[1], 1}};
    struct fixture *f = *state;

    for (size_t i = 0; i < 1020; i += 2)
        memcpy(&deep[0][i], "/d", 3);
    memcpy(deep[1], deep[0], sizeof(deep[0]));
    deep[1][1019] = 'e';
    have(f, targets, 2);
    f->settings.tree = true;
    assert_int_equal(0, top_view_make(&f->rows, &f->settings, &f->view));
    assert_int_equal(3, f->view.n);
    assert_int_equal(1018, strlen(f->view.lines[0].name));
    assert_string_equal("d", f->view.lines[1].name);
    assert_string_equal("e", f->view.lines[2].name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(lines_are_sorted_by_a_column_the_largest_first),
        TEST(names_are_sorted_from_a_to_z),
        TEST(what_is_not_known_comes_last_in_either_order),
        TEST(one_kind_can_be_shown),
        TEST(a_filter_leaves_names_that_contain_it_in_any_case),
        TEST(idle_targets_can_be_left_out),
        TEST(encoded_names_are_raw_bytes),
        TEST(the_tree_has_each_cgroup_below_the_one_that_contains_it),
        TEST(a_cgroup_that_is_not_counted_shows_the_sum),
        TEST(the_tree_knows_which_line_is_the_last_of_its_parent),
        TEST(each_level_of_the_tree_is_sorted),
        TEST(the_root_contains_all_others),
        TEST(a_filter_of_the_tree_keeps_what_contains_the_matches),
        TEST(a_path_of_a_thousand_levels_is_a_few_lines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
