/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include "base/clock.h"
#include "count/counter_set.h"
#include "count/mechanism.h"
#include "support/fake_perf.h"

/* Two CPUs, one group of two events: config 1 leads. */
struct fixture {
    struct fake_perf perf;
    struct event events[2];
    struct event_groups *groups;
    struct cpu_list *cpus;
    struct mechanism *mechanism;
    struct counter_set *set;
    struct sample *sample;
    uint64_t now_ns;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    const struct event *events[] = {&f->events[0], &f->events[1]};
    const struct group_spec spec = {.name = "core", .events = events, .n_events = 2};
    struct scope scope = {.kind = SCOPE_SYSTEM, .cgroup_fd = -1};

    fake_perf_init(&f->perf);
    f->events[0] = (struct event){.name = (char *)"one", .metric = (char *)"one"};
    f->events[1] = (struct event){.name = (char *)"two", .metric = (char *)"two"};
    f->events[0].code.config = 1;
    f->events[1].code.config = 2;
    assert_int_equal(event_groups_new(SCOPE_SYSTEM, &spec, 1, &f->groups), 0);
    assert_int_equal(cpu_list_parse("0-1", &f->cpus), 0);
    scope.cpus = f->cpus;
    f->mechanism = mechanism_direct_new(&f->perf.ops);
    f->mechanism->descriptors = 100;
    assert_int_equal(counter_set_new(f->mechanism, f->groups, &scope, &f->set), 0);
    f->sample = sample_new(f->groups);
    f->now_ns = 1000 * NS_PER_SECOND;
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    f->set = counter_set_free(f->set);
    assert_int_equal(f->perf.n_open, 0); /* nothing leaks, in any test */
    assert_int_equal(f->mechanism->open_counters, 0);
    (void)mechanism_free(f->mechanism);
    (void)sample_free(f->sample);
    (void)event_groups_free(f->groups);
    (void)cpu_list_free(f->cpus);
    free(f);
    return 0;
}

static void open_set(struct fixture *f)
{
    assert_int_equal(f->mechanism->open(f->mechanism, &f->set, 1), 0);
}

static void read_after(struct fixture *f, uint64_t ns)
{
    f->now_ns += ns;
    counter_set_read(f->set, f->now_ns, f->sample);
}

/* Opens and takes the base reading. */
static void start(struct fixture *f)
{
    open_set(f);
    read_after(f, NS_PER_SECOND);
}

static void open__a_group_is_opened_disabled_and_enabled_as_a_whole_on_every_cpu(void **state)
{
    struct fixture *f = *state;

    open_set(f);
    assert_int_equal(f->perf.n_open, 4);
    assert_int_equal(f->mechanism->open_counters, 4);
    for (int cpu = 0; cpu < 2; cpu++) {
        struct fake_event *leader = fake_find(&f->perf, 1, cpu);
        struct fake_event *sibling = fake_find(&f->perf, 2, cpu);

        assert_true(leader->attr.disabled);
        assert_true(leader->enabled);
        assert_false(sibling->attr.disabled);
        assert_ptr_equal(&f->perf.events[sibling->leader], leader);
        assert_false(leader->attr.pinned);
    }
    assert_false(counter_set_is_incomplete(f->set));
}

static void read__the_first_reading_is_the_base_and_counts_nothing(void **state)
{
    struct fixture *f = *state;

    open_set(f);
    fake_run(&f->perf, 1, 0, 500, 500);
    fake_count(&f->perf, 1, 0, 77);
    read_after(f, NS_PER_SECOND);
    assert_true(f->sample->groups[0].counted);
    assert_true(f->sample->groups[0].unknown);
    assert_int_equal(f->sample->events[0].count, 0);
}

