/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/fixture_tree.h"
#include "sys/cpu_list.h"

static void check_cpus(const struct cpu_list *list, const int *cpus, size_t n)
{
    assert_int_equal(list->n, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(list->cpus[i].value, cpus[i]);
}

#define CHECK_CPUS(list, ...)                                                                      \
    do {                                                                                           \
        const int expected[] = {__VA_ARGS__};                                                      \
        check_cpus(list, expected, sizeof(expected) / sizeof(expected[0]));                        \
    } while (0)

static struct cpu_list *parsed(const char *text)
{
    struct cpu_list *list = NULL;

    assert_int_equal(cpu_list_parse(text, &list), 0);
    assert_non_null(list);
    return list;
}

static void parse__knows_numbers_and_ranges(void **state)
{
    AUTO(cpu_list) struct cpu_list *one = parsed("0"), *range = parsed("0-3");
    AUTO(cpu_list) struct cpu_list *mixed = parsed("0-2,8,10-11\n"), *same = parsed("5-5");

    (void)state;
    CHECK_CPUS(one, 0);
    CHECK_CPUS(range, 0, 1, 2, 3);
    CHECK_CPUS(mixed, 0, 1, 2, 8, 10, 11);
    CHECK_CPUS(same, 5);
}

static void parse__of_nothing_is_no_cpu(void **state)
{
    AUTO(cpu_list) struct cpu_list *empty = parsed(""), *newline = parsed("\n");

    (void)state;
    assert_int_equal(empty->n, 0);
    assert_int_equal(newline->n, 0);
}

static void parse__sorts_and_takes_each_once(void **state)
{
    AUTO(cpu_list) struct cpu_list *list = parsed("8,3-5,4-6,8,0");

    (void)state;
    CHECK_CPUS(list, 0, 3, 4, 5, 6, 8);
}

static void parse__knows_the_last_cpu(void **state)
{
    AUTO(cpu_list) struct cpu_list *last = parsed("8191"), *all = parsed("0-8191");
    AUTO(cpu_list) struct cpu_list *words = parsed("63-64,127-128");

    (void)state;
    CHECK_CPUS(last, 8191);
    assert_int_equal(all->n, 8192);
    for (int i = 0; i < 8192; i++)
        assert_int_equal(all->cpus[i].value, i);
    CHECK_CPUS(words, 63, 64, 127, 128);
}

static void parse__refuses_other_forms(void **state)
{
    static const char *const texts[] = {
        ",",  "0,",   ",0",   "0,,1",  "0-",  "-1",  "0--1", "3-1",   "a",      "0-a",  " 0",
        "0 ", "0, 1", "0\n0", "0\n\n", "0:1", "0x1", "+1",   "0-1-2", "(null)", "0,\n", "0-\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct cpu_list *list = NULL;
        int r = cpu_list_parse(texts[i], &list);

        if (r != -EINVAL || list)
            fail_msg("\"%s\": %d", texts[i], r);
    }
}

static void parse__refuses_cpus_too_high(void **state)
{
    static const char *const texts[] = {"8192", "0-8192", "99999999999999999999", "4294967296",
                                        "18446744073709551616"};

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct cpu_list *list = NULL;

        assert_int_equal(cpu_list_parse(texts[i], &list), -ERANGE);
        assert_null(list);
    }
}

static void free__takes_null(void **state)
{
    (void)state;
    assert_null(cpu_list_free(NULL));
}

static void contains__finds_exactly_what_is_there(void **state)
{
    AUTO(cpu_list) struct cpu_list *list = parsed("1,3-5,9"), *empty = parsed("");

    (void)state;
    for (int cpu = -1; cpu < 12; cpu++) {
        bool expected = cpu == 1 || (cpu >= 3 && cpu <= 5) || cpu == 9;

        assert_int_equal(cpu_list_contains(list, (struct cpu_number){cpu}), expected);
        assert_false(cpu_list_contains(empty, (struct cpu_number){cpu}));
    }
}

static void subtract__leaves_what_the_other_has_not(void **state)
{
    AUTO(cpu_list)
    struct cpu_list *all = parsed("0-7"), *some = parsed("2-3,7,100"), *none = parsed("");
    AUTO(cpu_list) struct cpu_list *rest = NULL, *same = NULL, *nothing = NULL;

    (void)state;
    assert_int_equal(cpu_list_subtract(all, some, &rest), 0);
    assert_int_equal(cpu_list_subtract(all, none, &same), 0);
    assert_int_equal(cpu_list_subtract(all, all, &nothing), 0);
    CHECK_CPUS(rest, 0, 1, 4, 5, 6);
    CHECK_CPUS(same, 0, 1, 2, 3, 4, 5, 6, 7);
    assert_int_equal(nothing->n, 0);
}

