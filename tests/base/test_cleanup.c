/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"

static int destroyed;

static int *destroy(int *object)
{
    destroyed++;
    free(object);
    return NULL;
}
DEFINE_AUTO(number, int *, destroy)

static int *make_number(int value, int give_away)
{
    AUTO(number) int *number = malloc(sizeof(*number));

    assert_non_null(number);
    *number = value;
    return give_away ? TAKE(number) : NULL;
}

static void auto__destroys_what_is_not_given_away(void **state)
{
    (void)state;
    destroyed = 0;
    assert_null(make_number(7, 0));
    assert_int_equal(destroyed, 1);
}

static void auto__leaves_what_was_taken(void **state)
{
    int *number;

    (void)state;
    destroyed = 0;
    number = make_number(7, 1);
    assert_int_equal(destroyed, 0);
    assert_int_equal(*number, 7);
    assert_null(destroy(number));
}

static void auto__does_not_destroy_null(void **state)
{
    (void)state;
    destroyed = 0;
    {
        AUTO(number) int *nothing = NULL;

        assert_null(nothing);
    }
    assert_int_equal(destroyed, 0);
}

static void auto_free__frees_at_the_end_of_the_scope(void **state)
{
    AUTO_FREE char *text = strdup("leaks, says the sanitizer, if it is not freed");

    (void)state;
    assert_non_null(text);
}

static void auto_close__closes_what_is_not_given_away(void **state)
{
    int number;

    (void)state;
    {
        AUTO_CLOSE int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

        assert_true(fd >= 0);
        number = fd;
    }
    assert_int_equal(fcntl(number, F_GETFD), -1);
}

static void take_fd__leaves_minus_one_behind(void **state)
{
    int kept;

    (void)state;
    {
        AUTO_CLOSE int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

        kept = TAKE_FD(fd);
        assert_int_equal(fd, -1);
    }
    assert_true(fcntl(kept, F_GETFD) >= 0);
    assert_int_equal(close(kept), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto__destroys_what_is_not_given_away),
        cmocka_unit_test(auto__leaves_what_was_taken),
        cmocka_unit_test(auto__does_not_destroy_null),
        cmocka_unit_test(auto_free__frees_at_the_end_of_the_scope),
        cmocka_unit_test(auto_close__closes_what_is_not_given_away),
        cmocka_unit_test(take_fd__leaves_minus_one_behind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
