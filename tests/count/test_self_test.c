/* SPDX-License-Identifier: Apache-2.0 */
#include "count/self_test.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "support/check.h"

/* The kernel, but for what a test takes or adds. */
struct liar {
    uint64_t more; /* that direct reads of each value */
    bool threads;  /* nothing that is opened on a thread can be */
};

static struct liar liar;

static int open_or_not(void *context, struct perf_event_attr *attr, pid_t pid, int cpu,
                       int group_fd, unsigned long flags)
{
    (void)context;
    if (liar.threads && pid > 0)
        return -EACCES;
    return perf_ops_kernel.open(NULL, attr, pid, cpu, group_fd, flags);
}

static ssize_t read_more(void *context, int fd, void *buffer, size_t size)
{
    static uint64_t n;
    struct group_reading *reading = buffer;
    ssize_t r = perf_ops_kernel.read(NULL, fd, buffer, size);

    (void)context;
    n += liar.more;
    if (r > 0)
        reading->values[3].value += n;
    return r;
}

static int pass_ioctl(void *context, int fd, unsigned long request, unsigned long argument)
{
    (void)context;
    return perf_ops_kernel.ioctl(NULL, fd, request, argument);
}

static void pass_close(void *context, int fd)
{
    (void)context;
    perf_ops_kernel.close(NULL, fd);
}

static const struct perf_ops ops = {open_or_not, read_more, pass_ioctl, pass_close, NULL};

/* This machine may be too busy for a moment, or hide a switch at the wrong one. */
#define MOST_TRIES 20

static struct self_test run_once(void)
{
    AUTO_CLOSE int sysfs = open("/sys", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    AUTO(cpu_list) struct cpu_list *cpus = NULL;
    struct self_test test;

    assert_int_equal(cpu_list_read_online(sysfs, &cpus), 0);
    assert_int_equal(self_test_run(&ops, cpus, &test), 0);
    return test;
}

static struct self_test run(void)
{
    struct self_test test = run_once();

    for (int i = 1; i < MOST_TRIES &&
                    (test.outcome == SELF_TEST_NO_PROCESS || test.outcome == SELF_TEST_DOUBTFUL);
         i++)
        test = run_once();
    if (test.outcome == SELF_TEST_REFUSED || test.outcome == SELF_TEST_NAMESPACE) {
        print_message("skipped: %s\n", self_test_text(&test));
        skip();
    }
    return test;
}

static int setup(void **state)
{
    (void)state;
    liar = (struct liar){0};
    return 0;
}

static void self_test__passes_where_both_count_the_same(void **state)
{
    struct self_test test = run();

    (void)state;
    if (test.outcome == SELF_TEST_DIFFERS)
        print_message("%s: direct %llu, bpf %llu\n", test.event, (unsigned long long)test.direct,
                      (unsigned long long)test.bpf);
    assert_string_equal(self_test_text(&test), "the self-test has passed");
    assert_int_equal(test.outcome, SELF_TEST_PASSED);
}

static void self_test__tells_about_which_event_they_disagree(void **state)
{
    struct self_test test;

    (void)state;
    liar.more = 1000;
    test = run();
    assert_int_equal(test.outcome, SELF_TEST_DIFFERS);
    assert_string_equal(test.event, "page-faults");
    assert_true(test.direct >= test.bpf + 900);
}

static void self_test__of_a_process_that_is_not_counted_is_not_passed(void **state)
{
    struct self_test test;

    (void)state;
    liar.threads = true;
    test = run();
    assert_int_equal(test.outcome, SELF_TEST_NOT_COUNTED);
}

static void text__of_a_refusal_is_its_own(void **state)
{
    const struct self_test test = {.outcome = SELF_TEST_REFUSED, .refusal = SWITCH_REFUSAL_NO_BTF};

    (void)state;
    assert_string_equal(self_test_text(&test), switch_refusal_text(SWITCH_REFUSAL_NO_BTF));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(self_test__passes_where_both_count_the_same, setup),
        cmocka_unit_test_setup(self_test__tells_about_which_event_they_disagree, setup),
        cmocka_unit_test_setup(self_test__of_a_process_that_is_not_counted_is_not_passed, setup),
        cmocka_unit_test_setup(text__of_a_refusal_is_its_own, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
