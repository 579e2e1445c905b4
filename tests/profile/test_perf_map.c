/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>

#include "support/check.h"

#include "profile/object_table.h"
#include "profile/object_work.h"

static struct work_result work_on(const char *text, size_t n)
{
    const int fd = memory_file(text, n);
    const struct worker_job job = {.kind = OBJECT_JOB_MAP, .fd = fd, .debug_fd = -1};
    const struct work_result result = do_work(&job);

    (void)close(fd);
    return result;
}

static struct perf_map *map_of(const char *text)
{
    struct work_result result = work_on(text, strlen(text));
    struct perf_map *map = NULL;

    assert_int_equal(result.r, OBJECT_READ);
    assert_int_equal(perf_map_parse(result.bytes, result.n, &map), 0);
    free(result.bytes);
    return map;
}

static void assert_row(const struct perf_map *map, size_t i, uint64_t start, uint64_t end,
                       const char *name)
{
    assert_true(i < map->n);
    assert_int_equal(map->rows[i].start, start);
    assert_int_equal(map->rows[i].end, end);
    assert_string_equal(map->rows[i].name, name);
}

static void lines__are_sorted_and_their_names_may_have_blanks(void **state)
{
    AUTO(perf_map) struct perf_map *map = map_of("2000 10 LazyCompile:~f a.js:1\n0x1000 0x20 g");

    (void)state;
    assert_int_equal(map->n, 2);
    assert_row(map, 0, 0x1000, 0x1020, "g");
    assert_row(map, 1, 0x2000, 0x2010, "LazyCompile:~f a.js:1");
}

static void a_later_line__wins_where_it_overlaps(void **state)
{
    AUTO(perf_map) struct perf_map *map = map_of("1000 100 old\n1040 20 new\n");

    (void)state;
    assert_int_equal(map->n, 3);
    assert_row(map, 0, 0x1000, 0x1040, "old");
    assert_row(map, 1, 0x1040, 0x1060, "new");
    assert_row(map, 2, 0x1060, 0x1100, "old");
}

static void a_later_line__hides_what_it_covers(void **state)
{
    AUTO(perf_map) struct perf_map *map = map_of("1010 10 a\n1030 10 b\n1000 100 all\n1fff 1 z\n");

    (void)state;
    assert_int_equal(map->n, 2);
    assert_row(map, 0, 0x1000, 0x1100, "all");
    assert_row(map, 1, 0x1fff, 0x2000, "z");
}

static void an_address__is_found_in_its_row_only(void **state)
{
    AUTO(perf_map) struct perf_map *map = map_of("1000 10 a\n1020 10 b\n");

    (void)state;
    assert_string_equal(perf_map_find(map, 0x1000)->name, "a");
    assert_string_equal(perf_map_find(map, 0x100f)->name, "a");
    assert_null(perf_map_find(map, 0x1010));
    assert_string_equal(perf_map_find(map, 0x102f)->name, "b");
    assert_null(perf_map_find(map, 0x1030));
    assert_null(perf_map_find(map, 0xfff));
    assert_null(perf_map_find(map, UINT64_MAX));
}

static void lines_that_say_nothing__are_left_out(void **state)
{
    AUTO(perf_map)
    struct perf_map *map =
        map_of("\n1000 10\n1000 10 \n1000 0 zero\nffffffffffffffff 2 beyond\n"
               "10000000000000000 1 long\n-1 1 sign\n 1000 1 blank\n1000 10 good\n1000");

    (void)state;
    assert_int_equal(map->n, 1);
    assert_row(map, 0, 0x1000, 0x1010, "good");
}

static void names__are_made_clean(void **state)
{
    AUTO(perf_map) struct perf_map *map = map_of("1000 10 a\xff\x01<b>\n");

    (void)state;
    assert_row(map, 0, 0x1000, 0x1010, "a\xef\xbf\xbd\xef\xbf\xbd<b>");
}

static void a_text_that_is_no_map__is_refused(void **state)
{
    struct work_result result = work_on("hello\nworld\n", 12);

    (void)state;
    assert_int_equal(result.r, OBJECT_NO_PROGRAM);
    assert_int_equal(result.n, 0);
    free(result.bytes);
}

static void an_empty_map__has_no_rows(void **state)
{
    AUTO(perf_map) struct perf_map *map = map_of("");

    (void)state;
    assert_int_equal(map->n, 0);
    assert_null(perf_map_find(map, 0));
}

/* Each line begins within the one before, and ends after it: all of them split. */
static void of_too_many_lines__the_last_are_kept(void **state)
{
    enum { LINES = 250000, LENGTH = 32 };
    char *text = malloc((size_t)LINES * LENGTH + 1);
    size_t n = 0;
    struct work_result result;
    AUTO(perf_map) struct perf_map *map = NULL;

    (void)state;
    assert_non_null(text);
    for (int i = 0; i < LINES; i++)
        n += (size_t)snprintf(text + n, LENGTH, "%x 30 f%d\n", 0x10000000 + i * 16, i);
    result = work_on(text, n);
    assert_int_equal(result.r, OBJECT_READ);
    assert_int_equal(perf_map_parse(result.bytes, result.n, &map), 0);
    assert_int_equal(map->n, 200000);
    assert_string_equal(map->rows[0].name, "f50000");
    assert_string_equal(map->rows[199999].name, "f249999");
    free(result.bytes);
    free(text);
}

/* What is left of the first line that is read would be another address. */
static void of_a_long_file__the_end_is_read_from_a_whole_line_on(void **state)
{
    enum { LENGTH = 64 };
    const size_t n = (4 << 20) + 21; /* the end of 4 MiB begins at "1030 10 cut" */
    char *text = malloc(n + LENGTH);
    struct work_result result;
    AUTO(perf_map) struct perf_map *map = NULL;

    (void)state;
    assert_non_null(text);
    memset(text, ' ', n);
    memcpy(text, "1000 10 before\n2000001030 10 cut\n1050 10 f", 43);
    text[n - 1] = '\n';
    result = work_on(text, n);
    assert_int_equal(result.r, OBJECT_READ);
    assert_int_equal(perf_map_parse(result.bytes, result.n, &map), 0);
    assert_int_equal(map->n, 1);
    assert_int_equal(map->rows[0].start, 0x1050);
    free(result.bytes);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines__are_sorted_and_their_names_may_have_blanks),
        cmocka_unit_test(a_later_line__wins_where_it_overlaps),
        cmocka_unit_test(a_later_line__hides_what_it_covers),
        cmocka_unit_test(an_address__is_found_in_its_row_only),
        cmocka_unit_test(lines_that_say_nothing__are_left_out),
        cmocka_unit_test(names__are_made_clean),
        cmocka_unit_test(a_text_that_is_no_map__is_refused),
        cmocka_unit_test(an_empty_map__has_no_rows),
        cmocka_unit_test(of_too_many_lines__the_last_are_kept),
        cmocka_unit_test(of_a_long_file__the_end_is_read_from_a_whole_line_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
