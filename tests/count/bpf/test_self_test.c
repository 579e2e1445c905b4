/* SPDX-License-Identifier: Apache-2.0 */
#include "count/bpf/self_test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/check.h"

/* The real kernel, with what a test changes of its answers. */
struct liar {
    uint64_t more;    /* is added to each value that direct reads */
    unsigned most;    /* by so many readings alone; 0: by all */
    unsigned n_reads; /* that had more */
    bool threads;     /* events cannot be opened on threads */
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
    if (liar.most == 0 || liar.n_reads++ < liar.most)
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

/* Tries several times: the machine may be too busy for a moment, or hide a switch. */
#define MOST_TRIES 20

struct fixture {
    struct cpu_list *cpus;
    struct mechanism *bpf;
};

/* Runs the test with the same mechanism each time. */
static struct self_test run(struct fixture *f)
{
    struct self_test test;
    int tries = 0;

    do
        assert_int_equal(self_test_run(&ops, f->cpus, -1, f->bpf, &test), 0);
    while ((test.outcome == SELF_TEST_NO_PROCESS || test.outcome == SELF_TEST_DOUBTFUL) &&
           ++tries < MOST_TRIES);
    if (test.outcome == SELF_TEST_NAMESPACE) {
        print_message("skipped: %s\n", self_test_text(&test));
        skip();
    }
    if (test.outcome == SELF_TEST_DIFFERS)
        print_message("%s: direct %llu, bpf %llu\n", test.event, (unsigned long long)test.direct,
                      (unsigned long long)test.bpf);
    return test;
}

/* The mechanism has room for nothing but the self-test. */
static void make_mechanism(struct fixture *f)
{
    const struct switch_program_size size = {
        .n_cpus = (size_t)f->cpus->cpus[f->cpus->n - 1].value + 1,
        .n_slots = SWITCH_PROGRAM_FIRST + SELF_TEST_SLOTS,
        .n_lanes = SELF_TEST_LANES,
        .n_watched = SELF_TEST_PROCESSES,
    };
    enum bpf_refusal refusal;

    if (mechanism_bpf_new(&ops, &size, &f->bpf, &refusal) < 0) {
        print_message("skipped: %s\n", bpf_refusal_text(refusal));
        skip();
    }
}

static int setup(void **state)
{
    AUTO_CLOSE int sysfs = open("/sys", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct fixture *f = calloc(1, sizeof(*f));

    assert_non_null(f);
    assert_int_equal(cpu_list_read_online(sysfs, &f->cpus), 0);
    liar = (struct liar){0};
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    (void)mechanism_free(f->bpf);
    (void)cpu_list_free(f->cpus);
    free(f);
    return 0;
}

static void self_test__passes_where_both_count_the_same(void **state)
{
    struct fixture *f = *state;
    struct self_test test;

    make_mechanism(f);
    test = run(f);
    assert_string_equal(self_test_text(&test), "the self-test has passed");
    assert_int_equal(test.outcome, SELF_TEST_PASSED);
}

/* The mechanism is as before: it has room for one process, and a second run finds it empty. */
static void self_test__leaves_the_mechanism_to_who_uses_it(void **state)
{
    struct fixture *f = *state;

    make_mechanism(f);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(run(f).outcome, SELF_TEST_PASSED);
        assert_int_equal(f->bpf->open_counters, 0);
        for (size_t lane = 0; lane < SELF_TEST_LANES; lane++) {
            assert_int_equal(mechanism_bpf_charged_to_nobody(f->bpf, SWITCH_PROGRAM_REST, lane), 0);
            assert_int_equal(
                mechanism_bpf_charged_to_nobody(f->bpf, SWITCH_PROGRAM_NO_PROCESSES, lane), 0);
        }
    }
}

static void self_test__tells_about_which_event_they_disagree(void **state)
{
    struct fixture *f = *state;
    struct self_test test;

    make_mechanism(f);
    liar.more = 1000;
    test = run(f);
    assert_int_equal(test.outcome, SELF_TEST_DIFFERS);
    assert_string_equal(test.event, "page-faults");
    assert_true(test.direct >= test.bpf + 900);
}

static void self_test__passes_where_they_disagree_once(void **state)
{
    struct fixture *f = *state;

    make_mechanism(f);
    liar.more = 1000;
    liar.most = 4; /* those of one run */
    assert_int_equal(run(f).outcome, SELF_TEST_PASSED);
}

static void self_test__of_a_process_that_is_not_counted_is_not_passed(void **state)
{
    struct fixture *f = *state;

    make_mechanism(f);
    liar.threads = true;
    assert_int_equal(run(f).outcome, SELF_TEST_NOT_COUNTED);
}

static void text__of_a_refusal_is_its_own(void **state)
{
    const struct self_test test = {.outcome = SELF_TEST_REFUSED, .refusal = BPF_REFUSAL_NO_BTF};

    (void)state;
    assert_string_equal(self_test_text(&test), bpf_refusal_text(BPF_REFUSAL_NO_BTF));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(self_test__passes_where_both_count_the_same, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(self_test__leaves_the_mechanism_to_who_uses_it, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(self_test__tells_about_which_event_they_disagree, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(self_test__passes_where_they_disagree_once, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(self_test__of_a_process_that_is_not_counted_is_not_passed,
                                        setup, teardown),
        cmocka_unit_test(text__of_a_refusal_is_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