static void read_online__takes_the_file_below_the_root(void **state)
{
    struct fixture_tree sysfs = fixture_tree_open();
    AUTO(cpu_list) struct cpu_list *list = NULL;

    (void)state;
    assert_int_equal(cpu_list_read_online(sysfs.fd, &list), -ENOENT);
    assert_null(list);
    fixture_tree_write(&sysfs, "devices/system/cpu/online", "0-1,4\n");
    assert_int_equal(cpu_list_read_online(sysfs.fd, &list), 0);
    CHECK_CPUS(list, 0, 1, 4);
    fixture_tree_close(&sysfs);
}

static void read_possible__tells_of_cpus_that_are_not_there_too(void **state)
{
    struct fixture_tree sysfs = fixture_tree_open();
    AUTO(cpu_list) struct cpu_list *list = NULL;

    (void)state;
    assert_int_equal(cpu_list_read_possible(sysfs.fd, &list), -ENOENT);
    fixture_tree_write(&sysfs, "devices/system/cpu/online", "0-1\n");
    fixture_tree_write(&sysfs, "devices/system/cpu/possible", "0-3\n");
    assert_int_equal(cpu_list_read_possible(sysfs.fd, &list), 0);
    CHECK_CPUS(list, 0, 1, 2, 3);
    fixture_tree_close(&sysfs);
}

static void read_online__does_not_take_half_a_file(void **state)
{
    struct fixture_tree sysfs = fixture_tree_open();
    struct cpu_list *list = NULL;
    char text[9000];

    (void)state;
    memset(text, '1', sizeof(text));
    for (size_t i = 1; i < sizeof(text); i += 2)
        text[i] = ',';
    text[sizeof(text) - 1] = '\0';
    fixture_tree_write(&sysfs, "devices/system/cpu/online", text);
    assert_int_equal(cpu_list_read_online(sysfs.fd, &list), -EFBIG);
    assert_null(list);
    fixture_tree_close(&sysfs);
}

static void read_online__of_this_machine_has_a_cpu(void **state)
{
    AUTO_CLOSE int sysfs = open("/sys", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    AUTO(cpu_list) struct cpu_list *list = NULL;

    (void)state;
    assert_int_equal(cpu_list_read_online(sysfs, &list), 0);
    assert_int_equal(list->n, sysconf(_SC_NPROCESSORS_ONLN));
}

static void check_nohz_full(const char *content, size_t n)
{
    struct fixture_tree sysfs = fixture_tree_open();
    AUTO(cpu_list) struct cpu_list *list = NULL;

    if (content)
        fixture_tree_write(&sysfs, "devices/system/cpu/nohz_full", content);
    assert_int_equal(cpu_list_read_nohz_full(sysfs.fd, &list), 0);
    assert_int_equal(list->n, n);
    fixture_tree_close(&sysfs);
}

static void read_nohz_full__is_empty_where_the_kernel_has_none(void **state)
{
    (void)state;
    check_nohz_full(NULL, 0);
    check_nohz_full("\n", 0);
    check_nohz_full("  (null)\n", 0); /* a kernel with nohz_full that was started without it */
    check_nohz_full("1-3\n", 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parse__knows_numbers_and_ranges),
        cmocka_unit_test(parse__of_nothing_is_no_cpu),
        cmocka_unit_test(parse__sorts_and_takes_each_once),
        cmocka_unit_test(parse__knows_the_last_cpu),
        cmocka_unit_test(parse__refuses_other_forms),
        cmocka_unit_test(parse__refuses_cpus_too_high),
        cmocka_unit_test(free__takes_null),
        cmocka_unit_test(contains__finds_exactly_what_is_there),
        cmocka_unit_test(subtract__leaves_what_the_other_has_not),
        cmocka_unit_test(read_online__takes_the_file_below_the_root),
        cmocka_unit_test(read_possible__tells_of_cpus_that_are_not_there_too),
        cmocka_unit_test(read_online__does_not_take_half_a_file),
        cmocka_unit_test(read_online__of_this_machine_has_a_cpu),
        cmocka_unit_test(read_nohz_full__is_empty_where_the_kernel_has_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