static void read__deltas_of_all_cpus_are_added(void **state)
{
    struct fixture *f = *state;

    start(f);
    fake_run(&f->perf, 1, 0, 1000, 1000);
    fake_run(&f->perf, 1, 1, 2000, 2000);
    fake_count(&f->perf, 1, 0, 10);
    fake_count(&f->perf, 1, 1, 20);
    fake_count(&f->perf, 2, 1, 5);
    read_after(f, 2 * NS_PER_SECOND);
    assert_int_equal(f->sample->events[0].count, 30);
    assert_int_equal(f->sample->events[1].count, 5);
    assert_true(f->sample->events[0].per_second == 15.0);
    assert_int_equal(f->sample->groups[0].enabled, 3000);
    assert_true(f->sample->groups[0].ran);
    assert_false(f->sample->groups[0].unknown);
}

static void read__a_target_that_did_not_run_counts_nothing_and_is_known(void **state)
{
    struct fixture *f = *state;

    start(f);
    read_after(f, NS_PER_SECOND);
    assert_int_equal(f->sample->events[0].count, 0);
    assert_false(f->sample->groups[0].ran);
    assert_false(f->sample->groups[0].unknown);
    assert_true(f->sample->groups[0].counted);
}

static void read__a_multiplexed_group_is_scaled(void **state)
{
    struct fixture *f = *state;

    start(f);
    fake_run(&f->perf, 1, 0, 1000, 250);
    fake_count(&f->perf, 1, 0, 10);
    read_after(f, NS_PER_SECOND);
    assert_int_equal(f->sample->events[0].count, 40);
    assert_true(f->sample->events[0].exact == 40.0);
    assert_int_equal(f->sample->groups[0].enabled, 1000);
    assert_int_equal(f->sample->groups[0].running, 250);
}

static void read__an_unknown_delta_is_carried_and_its_rate_is_over_both_intervals(void **state)
{
    struct fixture *f = *state;

    start(f);
    fake_run(&f->perf, 1, 0, 1000, 0);
    read_after(f, NS_PER_SECOND);
    assert_true(f->sample->groups[0].unknown);
    assert_int_equal(f->sample->events[0].count, 0);
    assert_int_equal(f->sample->groups[0].enabled, 1000); /* coverage 0 is told */
    assert_int_equal(f->sample->groups[0].running, 0);

    fake_run(&f->perf, 1, 0, 1000, 500);
    fake_count(&f->perf, 1, 0, 100);
    read_after(f, NS_PER_SECOND);
    assert_false(f->sample->groups[0].unknown);
    assert_int_equal(f->sample->events[0].count, 400); /* of 2000 enabled, 500 running */
    assert_true(f->sample->events[0].per_second == 200.0);
    assert_int_equal(f->sample->groups[0].enabled, 1000);
}

static void read__a_value_that_goes_backwards_makes_no_jump(void **state)
{
    struct fixture *f = *state;

    start(f);
    fake_find(&f->perf, 1, 0)->value = 1000;
    fake_run(&f->perf, 1, 0, 1000, 1000);
    read_after(f, NS_PER_SECOND);
    assert_int_equal(f->sample->events[0].count, 1000);

    fake_find(&f->perf, 1, 0)->value = 400;
    fake_run(&f->perf, 1, 0, 1000, 1000);
    read_after(f, NS_PER_SECOND);
    assert_int_equal(f->sample->events[0].count, 0);
    assert_true(f->sample->groups[0].unknown);

    fake_find(&f->perf, 1, 0)->value = 410;
    fake_run(&f->perf, 1, 0, 1000, 1000);
    read_after(f, NS_PER_SECOND);
    assert_int_equal(f->sample->events[0].count, 10);
}

static void read__a_value_that_passes_2_to_the_64_goes_on(void **state)
{
    struct fixture *f = *state;

    open_set(f);
    fake_find(&f->perf, 1, 0)->value = UINT64_MAX - 4;
    read_after(f, NS_PER_SECOND);
    fake_find(&f->perf, 1, 0)->value = 5;
    fake_run(&f->perf, 1, 0, 1000, 1000);
    read_after(f, NS_PER_SECOND);
    assert_int_equal(f->sample->events[0].count, 10);
    assert_false(f->sample->groups[0].unknown);
}

