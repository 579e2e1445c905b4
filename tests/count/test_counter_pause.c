/* SPDX-License-Identifier: Apache-2.0 */
/* During a pause hardware groups stand still, also those that are opened or adopted meanwhile. */
#include "count/counter_set_fixture.h"

#include "count/counter_cells.h"

static int set_up_hardware(void **state)
{
    int r = set_up(state);
    struct fixture *f = *state;

    f->events[0].takes_counter = true; /* one event of the group is enough */
    return r;
}

static void set_paused(struct fixture *f, bool paused)
{
    f->mechanism->paused = paused;
    counter_set_follow_pause(f->set);
}

static int n_enabled(const struct fixture *f)
{
    int n = 0;

    for (int i = 0; i < f->perf.next; i++)
        n += f->perf.events[i].open && f->perf.events[i].leader == i && f->perf.events[i].enabled;
    return n;
}

/* Does what the kernel does: a disabled group neither counts nor is enabled for any time. */
static void run(struct fixture *f, uint64_t count)
{
    for (int cpu = 0; cpu < 2; cpu++)
        if (f->perf.events[fake_find(&f->perf, 1, cpu)->leader].enabled) {
            fake_run(&f->perf, 1, cpu, 1000, 1000);
            fake_count(&f->perf, 1, cpu, count);
        }
}

static void paused__hardware_groups_stand_still_and_have_no_rates(void **state)
{
    struct fixture *f = *state;

    start(f);
    run(f, 10);
    read_after(f, NS_PER_SECOND);
    assert_int_equal(n_enabled(f), 2);
    run(f, 10);
    set_paused(f, true);
    assert_int_equal(n_enabled(f), 0);
    run(f, 10);
    read_after(f, NS_PER_SECOND);
    assert_int_equal(f->sample->events[0].count, 20); /* what was counted before the pause */
    assert_true(f->sample->groups[0].unknown);
    for (int i = 0; i < 5; i++) {
        run(f, 10);
        read_after(f, NS_PER_SECOND);
        assert_int_equal(f->sample->events[0].count, 0);
        assert_true(f->sample->groups[0].counted); /* the totals stay */
        assert_true(f->sample->groups[0].unknown);
        assert_false(f->sample->groups[0].ran);
    }
}

static void the_end__counts_go_on_and_rates_after_a_whole_interval(void **state)
{
    struct fixture *f = *state;

    start(f);
    set_paused(f, true);
    read_after(f, NS_PER_SECOND);
    read_after(f, NS_PER_SECOND);
    set_paused(f, false);
    assert_int_equal(n_enabled(f), 2);
    run(f, 7);
    read_after(f, NS_PER_SECOND);
    assert_int_equal(f->sample->events[0].count, 14); /* no count is lost */
    assert_true(f->sample->groups[0].unknown); /* the time in which it was counted is not known */
    run(f, 7);
    read_after(f, NS_PER_SECOND);
    assert_int_equal(f->sample->events[0].count, 14);
    assert_true(f->sample->events[0].per_second == 14.0);
    assert_false(f->sample->groups[0].unknown);
}

static void the_end__between_the_same_two_readings_leaves_no_rate(void **state)
{
    struct fixture *f = *state;

    start(f);
    set_paused(f, true);
    set_paused(f, false);
    run(f, 7);
    read_after(f, NS_PER_SECOND);
    assert_int_equal(f->sample->events[0].count, 14);
    assert_true(f->sample->groups[0].unknown);
    run(f, 7);
    read_after(f, NS_PER_SECOND);
    assert_false(f->sample->groups[0].unknown);
}

