/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/thread_limit.h"

#include "support/check.h"

#include "support/fixture_tree.h"

static int set_up(void **state)
{
    static struct fixture_tree procfs;

    procfs = fixture_tree_open();
    *state = &procfs;
    return 0;
}

static int tear_down(void **state)
{
    fixture_tree_close(*state);
    return 0;
}

static void limit__is_the_lower_one_of_threads_and_of_their_numbers(void **state)
{
    struct fixture_tree *procfs = *state;

    fixture_tree_write(procfs, "sys/kernel/threads-max", "3900\n");
    fixture_tree_write(procfs, "sys/kernel/pid_max", "32768\n");
    assert_int_equal(thread_limit_read(procfs->fd), 3900);
    fixture_tree_write(procfs, "sys/kernel/threads-max", "192731\n");
    assert_int_equal(thread_limit_read(procfs->fd), 32768);
}

static void limit__that_cannot_be_read_is_0(void **state)
{
    struct fixture_tree *procfs = *state;

    assert_int_equal(thread_limit_read(-1), 0);
    assert_int_equal(thread_limit_read(procfs->fd), 0);
    fixture_tree_write(procfs, "sys/kernel/pid_max", "32768\n");
    assert_int_equal(thread_limit_read(procfs->fd), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(limit__is_the_lower_one_of_threads_and_of_their_numbers,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(limit__that_cannot_be_read_is_0, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
