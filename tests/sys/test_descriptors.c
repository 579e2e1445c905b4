/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#define RESERVE 100

static int open_one(void)
{
    const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

    assert_in_range(fd, 0, RESERVE - 1);
    return fd;
}

static int no_reserve(void **state)
{
    (void)state;
    descriptors_reserve(0, 0);
    return 0;
}

static void lift__leaves_all_where_there_is_no_reserve(void **state)
{
    const int fd = open_one();

    (void)state;
    assert_int_equal(descriptor_lift(fd), fd);
    assert_int_equal(close(fd), 0);
}

static void lift__moves_above_the_reserve(void **state)
{
    const int fd = open_one();
    int high;

    (void)state;
    descriptors_reserve(RESERVE, RESERVE);
    high = descriptor_lift(fd);
    assert_true(high >= RESERVE);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
    assert_true(fcntl(high, F_GETFD) & FD_CLOEXEC);
    assert_int_equal(descriptor_lift(high), high);
    assert_int_equal(close(high), 0);
}

static void lift__passes_errors_on(void **state)
{
    (void)state;
    descriptors_reserve(RESERVE, RESERVE);
    assert_int_equal(descriptor_lift(-ENOENT), -ENOENT);
}

/* So many numbers below the reserve are free. */
static int n_free(void)
{
    int n = 0;

    for (int fd = 0; fd < RESERVE; fd++)
        n += fcntl(fd, F_GETFD) < 0;
    return n;
}

static void lift__without_a_number_above_stays_where_enough_are_free_below(void **state)
{
    struct rlimit before, low;
    const int first = open_one(), second = open_one();
    const int n = n_free();

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    low = before;
    low.rlim_cur = RESERVE;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    descriptors_reserve(RESERVE, (uint64_t)n - 1);
    assert_int_equal(descriptor_lift(first), first);
    descriptors_reserve(RESERVE, (uint64_t)n);
    assert_int_equal(descriptor_lift(second), -EMFILE);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(fcntl(second, F_GETFD), -1);
    assert_int_equal(close(first), 0);
}

static void lift__without_a_number_closes_and_says_so(void **state)
{
    struct rlimit before, low;
    uint64_t limit = 0;
    const int fd = open_one();

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    low = before;
    low.rlim_cur = RESERVE / 2;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    assert_int_equal(descriptors_read_limit(&limit), 0);
    descriptors_reserve(RESERVE, RESERVE);
    assert_int_equal(descriptor_lift(fd), -EMFILE);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(limit, RESERVE / 2);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(lift__leaves_all_where_there_is_no_reserve, no_reserve),
        cmocka_unit_test_setup(lift__moves_above_the_reserve, no_reserve),
        cmocka_unit_test_setup(lift__passes_errors_on, no_reserve),
        cmocka_unit_test_setup(lift__without_a_number_above_stays_where_enough_are_free_below,
                               no_reserve),
        cmocka_unit_test_setup(lift__without_a_number_closes_and_says_so, no_reserve),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