static void the_end__of_a_carried_delta_has_no_rate_before_its_base_moves(void **state)
{
    struct fixture *f = *state;

    start(f);
    fake_run(&f->perf, 1, 0, 1000, 1); /* the group hardly ran, so that the base is kept */
    read_after(f, NS_PER_SECOND);
    set_paused(f, true);
    read_after(f, NS_PER_SECOND);
    set_paused(f, false);
    read_after(f, NS_PER_SECOND);
    read_after(f, NS_PER_SECOND);
    run(f, 7); /* the delta is of all five seconds, one of which was paused */
    read_after(f, NS_PER_SECOND);
    assert_true(f->sample->groups[0].unknown);
    run(f, 7);
    read_after(f, NS_PER_SECOND);
    assert_false(f->sample->groups[0].unknown);
}

static void paused__software_groups_go_on(void **state)
{
    struct fixture *f = *state;

    start(f); /* no event of set_up() takes a counter */
    set_paused(f, true);
    assert_int_equal(n_enabled(f), 2);
    run(f, 5);
    read_after(f, NS_PER_SECOND);
    assert_int_equal(f->sample->events[0].count, 10);
    assert_false(f->sample->groups[0].unknown);
}

static void paused__the_newborn_are_opened_and_wait(void **state)
{
    struct fixture *f = *state;

    f->mechanism->paused = true;
    start(f);
    assert_int_equal(f->perf.n_open, 4);
    assert_int_equal(n_enabled(f), 0);
    run(f, 5);
    read_after(f, NS_PER_SECOND);
    assert_int_equal(f->sample->events[0].count, 0);
    assert_true(f->sample->groups[0].unknown);
    set_paused(f, false);
    run(f, 5);
    read_after(f, NS_PER_SECOND);
    assert_int_equal(f->sample->events[0].count, 10);
}

static void paused__what_is_opened_again_waits(void **state)
{
    struct fixture *f = *state;

    start(f);
    set_paused(f, true);
    counter_group_close(f->set, 0);
    open_set(f);
    assert_int_equal(f->perf.n_open, 4);
    assert_int_equal(n_enabled(f), 0);
}

static void paused__an_heir_goes_on_waiting(void **state)
{
    struct fixture *f = *state;
    const struct scope scope = {.kind = SCOPE_SYSTEM, .cgroup_fd = -1, .cpus = f->cpus};
    struct counter_set *heir;

    start(f);
    run(f, 5);
    set_paused(f, true);
    assert_int_equal(counter_set_new(f->mechanism, f->groups, &scope, &heir), 0);
    counter_set_adopt(heir, f->set, NULL);
    f->set = counter_set_free(f->set);
    f->set = heir;
    assert_int_equal(f->perf.n_open, 4);
    assert_int_equal(n_enabled(f), 0);
    read_after(f, NS_PER_SECOND);
    assert_int_equal(f->sample->events[0].count, 10);
    assert_true(f->sample->groups[0].unknown);
    set_paused(f, false);
    assert_int_equal(n_enabled(f), 2);
}

static void a_group_that_cannot_be_disabled_is_opened_again(void **state)
{
    struct fixture *f = *state;

    start(f);
    f->perf.ioctl_error = -EINVAL;
    set_paused(f, true);
    assert_int_equal(f->perf.n_open, 0);
    assert_true(counter_set_is_incomplete(f->set));
    f->perf.ioctl_error = 0;
    open_set(f);
    assert_int_equal(f->perf.n_open, 4);
    assert_int_equal(n_enabled(f), 0);
}

#define HARDWARE(name) cmocka_unit_test_setup_teardown(name, set_up_hardware, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        HARDWARE(paused__hardware_groups_stand_still_and_have_no_rates),
        HARDWARE(the_end__counts_go_on_and_rates_after_a_whole_interval),
        HARDWARE(the_end__between_the_same_two_readings_leaves_no_rate),
        HARDWARE(the_end__of_a_carried_delta_has_no_rate_before_its_base_moves),
        TEST(paused__software_groups_go_on),
        HARDWARE(paused__the_newborn_are_opened_and_wait),
        HARDWARE(paused__what_is_opened_again_waits),
        HARDWARE(paused__an_heir_goes_on_waiting),
        HARDWARE(a_group_that_cannot_be_disabled_is_opened_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
