/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of cgroups that stand still while these run. */
#include "cycle/collector_fixture.h"

static const char software[] = "groups: [{name: software, events: [page-faults]}]\n"
                               "targets: {cgroups: [{include: [\"/*\"], groups: [software]}]}\n";

static int set_up_cgroup(void **state)
{
    int r = set_up(state);

    make(*state, "a");
    write_usage(*state, "a", 0);
    start(*state, software);
    cycle(*state);
    return r;
}

static int tear_down_cgroup(void **state)
{
    remove_usage(*state, "a");
    return tear_down(state);
}

static void counters__that_move_with_the_cgroup_are_believed(void **state)
{
    struct fixture *f = *state;

    for (unsigned i = 1; i <= 6; i++) {
        write_usage(f, "a", 1000000UL * i);
        count(f, 1);
        cycle(f);
        assert_false(collector_stands_still(f->collector));
    }
}

static void counters__of_a_cgroup_that_rests_are_believed(void **state)
{
    struct fixture *f = *state;

    for (unsigned i = 1; i <= 6; i++) {
        cycle(f);
        assert_false(collector_stands_still(f->collector));
    }
}

static void counters__that_stand_still_are_told_at_the_second_look_and_once(void **state)
{
    struct fixture *f = *state;

    write_usage(f, "a", 1000000);
    cycle(f);
    assert_false(collector_stands_still(f->collector));
    write_usage(f, "a", 2000000);
    cycle(f);
    assert_true(collector_stands_still(f->collector));
    assert_false(collector_stands_still(f->collector));
}

/* The CPU time is read a little later than the counters, so a little of it proves nothing. */
static void counters__that_move_after_a_look_in_doubt_are_believed(void **state)
{
    struct fixture *f = *state;

    write_usage(f, "a", 1000000);
    cycle(f);
    count(f, 1);
    for (int i = 0; i < 4; i++) {
        cycle(f);
        assert_false(collector_stands_still(f->collector));
    }
}

#define CGROUP_TEST(name) cmocka_unit_test_setup_teardown(name, set_up_cgroup, tear_down_cgroup)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CGROUP_TEST(counters__that_move_with_the_cgroup_are_believed),
        CGROUP_TEST(counters__of_a_cgroup_that_rests_are_believed),
        CGROUP_TEST(counters__that_stand_still_are_told_at_the_second_look_and_once),
        CGROUP_TEST(counters__that_move_after_a_look_in_doubt_are_believed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
