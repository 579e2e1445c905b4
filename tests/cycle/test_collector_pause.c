/* SPDX-License-Identifier: Apache-2.0 */
/* A pause of the service: over cycles, births and reloads. */
#include "cycle/collector_fixture.h"
#include "cycle/collector_parts.h"
#include "cycle/cpu_times.h"
#include "support/fixture_tree.h"

static const char both[] = "groups:\n"
                           "- {name: core, events: [cycles]}\n"
                           "- {name: software, events: [page-faults]}\n"
                           "targets: {cgroups: [{include: [\"/*\"], groups: [core, software]}]}\n";
static const char other[] = "groups:\n"
                            "- {name: core, events: [cycles]}\n"
                            "- {name: more, events: [instructions]}\n"
                            "targets: {cgroups: [{include: [\"/*\"], groups: [core, more]}]}\n";

static struct fixture_tree sysfs;

/* A machine with two CPUs and a PMU. */
static int set_up_machine(void **state)
{
    int r = set_up(state);
    struct fixture *f = *state;

    f->perf.counters = 8;
    sysfs = fixture_tree_open();
    fixture_tree_write(&sysfs, "bus/event_source/devices/cpu/type", "4\n");
    fixture_tree_write(&sysfs, "bus/event_source/devices/software/type", "1\n");
    fixture_tree_write(&sysfs, "devices/system/cpu/online", "0-1\n");
    use_machine(f, &sysfs);
    return r;
}

static int tear_down_machine(void **state)
{
    int r = tear_down(state);

    fixture_tree_close(&sysfs);
    return r;
}

static unsigned n_counting(const struct fixture *f, unsigned type)
{
    unsigned n = 0;

    for (int i = 0; i < f->perf.next; i++)
        n += f->perf.events[i].open && f->perf.events[i].leader == i &&
             f->perf.events[i].attr.type == type && f->perf.events[i].enabled;
    return n;
}

static void a_pause_is_shown_and_leaves_software_events_alone(void **state)
{
    struct fixture *f = *state;

    make(f, "a");
    start(f, both);
    cycle(f);
    assert_int_equal(n_counting(f, PERF_TYPE_HARDWARE), 2);
    collector_pause(f->collector, 12345);
    cycle(f);
    assert_int_equal(f->snapshot->status.paused, 1);
    assert_int_equal(f->snapshot->status.pause_end_realtime_ns, 12345);
    assert_int_equal(n_counting(f, PERF_TYPE_HARDWARE), 0);
    assert_int_equal(n_counting(f, PERF_TYPE_SOFTWARE), 2);
    collector_pause(f->collector, 0);
    cycle(f);
    assert_int_equal(f->snapshot->status.paused, 0);
    assert_int_equal(n_counting(f, PERF_TYPE_HARDWARE), 2);
}

static void who_is_born_in_a_pause_waits_for_its_end(void **state)
{
    struct fixture *f = *state;

    make(f, "a");
    start(f, both);
    cycle(f);
    collector_pause(f->collector, 12345);
    make(f, "b");
    cycle(f);
    assert_int_equal(n_counting(f, PERF_TYPE_HARDWARE), 0);
    assert_int_equal(n_counting(f, PERF_TYPE_SOFTWARE), 4);
    collector_pause(f->collector, 0);
    assert_int_equal(n_counting(f, PERF_TYPE_HARDWARE), 4);
}

static void a_reload_does_not_end_a_pause(void **state)
{
    struct fixture *f = *state;

    make(f, "a");
    start(f, both);
    cycle(f);
    collector_pause(f->collector, 12345);
    cycle(f);
    start_successor(f, other); /* takes one group over and opens another */
    assert_int_equal(n_counting(f, PERF_TYPE_HARDWARE), 0);
    cycle(f);
    assert_int_equal(n_counting(f, PERF_TYPE_HARDWARE), 0);
    assert_int_equal(f->snapshot->status.paused, 1);
    assert_int_equal(f->snapshot->status.pause_end_realtime_ns, 12345);
    collector_pause(f->collector, 0);
    assert_int_equal(n_counting(f, PERF_TYPE_HARDWARE), 4);
}