static ssize_t fail_with_eio(struct fake_perf *perf, int fd)
{
    return perf->events[fd].cpu == 0 ? -EIO : 1;
}

static ssize_t fail_with_end_of_file(struct fake_perf *perf, int fd)
{
    return perf->events[fd].cpu == 0 ? 0 : 1;
}

static ssize_t fail_with_short_read(struct fake_perf *perf, int fd)
{
    return perf->events[fd].cpu == 0 ? 24 : 1;
}

static void check_reopened(struct fixture *f, ssize_t (*failure)(struct fake_perf *, int))
{
    start(f);
    f->perf.refuse_read = failure;
    fake_run(&f->perf, 1, 1, 1000, 1000);
    fake_count(&f->perf, 1, 1, 7);
    read_after(f, NS_PER_SECOND);
    assert_true(f->sample->groups[0].unknown);       /* no rate, no ratio of half the CPUs … */
    assert_int_equal(f->sample->events[0].count, 7); /* … but nothing counted is lost */
    assert_true(counter_set_wants_open(f->set, f->now_ns));
    assert_int_equal(f->mechanism->reopened, 1);
    assert_int_equal(f->perf.n_open, 2);

    f->perf.refuse_read = NULL;
    open_set(f);
    assert_int_equal(f->perf.n_open, 4);
    read_after(f, NS_PER_SECOND);
    fake_run(&f->perf, 1, 0, 1000, 1000);
    fake_count(&f->perf, 1, 0, 3);
    read_after(f, NS_PER_SECOND);
    assert_int_equal(f->sample->events[0].count, 3);
    assert_false(f->sample->groups[0].unknown);
}

static void read__eio_reopens_the_group(void **state)
{
    check_reopened(*state, fail_with_eio);
}

static void read__end_of_file_reopens_the_group(void **state)
{
    check_reopened(*state, fail_with_end_of_file);
}

static void read__a_short_reading_reopens_the_group(void **state)
{
    check_reopened(*state, fail_with_short_read);
}

static void read__a_sibling_that_has_left_the_group_reopens_it(void **state)
{
    struct fixture *f = *state;

    start(f);
    fake_close(&f->perf, (int)(fake_find(&f->perf, 2, 0) - f->perf.events));
    read_after(f, NS_PER_SECOND);
    assert_true(f->sample->groups[0].unknown);
    assert_true(counter_set_is_incomplete(f->set));
}

static int refuse_second_cpu(struct fake_perf *perf, const struct perf_event_attr *attr, int cpu,
                             int group_fd)
{
    (void)perf;
    (void)attr;
    (void)group_fd;
    return cpu == 1 ? -ENOMEM : 0;
}

static void open__a_group_that_fails_on_one_cpu_is_open_on_none(void **state)
{
    struct fixture *f = *state;

    f->perf.refuse_open = refuse_second_cpu;
    open_set(f);
    assert_int_equal(f->perf.n_open, 0);
    assert_int_equal(counter_set_absence(f->set), ABSENCE_NO_DESCRIPTORS);
    read_after(f, NS_PER_SECOND);
    assert_false(f->sample->groups[0].counted);
    assert_true(counter_set_wants_open(f->set, clock_monotonic_ns())); /* at once … */

    open_set(f);
    assert_false(counter_set_wants_open(f->set, clock_monotonic_ns())); /* … then not at once */

    f->perf.refuse_open = NULL;
    open_set(f);
    assert_int_equal(f->perf.n_open, 4);
    assert_int_equal(counter_set_absence(f->set), ABSENCE_NONE);
}

static int refuse_siblings(struct fake_perf *perf, const struct perf_event_attr *attr, int cpu,
                           int group_fd)
{
    (void)perf;
    (void)attr;
    (void)cpu;
    return group_fd >= 0 ? -EMFILE : 0;
}

