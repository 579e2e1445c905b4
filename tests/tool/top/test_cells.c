/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers, sparklines, and which columns fit. */
#include "tool/top/top_fixture.h"

#include "tool/top/cells.h"
#include "tool/top/layout.h"

static void assert_number(double value, bool is_small, const char *expected)
{
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *shown = NULL;

    top_cells_append_number(&text, value, is_small);
    shown = text_take(&text);
    assert_string_equal(expected, shown);
    assert_true(strlen(shown) < TOP_CELL_WIDTH);
}

static void numbers_keep_three_digits_and_their_column(void **state)
{
    (void)state;
    assert_number(NAN, true, "-");
    assert_number(INFINITY, false, "-");
    assert_number(0, true, "0.00");
    assert_number(0.534, true, "0.53");
    assert_number(12.3, true, "12.30");
    assert_number(0.4, false, "0");
    assert_number(9999.4, false, "9999");
    assert_number(9999.6, false, "10.0k");
    assert_number(56789, false, "56.8k");
    assert_number(999400, false, "999k");
    assert_number(999600, false, "1.00M");
    assert_number(8.9e6, true, "8.90M");
    assert_number(123e9, false, "123G");
    assert_number(9.99e20, false, "999E");
}

struct fixture {
    struct top_rows rows;
};

static int set_up(void **state)
{
    static struct fixture fixture;

    fixture = (struct fixture){0};
    *state = &fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    top_rows_done(&f->rows);
    return 0;
}

/* Makes a row that used these numbers of CPUs, one in each second. */
static const struct top_row *have(struct fixture *f, const double *cpus, size_t n)
{
    double total = 1;

    for (size_t i = 0; i <= n; i++) {
        struct top_reading reading = fixture_reading(TOP_CGROUP, "/a", total, total);
        struct top_page page = fixture_page((double)i + 1, &reading, 1);

        assert_true(top_rows_update(&f->rows, &page, 1e6) >= 0);
        total += i < n ? cpus[i] : 0;
    }
    return fixture_find(&f->rows, TOP_CGROUP, "/a");
}

static void assert_spark(struct fixture *f, const struct top_row *row, unsigned width, bool is_utf8,
                         const char *expected)
{
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *shown = NULL;

    top_cells_append_sparkline(&text, &f->rows, row, TOP_COLUMN_CPUS, width, top_glyphs(is_utf8));
    shown = text_take(&text);
    assert_string_equal(expected, shown);
}

static void a_sparkline_is_as_high_as_its_largest_value(void **state)
{
    static const double cpus[] = {0, 1, 2, 4, 8};
    struct fixture *f = *state;
    const struct top_row *row = have(f, cpus, ARRAY_SIZE(cpus));

    assert_spark(f, row, 5, false, "__.-#");
    assert_spark(f, row, 5, true, "▁▁▂▄█");
    assert_spark(f, row, 8, false, "   __.-#"); /* Before there was nothing. */
    assert_spark(f, row, 2, false, "-#");
}

static void a_sparkline_of_hardly_anything_stays_low(void **state)
{
    static const double cpus[] = {0.001, 0.01, 0.02};
    struct fixture *f = *state;

    assert_spark(f, have(f, cpus, ARRAY_SIZE(cpus)), 3, false, "__.");
}

static void a_sparkline_has_a_blank_where_nothing_is_known(void **state)
{
    static const double cpus[] = {1, -1, 1}; /* The counter falls, as that of a new exporter. */
    struct fixture *f = *state;

    assert_spark(f, have(f, cpus, ARRAY_SIZE(cpus)), 3, false, "# #");
}

static void columns_give_way_from_the_right_but_that_of_the_order(void **state)
{
    struct fixture *f = *state;
    struct top_layout layout;

    for (size_t i = 0; i < N_TOP_INPUTS; i++)
        f->rows.has[i] = true;
    layout = top_layout_make(&f->rows, TOP_COLUMN_CPUS, 200);
    assert_int_equal(N_TOP_COLUMNS, layout.n_columns);
    assert_int_equal(TOP_HISTORY, layout.spark);
    layout = top_layout_make(&f->rows, TOP_COLUMN_CPUS, 80);
    assert_int_equal(5, layout.n_columns);
    assert_int_equal(9, layout.spark);
    assert_int_equal(80 - 5 * TOP_CELL_WIDTH - 2 - 9 - 2, layout.name);
    layout = top_layout_make(&f->rows, TOP_COLUMN_CPUS, 60);
    assert_int_equal(4, layout.n_columns);
    assert_int_equal(0, layout.spark);
    assert_int_equal(60 - 4 * TOP_CELL_WIDTH - 2, layout.name);
    layout = top_layout_make(&f->rows, TOP_COLUMN_FAULTS, 40);
    assert_int_equal(2, layout.n_columns);
    assert_int_equal(TOP_COLUMN_CPUS, layout.columns[0]);
    assert_int_equal(TOP_COLUMN_FAULTS, layout.columns[1]);
    layout = top_layout_make(&f->rows, TOP_COLUMN_NAME, 20);
    assert_int_equal(0, layout.n_columns);
    assert_int_equal(18, layout.name);
}

static void a_line_is_never_wider_than_the_terminal(void **state)
{
    struct fixture *f = *state;

    for (size_t i = 0; i < N_TOP_INPUTS; i++)
        f->rows.has[i] = i % 3 != 1;
    for (size_t width = TOP_CELL_WIDTH + 2; width < 300; width++)
        for (enum top_column_id order = 0; order < N_TOP_ORDERS; order++) {
            const struct top_layout layout = top_layout_make(&f->rows, order, width);

            assert_true(layout.n_columns * TOP_CELL_WIDTH +
                            (layout.spark > 0 ? layout.spark + 2 : 0) + 2 + layout.name <=
                        width);
            for (size_t i = 0; i < layout.n_columns; i++)
                assert_true(top_rows_have(&f->rows, layout.columns[i]));
        }
}

static void columns_without_numbers_are_left_out(void **state)
{
    struct fixture *f = *state;
    struct top_layout layout;

    f->rows.has[TOP_CPU_SECONDS] = f->rows.has[TOP_FAULTS] = true;
    layout = top_layout_make(&f->rows, TOP_COLUMN_CPUS, 100);
    assert_int_equal(2, layout.n_columns);
    assert_int_equal(TOP_COLUMN_FAULTS, layout.columns[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        cmocka_unit_test(numbers_keep_three_digits_and_their_column),
        TEST(a_sparkline_is_as_high_as_its_largest_value),
        TEST(a_sparkline_of_hardly_anything_stays_low),
        TEST(a_sparkline_has_a_blank_where_nothing_is_known),
        TEST(columns_give_way_from_the_right_but_that_of_the_order),
        TEST(a_line_is_never_wider_than_the_terminal),
        TEST(columns_without_numbers_are_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