/* Whether it is known on which CPUs the only cgroup ran, at the next ten seconds. */
static bool knows_cpus(struct fixture *f)
{
    const uint64_t later_ns = (f->collector->cpu_times_slot + 1) * 10 * NS_PER_SECOND;
    struct snapshot_cpus *times = collector_cpu_times(f->collector, later_ns);
    bool is_known;

    assert_non_null(times);
    is_known = *snapshot_cpus_row(times, f->collector->roster, 0) != NUMBER_ABSENT_COUNT;
    (void)snapshot_cpus_free(times);
    return is_known;
}

static void where_a_target_ran_in_a_pause_is_known_by_software_events_only(void **state)
{
    struct fixture *f = *state;

    make(f, "a");
    start(f, other);
    cycle(f);
    assert_true(knows_cpus(f));
    collector_pause(f->collector, 12345);
    cycle(f);
    assert_false(knows_cpus(f));
    start_successor(f, other);
    cycle(f);
    assert_false(knows_cpus(f));
    collector_pause(f->collector, 0);
    start_successor(f, other);
    assert_true(f->collector->cpu_times_missed); /* a part of these ten seconds is missing */
    cycle(f);
    assert_true(knows_cpus(f));
    start_successor(f, both);
    cycle(f);
    collector_pause(f->collector, 12345);
    cycle(f);
    assert_true(knows_cpus(f));
    collector_pause(f->collector, 0);
}

static void nothing_counts_in_a_pause_to_find_out_what_is_free(void **state)
{
    static const char software[] =
        "groups: [{name: software, events: [page-faults]}]\n"
        "targets: {cgroups: [{include: [\"/*\"], groups: [software]}]}\n";
    struct fixture *f = *state;

    make(f, "a");
    start(f, software);
    cycle(f);
    collector_pause(f->collector, 12345);
    start_successor(f, both); /* the first that wants to know */
    cycle(f);
    assert_int_equal(f->perf.n_hardware_enabled, 0);
    collector_pause(f->collector, 0);
    start_successor(f, both);
    assert_true(f->perf.n_hardware_enabled > 0);
}

static void what_ran_in_a_pause_and_rests_does_not_look_as_if_its_counters_stood_still(void **state)
{
    static const char hardware[] = "groups: [{name: core, events: [cycles]}]\n"
                                   "targets: {cgroups: [{include: [\"/*\"], groups: [core]}]}\n";
    struct fixture *f = *state;

    make(f, "a");
    write_usage(f, "a", 0);
    start(f, hardware);
    f->perf.counters = 0; /* from here on no time passes for counters by itself */
    cycle(f);
    collector_pause(f->collector, 12345);
    write_usage(f, "a", 1000000);
    cycle(f);
    collector_pause(f->collector, 0);
    for (int i = 0; i < 4; i++) {
        cycle(f);
        assert_false(collector_stands_still(f->collector));
    }
    remove_usage(f, "a");
}

#define MACHINE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up_machine, tear_down_machine)

int main(void)
{
    const struct CMUnitTest tests[] = {
        MACHINE_TEST(a_pause_is_shown_and_leaves_software_events_alone),
        MACHINE_TEST(who_is_born_in_a_pause_waits_for_its_end),
        MACHINE_TEST(a_reload_does_not_end_a_pause),
        MACHINE_TEST(where_a_target_ran_in_a_pause_is_known_by_software_events_only),
        MACHINE_TEST(nothing_counts_in_a_pause_to_find_out_what_is_free),
        MACHINE_TEST(what_ran_in_a_pause_and_rests_does_not_look_as_if_its_counters_stood_still),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