static void open__leaves_no_half_open_group_behind(void **state)
{
    struct fixture *f = *state;

    f->perf.refuse_open = refuse_siblings;
    open_set(f);
    assert_int_equal(f->perf.n_open, 0);
    assert_int_equal(counter_set_absence(f->set), ABSENCE_NO_DESCRIPTORS);
}

static int refuse_offline_cpu(struct fake_perf *perf, const struct perf_event_attr *attr, int cpu,
                              int group_fd)
{
    (void)perf;
    (void)attr;
    (void)group_fd;
    return cpu == 1 ? -ENODEV : 0;
}

static void open__a_cpu_that_is_offline_is_left_out_and_the_others_count(void **state)
{
    struct fixture *f = *state;

    f->perf.refuse_open = refuse_offline_cpu;
    start(f);
    assert_int_equal(f->perf.n_open, 2);
    fake_run(&f->perf, 1, 0, 1000, 1000);
    fake_count(&f->perf, 1, 0, 9);
    read_after(f, NS_PER_SECOND);
    assert_int_equal(f->sample->events[0].count, 9);
    assert_false(f->sample->groups[0].unknown);
    assert_int_equal(counter_set_absence(f->set), ABSENCE_NONE);
}

static void open__keeps_to_the_limit_of_descriptors(void **state)
{
    struct fixture *f = *state;

    f->mechanism->descriptors = 3;
    open_set(f);
    assert_int_equal(f->perf.n_open, 0);
    assert_int_equal(counter_set_absence(f->set), ABSENCE_NO_DESCRIPTORS);
}

static void read__a_group_that_waits_for_its_first_turn_has_not_counted_zero(void **state)
{
    struct fixture *f = *state;

    open_set(f);
    fake_run(&f->perf, 1, 0, 1000, 0);
    fake_run(&f->perf, 1, 1, 1000, 0);
    read_after(f, NS_PER_SECOND);
    assert_false(f->sample->groups[0].counted);
    fake_run(&f->perf, 1, 0, 1000, 0);
    read_after(f, NS_PER_SECOND);
    assert_false(f->sample->groups[0].counted);
    read_after(f, NS_PER_SECOND); /* idle, and still it has never had the PMU */
    assert_false(f->sample->groups[0].counted);
    fake_run(&f->perf, 1, 0, 1000, 1000);
    fake_count(&f->perf, 1, 0, 6);
    read_after(f, NS_PER_SECOND);
    assert_true(f->sample->groups[0].counted);
    assert_int_equal(f->sample->events[0].count,
                     12); /* 2000 enabled since the base, 1000 running */
}

static void read__an_idle_interval_does_not_make_a_carried_delta_unknown_again(void **state)
{
    struct fixture *f = *state;

    start(f);
    fake_run(&f->perf, 1, 0, 1000, 0);
    read_after(f, NS_PER_SECOND);
    assert_true(f->sample->groups[0].unknown);
    read_after(f, NS_PER_SECOND); /* the target did not run: rate 0, and the carry waits */
    assert_false(f->sample->groups[0].unknown);
    assert_true(f->sample->groups[0].counted);
    assert_false(f->sample->groups[0].ran);
    fake_run(&f->perf, 1, 0, 1000, 500);
    fake_count(&f->perf, 1, 0, 10);
    read_after(f, NS_PER_SECOND);
    assert_int_equal(f->sample->events[0].count, 40);
}

