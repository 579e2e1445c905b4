/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "sys/cpu_time.h"

/* USER_HZ is 100 wherever Linux runs. */
#define TICK_NS (NS_PER_SECOND / 100)

static void parse__takes_what_is_not_idle_and_leaves_steal_and_guests_out(void **state)
{
    static const char text[] = "cpu  100 20 300 40000 5000 6 70 800 50 10\n"
                               "cpu0 1 2 3 4 5 6 7 8 9 10\nintr 12345 0\n";
    struct cpu_time time;

    (void)state;
    assert_int_equal(cpu_time_parse(text, &time), 0);
    assert_int_equal(time.user_ns, 120 * TICK_NS); /* the time of guests is in user already */
    assert_int_equal(time.system_ns,
                     376 * TICK_NS); /* it has irq and softirq, and no stolen time */
}

static void parse__takes_a_kernel_that_knows_no_steal_and_no_guests(void **state)
{
    struct cpu_time time;

    (void)state;
    assert_int_equal(cpu_time_parse("cpu 1 2 3 4 5 6 7\n", &time), 0);
    assert_int_equal(time.user_ns, 3 * TICK_NS);
    assert_int_equal(time.system_ns, 16 * TICK_NS);
}

static void parse__tells_of_each_cpu_for_how_long_it_was_busy(void **state)
{
    AUTO(cpu_list) struct cpu_list *cpus = NULL;
    uint64_t busy_ns[4];

    (void)state;
    assert_int_equal(cpu_list_parse("0-2,10", &cpus), 0);
    cpu_time_parse_each("cpu  9 9 9 9 9 9 9 9 9 9\ncpu0 1 2 3 400 500 6 7 800 0 0\n"
                        "cpu2 5 0 0 1 1 0 0\ncpu10 7 0 0 1 1 0 1 0 0 0\nintr 5 4 3\ncpu1",
                        cpus, busy_ns);
    assert_int_equal(busy_ns[0], 19 * TICK_NS);
    assert_true(busy_ns[1] == UINT64_MAX); /* it is offline */
    assert_int_equal(busy_ns[2], 5 * TICK_NS);
    assert_int_equal(busy_ns[3], 8 * TICK_NS);
}

static void parse__refuses_what_is_no_such_line_and_touches_nothing(void **state)
{
    static const char *const texts[] = {
        "",
        "cpu",
        "cpu ",
        "cpu0 1 2 3 4 5 6 7 8 9 10\n",
        "cpu  1 2 3 4 5 6\ncpu0 7 8\n",
        "cpu  1 2 3 4 5 6 -7 8\n",
        "cpu  1 2 x 4 5 6 7 8\n",
        "cpu  1 2 3 4 5 6 7x\n",
        "cpu  1 2 3 4 5 6 99999999999999999999999\n",
        "intr 1 2 3 4 5 6 7 8\n",
    };
    struct cpu_time time = {.user_ns = 5, .system_ns = 6};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
        assert_int_equal(cpu_time_parse(texts[i], &time), -EINVAL);
    assert_int_equal(time.user_ns, 5);
    assert_int_equal(time.system_ns, 6);
}

static void read__of_the_machine_grows_by_what_is_burnt(void **state)
{
    AUTO_CLOSE int procfs = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct cpu_time before, after;
    struct timespec now;

    (void)state;
    assert_int_equal(cpu_time_read(procfs, &before), 0);
    do
        assert_int_equal(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now), 0);
    while (now.tv_sec == 0 && (uint64_t)now.tv_nsec < NS_PER_SECOND / 2);
    assert_int_equal(cpu_time_read(procfs, &after), 0);
    /* numbers are rounded down to ticks, and a kernel that samples may miss some */
    assert_true(after.user_ns + after.system_ns >=
                before.user_ns + before.system_ns + NS_PER_SECOND / 4);
}

static void read__of_a_procfs_that_lacks_it_is_an_error(void **state)
{
    AUTO_CLOSE int slash = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct cpu_time time;

    (void)state;
    assert_int_equal(cpu_time_read(slash, &time), -ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parse__takes_what_is_not_idle_and_leaves_steal_and_guests_out),
        cmocka_unit_test(parse__takes_a_kernel_that_knows_no_steal_and_no_guests),
        cmocka_unit_test(parse__tells_of_each_cpu_for_how_long_it_was_busy),
        cmocka_unit_test(parse__refuses_what_is_no_such_line_and_touches_nothing),
        cmocka_unit_test(read__of_the_machine_grows_by_what_is_burnt),
        cmocka_unit_test(read__of_a_procfs_that_lacks_it_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
