/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <stdlib.h>

#include "count/pmu_probe.h"
#include "support/fake_perf.h"

enum { CYCLES, INSTRUCTIONS, BRANCHES, N_EVENTS };

struct fixture {
    struct fake_perf perf;
    struct event events[N_EVENTS];
    const struct event *wanted[N_EVENTS];
    struct cpu_list *cpus;
};

static int set_up(void **state)
{
    static const uint64_t configs[N_EVENTS] = {PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS,
                                               PERF_COUNT_HW_BRANCH_INSTRUCTIONS};
    struct fixture *f = calloc(1, sizeof(*f));

    fake_perf_init(&f->perf);
    for (size_t i = 0; i < N_EVENTS; i++) {
        f->events[i] = (struct event){.name = (char *)"event",
                                      .code = {.type = PERF_TYPE_HARDWARE, .config = configs[i]}};
        f->wanted[i] = &f->events[i];
    }
    assert_int_equal(cpu_list_parse("0-3", &f->cpus), 0);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(f->perf.n_open, 0);
    (void)cpu_list_free(f->cpus);
    free(f);
    return 0;
}

static int probe(struct fixture *f, size_t n_events)
{
    size_t n_free = 12345;
    int r = pmu_probe_free(&f->perf.ops, f->wanted, n_events, f->cpus, NULL, &n_free);

    return r < 0 ? r : (int)n_free;
}

static void probe__finds_what_others_leave(void **state)
{
    static const struct {
        int counters, taken;
    } machines[] = {{1, 0}, {1, 1}, {2, 0}, {4, 0}, {4, 1},  {4, 3},  {4, 4},
                    {6, 0}, {6, 2}, {8, 0}, {8, 5}, {16, 0}, {16, 15}};

    for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
        struct fixture *f = *state;

        fake_perf_init(&f->perf);
        f->perf.counters = machines[i].counters;
        f->perf.taken = machines[i].taken;
        assert_int_equal(probe(f, 2), machines[i].counters - machines[i].taken);
        assert_int_equal(f->perf.n_open, 0);
    }
}

static void probe__a_counter_of_cycles_is_free_once_and_only_for_who_counts_them(void **state)
{
    struct fixture *f = *state;

    f->perf.counters = 6;
    f->perf.has_cycle_counter = true;
    assert_int_equal(probe(f, N_EVENTS), 7);
    f->wanted[CYCLES] = &f->events[BRANCHES];
    assert_int_equal(probe(f, 1), 6);
}

static void probe__our_own_counters_are_not_free(void **state)
{
    struct fixture *f = *state;
    struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
                                   .config = PERF_COUNT_HW_INSTRUCTIONS};
    int fd;

    f->perf.counters = 6;
    fd = f->perf.ops.open(&f->perf, &attr, -1, 0, -1, 0);
    assert_int_equal(probe(f, N_EVENTS), 5);
    f->perf.ops.close(&f->perf, fd);
}

static void
probe__counts_on_the_first_cpu_unpinned_and_only_when_the_group_is_complete(void **state)
{
    struct fixture *f = *state;

    f->perf.counters = 4;
    assert_int_equal(probe(f, 2), 4);
    for (int i = 3; i < f->perf.next; i++) {
        assert_int_equal(f->perf.events[i].cpu, 0);
        assert_int_equal(f->perf.events[i].attr.pinned, 0);
        assert_int_equal(f->perf.events[i].attr.exclusive, 0);
        assert_int_equal(f->perf.events[i].attr.disabled, f->perf.events[i].leader == i);
    }
}

/* Only one counter can count this event: a second one is refused. */
static int refuse_second_branches(struct fake_perf *perf, const struct perf_event_attr *attr,
                                  int cpu, int group_fd)
{
    (void)cpu;
    if (attr->config != PERF_COUNT_HW_BRANCH_INSTRUCTIONS || group_fd < 0)
        return 0;
    for (int i = 0; i < perf->next; i++)
        if (perf->events[i].open && perf->events[i].leader == group_fd &&
            perf->events[i].attr.config == attr->config)
            return -EINVAL;
    return 0;
}

static void probe__an_event_with_one_counter_does_not_hide_the_others(void **state)
{
    struct fixture *f = *state;

    f->perf.counters = 6;
    f->perf.refuse_open = refuse_second_branches;
    assert_int_equal(probe(f, N_EVENTS), 6);
}

static int refusal;

static int refuse_fifth(struct fake_perf *perf, const struct perf_event_attr *attr, int cpu,
                        int group_fd)
{
    (void)attr;
    (void)cpu;
    (void)group_fd;
    return perf->n_open >= 4 ? refusal : 0;
}

static void probe__without_descriptors_cannot_tell_and_leaves_none_open(void **state)
{
    struct fixture *f = *state;

    f->perf.counters = 6;
    f->perf.refuse_open = refuse_fifth;
    refusal = -EMFILE;
    assert_int_equal(probe(f, N_EVENTS), -EMFILE);
}

static void probe__what_the_kernel_refuses_by_opening_is_not_free(void **state)
{
    struct fixture *f = *state;

    f->perf.counters = 6;
    f->perf.refuse_open = refuse_fifth;
    refusal = -ENOSPC;
    assert_int_equal(probe(f, N_EVENTS), 4);
}

static int refuse_all(struct fake_perf *perf, const struct perf_event_attr *attr, int cpu,
                      int group_fd)
{
    (void)perf;
    (void)attr;
    (void)cpu;
    (void)group_fd;
    return -ENOENT;
}

static void probe__without_events_nothing_is_free(void **state)
{
    struct fixture *f = *state;

    f->perf.counters = 6;
    assert_int_equal(probe(f, 0), 0);
    f->perf.refuse_open = refuse_all;
    assert_int_equal(probe(f, N_EVENTS), 0);
}

static ssize_t end_of_file(struct fake_perf *perf, int fd)
{
    (void)perf;
    (void)fd;
    return 0;
}

static void probe__a_group_that_reads_as_nothing_did_not_run(void **state)
{
    struct fixture *f = *state;

    f->perf.counters = 6;
    f->perf.refuse_read = end_of_file;
    assert_int_equal(probe(f, N_EVENTS), 0);
}

static void probe__takes_few_runs(void **state)
{
    struct fixture *f = *state;

    f->perf.counters = 16;
    assert_int_equal(probe(f, 2), 16);
    assert_int_equal(f->perf.n_reads, 1);
    f->perf.taken = 7;
    assert_int_equal(probe(f, 2), 9);
    assert_true(f->perf.n_reads <= 1 + 6);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(probe__finds_what_others_leave),
        TEST(probe__a_counter_of_cycles_is_free_once_and_only_for_who_counts_them),
        TEST(probe__our_own_counters_are_not_free),
        TEST(probe__counts_on_the_first_cpu_unpinned_and_only_when_the_group_is_complete),
        TEST(probe__an_event_with_one_counter_does_not_hide_the_others),
        TEST(probe__without_descriptors_cannot_tell_and_leaves_none_open),
        TEST(probe__what_the_kernel_refuses_by_opening_is_not_free),
        TEST(probe__without_events_nothing_is_free),
        TEST(probe__a_group_that_reads_as_nothing_did_not_run),
        TEST(probe__takes_few_runs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