static void open__refuses_whole_sets_and_counts_those_that_fit(void **state)
{
    struct fixture *f = *state;
    const struct scope scope = {.kind = SCOPE_SYSTEM, .cgroup_fd = -1, .cpus = f->cpus};
    struct counter_set *sets[2] = {f->set, NULL};

    assert_int_equal(counter_set_new(f->mechanism, f->groups, &scope, &sets[1]), 0);
    f->mechanism->descriptors = 7; /* one set takes 4 */
    assert_int_equal(f->mechanism->open(f->mechanism, sets, 2), 0);
    assert_int_equal(f->perf.n_open, 4);
    assert_int_equal(counter_set_absence(sets[0]), ABSENCE_NONE);
    assert_int_equal(counter_set_absence(sets[1]), ABSENCE_NO_DESCRIPTORS);
    sets[1] = counter_set_free(sets[1]);
}

static void open__a_counting_group_keeps_its_other_cpus_when_one_cannot_be_reopened(void **state)
{
    struct fixture *f = *state;

    start(f);
    f->perf.refuse_read = fail_with_eio; /* of CPU 0 */
    read_after(f, NS_PER_SECOND);
    f->perf.refuse_read = NULL;
    f->perf.refuse_open = refuse_siblings;
    fake_run(&f->perf, 1, 1, 1000, 1000);
    fake_count(&f->perf, 1, 1, 50);
    open_set(f);
    assert_int_equal(f->perf.n_open, 2);
    read_after(f, NS_PER_SECOND);
    assert_int_equal(f->sample->events[0].count, 50);
    assert_true(f->sample->groups[0].unknown); /* no rate of half the CPUs */
    assert_int_equal(counter_set_absence(f->set), ABSENCE_NO_DESCRIPTORS);
}

static void absence__of_a_set_with_nothing_to_open_is_that_of_its_events(void **state)
{
    struct fixture *f = *state;
    const enum absence absences[] = {ABSENCE_NOT_PERMITTED, ABSENCE_NOT_PERMITTED};

    event_groups_apply(f->groups, absences);
    assert_int_equal(counter_set_absence(f->set), ABSENCE_NOT_PERMITTED);
}

static void close__forgets_the_base_so_that_what_comes_is_counted_afresh(void **state)
{
    struct fixture *f = *state;

    start(f);
    counter_set_close(f->set);
    assert_int_equal(f->perf.n_open, 0);
    start(f);
    fake_run(&f->perf, 1, 0, 1000, 1000);
    fake_count(&f->perf, 1, 0, 4);
    read_after(f, NS_PER_SECOND);
    assert_int_equal(f->sample->events[0].count, 4);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(open__a_group_is_opened_disabled_and_enabled_as_a_whole_on_every_cpu),
        TEST(read__the_first_reading_is_the_base_and_counts_nothing),
        TEST(read__deltas_of_all_cpus_are_added),
        TEST(read__a_target_that_did_not_run_counts_nothing_and_is_known),
        TEST(read__a_multiplexed_group_is_scaled),
        TEST(read__an_unknown_delta_is_carried_and_its_rate_is_over_both_intervals),
        TEST(read__a_value_that_goes_backwards_makes_no_jump),
        TEST(read__a_value_that_passes_2_to_the_64_goes_on),
        TEST(read__eio_reopens_the_group),
        TEST(read__end_of_file_reopens_the_group),
        TEST(read__a_short_reading_reopens_the_group),
        TEST(read__a_sibling_that_has_left_the_group_reopens_it),
        TEST(open__a_group_that_fails_on_one_cpu_is_open_on_none),
        TEST(open__leaves_no_half_open_group_behind),
        TEST(open__a_cpu_that_is_offline_is_left_out_and_the_others_count),
        TEST(open__keeps_to_the_limit_of_descriptors),
        TEST(read__a_group_that_waits_for_its_first_turn_has_not_counted_zero),
        TEST(read__an_idle_interval_does_not_make_a_carried_delta_unknown_again),
        TEST(open__refuses_whole_sets_and_counts_those_that_fit),
        TEST(open__a_counting_group_keeps_its_other_cpus_when_one_cannot_be_reopened),
        TEST(absence__of_a_set_with_nothing_to_open_is_that_of_its_events),
        TEST(close__forgets_the_base_so_that_what_comes_is_counted_afresh),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
