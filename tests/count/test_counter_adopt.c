/* SPDX-License-Identifier: Apache-2.0 */
#include "count/counter_set_fixture.h"

/* Replaces the fixture's set by one on other CPUs, which adopts the old one. Returns the old one.
 */
static struct counter_set *succeed(struct fixture *f, struct cpu_list *cpus,
                                   const struct cpu_list *continuing)
{
    const struct scope scope = {.kind = SCOPE_SYSTEM, .cgroup_fd = -1, .cpus = cpus};
    struct counter_set *before = f->set;

    assert_int_equal(counter_set_new(f->mechanism, f->groups, &scope, &f->set), 0);
    counter_set_adopt(f->set, before, continuing);
    return before;
}

static struct cpu_list *list(const char *text)
{
    struct cpu_list *cpus;

    assert_int_equal(cpu_list_parse(text, &cpus), 0);
    return cpus;
}

static void count_on_0(struct fixture *f)
{
    fake_run(&f->perf, 1, 0, 1000, 1000);
    fake_count(&f->perf, 1, 0, 5);
}

static void adopt__the_cpu_that_stays_goes_on_with_its_base(void **state)
{
    struct fixture *f = *state;
    struct cpu_list *cpus = list("0");
    struct counter_set *before;

    start(f);
    count_on_0(f);
    before = succeed(f, cpus, NULL);
    assert_int_equal(f->perf.n_open, 4);
    (void)counter_set_free(before); /* closes what is still open on CPU 1 */
    assert_int_equal(f->perf.n_open, 2);
    assert_false(counter_set_is_incomplete(f->set));
    read_after(f, NS_PER_SECOND);
    assert_int_equal(f->sample->events[0].count, 5);
    f->set = counter_set_free(f->set);
    (void)cpu_list_free(cpus);
}

static void adopt__the_one_that_has_gone_is_read_a_last_time(void **state)
{
    struct fixture *f = *state;
    struct cpu_list *cpus = list("0");
    struct counter_set *before;

    start(f);
    fake_run(&f->perf, 1, 1, 1000, 1000);
    fake_count(&f->perf, 1, 1, 9);
    before = succeed(f, cpus, NULL);
    counter_set_read(before, f->now_ns + NS_PER_SECOND, f->sample);
    assert_int_equal(f->sample->events[0].count, 9);
    (void)counter_set_free(before);
    f->set = counter_set_free(f->set);
    (void)cpu_list_free(cpus);
}

static void adopt__the_time_on_a_cpu_goes_on(void **state)
{
    struct fixture *f = *state;
    uint64_t ran_ns[] = {UINT64_MAX, UINT64_MAX};
    struct counter_set *before;

    start(f);
    fake_run(&f->perf, 1, 0, 1000, 1000);
    read_after(f, NS_PER_SECOND);
    before = succeed(f, f->cpus, f->cpus);
    (void)counter_set_free(before);
    fake_run(&f->perf, 1, 0, 200, 200);
    read_after(f, NS_PER_SECOND);
    counter_set_add_ran(f->set, f->cpus, ran_ns);
    assert_int_equal(ran_ns[0], 1200);
    assert_int_equal(ran_ns[1], 0);
}

static void adopt__a_newcomer_is_opened_beside_what_goes_on(void **state)
{
    struct fixture *f = *state;
    struct cpu_list *cpus = list("0-2");
    struct counter_set *before;

    start(f);
    count_on_0(f);
    before = succeed(f, cpus, f->cpus);
    (void)counter_set_free(before);
    assert_true(counter_set_wants_open(f->set, f->now_ns));
    open_set(f);
    assert_int_equal(f->perf.n_open, 6);
    read_after(f, NS_PER_SECOND);
    assert_int_equal(f->sample->events[0].count, 5);
    f->set = counter_set_free(f->set);
    (void)cpu_list_free(cpus);
}

static void adopt__what_is_frozen_is_opened_afresh(void **state)
{
    struct fixture *f = *state;
    AUTO(cpu_list) struct cpu_list *continuing = list("0");
    struct counter_set *before;

    start(f);
    count_on_0(f);
    before = succeed(f, f->cpus, continuing); /* CPU 1 was away for a moment */
    open_set(f);
    assert_int_equal(f->perf.n_open, 6);
    (void)counter_set_free(before);
    assert_int_equal(f->perf.n_open, 4);
    read_after(f, NS_PER_SECOND);
    assert_int_equal(f->sample->events[0].count, 5);
    assert_true(f->sample->groups[0].unknown); /* CPU 1 has its base only now */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(adopt__the_cpu_that_stays_goes_on_with_its_base),
        TEST(adopt__the_one_that_has_gone_is_read_a_last_time),
        TEST(adopt__the_time_on_a_cpu_goes_on),
        TEST(adopt__a_newcomer_is_opened_beside_what_goes_on),
        TEST(adopt__what_is_frozen_is_opened_afresh),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
