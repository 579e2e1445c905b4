/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <errno.h>
#include <sched.h>

#include "sys/thread_cpus.h"

/* Enough for machines of up to 1024 CPUs. */
static cpu_set_t own_cpus(void)
{
    cpu_set_t cpus;

    CPU_ZERO(&cpus);
    if (sched_getaffinity(0, sizeof(cpus), &cpus) < 0) {
        print_message("skipped: more CPUs than fit into a cpu_set_t\n");
        skip();
    }
    return cpus;
}

static struct cpu_number last_cpu(const cpu_set_t *cpus)
{
    size_t last = CPU_SETSIZE - 1;

    while (!CPU_ISSET(last, cpus))
        last--;
    return (struct cpu_number){(int)last};
}

static void move__puts_the_thread_on_one_cpu_and_restore_back_again(void **state)
{
    struct thread_cpus *saved = thread_cpus_save();
    cpu_set_t before = own_cpus(), moved, after;
    struct cpu_number cpu = last_cpu(&before);

    (void)state;
    assert_non_null(saved);
    assert_int_equal(thread_move_to_cpu(cpu), 0);
    moved = own_cpus();
    assert_int_equal(CPU_COUNT(&moved), 1);
    assert_true(CPU_ISSET((size_t)cpu.value, &moved));
    assert_int_equal(sched_getcpu(), cpu.value);
    assert_null(thread_cpus_restore(saved));
    after = own_cpus();
    assert_true(CPU_EQUAL(&before, &after));
}

static void move__to_a_cpu_that_is_not_there_leaves_the_thread_where_it_is(void **state)
{
    static const int none[] = {-1, 8191, 8192, 1000000};
    cpu_set_t before = own_cpus(), after;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(none); i++)
        assert_int_equal(thread_move_to_cpu((struct cpu_number){none[i]}), -EINVAL);
    after = own_cpus();
    assert_true(CPU_EQUAL(&before, &after));
}

static void restore__takes_null(void **state)
{
    (void)state;
    assert_null(thread_cpus_restore(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(move__puts_the_thread_on_one_cpu_and_restore_back_again),
        cmocka_unit_test(move__to_a_cpu_that_is_not_there_leaves_the_thread_where_it_is),
        cmocka_unit_test(restore__takes_null),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
