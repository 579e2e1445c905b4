/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve/mechanism_size.h"

#include <errno.h>

#include "support/check.h"

#include "count/bpf/self_test.h"
#include "event/expansion.h"
#include "support/fixture_tree.h"

/* There are groups of 4 and of 3 events: a rule for cgroups has the first one. */
struct fixture {
    struct fixture_tree sysfs, procfs;
    struct config_event events[4];
    struct config_word names[2];
    struct config_group groups[2];
    struct config_cgroup_rule rule;
    struct config config;
    struct switch_program_size size;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    f->sysfs = fixture_tree_open();
    f->procfs = fixture_tree_open();
    f->names[0].text = (char *)"core";
    f->names[1].text = (char *)"cache";
    for (size_t i = 0; i < 2; i++)
        f->groups[i] =
            (struct config_group){.name = f->names[i], .events = f->events, .n_events = 4 - i};
    f->rule.groups = (struct config_words){.words = f->names, .n = 1};
    f->config = (struct config){.groups = f->groups,
                                .n_groups = 2,
                                .cgroups = &f->rule,
                                .n_cgroups = 1,
                                .limits.cgroups = 1000};
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    fixture_tree_close(&f->sysfs);
    fixture_tree_close(&f->procfs);
    free(f);
    return 0;
}

static void find(struct fixture *f, const char *online, const char *possible)
{
    fixture_tree_write(&f->sysfs, "devices/system/cpu/online", online);
    fixture_tree_write(&f->sysfs, "devices/system/cpu/possible", possible);
    assert_int_equal(mechanism_size_for(&f->config, f->sysfs.fd, f->procfs.fd, false, &f->size), 0);
}

static void size__has_room_for_each_possible_cpu_where_that_is_cheap(void **state)
{
    struct fixture *f = *state;

    find(f, "0,2\n", "0-7\n");
    assert_int_equal(f->size.n_cpus, 8);
    find(f, "0,2\n", "0-255\n"); /* this virtual machine may grow */
    assert_int_equal(f->size.n_cpus, 3);
    find(f, "0-255\n", "0-255\n");
    assert_int_equal(f->size.n_cpus, 256);
}

static void size__has_room_for_twice_what_the_configuration_wants(void **state)
{
    struct fixture *f = *state;

    find(f, "0\n", "0\n");
    assert_true(f->size.n_slots >= 2000);
    assert_true(f->size.n_lanes >= 2 * BPF_GROUP_LANES(4));
    assert_true(f->size.n_lanes < 2 * (BPF_GROUP_LANES(4) + BPF_GROUP_LANES(3)));
    f->rule.groups.n = 2;
    find(f, "0\n", "0\n");
    assert_true(f->size.n_lanes >= 2 * (BPF_GROUP_LANES(4) + BPF_GROUP_LANES(3)));
}

static void size__has_room_for_the_times_of_each_part_of_a_wildcard(void **state)
{
    struct fixture *f = *state;
    const size_t n_parts = EVENT_WILDCARD_MAX / EVENT_GROUP_MAX;

    f->events[0].event.text = (char *)"kmem:*";
    find(f, "0\n", "0\n");
    assert_true(f->size.n_lanes >= 2 * (SWITCH_PROGRAM_EVENTS + n_parts * BPF_GROUP_LANES(0)));
    f->events[0].event.text = NULL;
}

static void size__has_room_for_processes_where_there_are_rules_for_some(void **state)
{
    struct fixture *f = *state;
    struct config_process_rule rule = {.groups = f->rule.groups};
    size_t slots;

    find(f, "0\n", "0\n");
    slots = f->size.n_slots;
    rule.groups.words = f->names + 1;
    f->config.processes = &rule;
    f->config.n_processes = 1;
    f->config.limits.processes = 200;
    find(f, "0\n", "0\n");
    assert_true(f->size.n_watched >= 2 * 200);
    assert_true(f->size.n_slots >= slots + 2 * 200);
    assert_true(f->size.n_lanes >= 2 * (BPF_GROUP_LANES(4) + BPF_GROUP_LANES(3)));
    f->config.n_cgroups = 0;
    find(f, "0\n", "0\n");
    assert_true(f->size.n_slots < slots);
}

static void size__has_room_for_the_self_test_whatever_is_counted(void **state)
{
    struct fixture *f = *state;

    f->groups[0].n_events = 1;
    f->config.limits.cgroups = 0;
    find(f, "0\n", "0\n");
    assert_true(f->size.n_watched >= SELF_TEST_PROCESSES);
    assert_true(f->size.n_slots >= SWITCH_PROGRAM_FIRST + SELF_TEST_SLOTS);
    assert_true(f->size.n_lanes >= SELF_TEST_LANES);
}

static void size__of_an_unknown_machine_is_none(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(mechanism_size_for(&f->config, f->sysfs.fd, f->procfs.fd, false, &f->size),
                     -ENOENT);
}

static void set_threads(struct fixture *f, const char *threads, const char *numbers)
{
    fixture_tree_write(&f->procfs, "sys/kernel/threads-max", threads);
    fixture_tree_write(&f->procfs, "sys/kernel/pid_max", numbers);
    find(f, "0\n", "0\n");
}

static void size__has_a_place_for_each_thread_that_there_may_be_up_to_a_million(void **state)
{
    struct fixture *f = *state;

    set_threads(f, "192731\n", "32768\n");
    assert_int_equal(switch_program_away_bytes(&f->size), 0); /* without latencies */
    f->rule.latency = LATENCY_SCHEDULER;
    set_threads(f, "192731\n", "32768\n");
    assert_int_equal(switch_program_away_bytes(&f->size), 24 << 15);
    set_threads(f, "192731\n", "4194304\n");
    assert_int_equal(switch_program_away_bytes(&f->size), 24 << 18);
    set_threads(f, "3900\n", "32768\n"); /* half a gigabyte of memory */
    assert_int_equal(switch_program_away_bytes(&f->size), 24 << 12);
    set_threads(f, "100\n", "32768\n");
    assert_int_equal(switch_program_away_bytes(&f->size), 24 << 10);
    set_threads(f, "4000000\n", "4194304\n");
    assert_int_equal(switch_program_away_bytes(&f->size), 24 << 20);
    set_threads(f, "\n", "4194304\n"); /* it cannot be read */
    assert_int_equal(switch_program_away_bytes(&f->size), 24 << 16);
}

static void serves__where_nothing_is_smaller(void **state)
{
    struct fixture *f = *state;
    struct switch_program_size wanted;

    find(f, "0-1\n", "0-1\n");
    wanted = f->size;
    assert_true(mechanism_size_serves(&f->size, &wanted));
    f->config.limits.cgroups = 10;
    find(f, "0\n", "0\n");
    assert_true(mechanism_size_serves(&wanted, &f->size));
    assert_false(mechanism_size_serves(&f->size, &wanted));
    f->size = wanted;
    f->size.n_cpus--;
    assert_false(mechanism_size_serves(&f->size, &wanted));
    f->size = wanted;
    f->size.n_lanes--;
    assert_false(mechanism_size_serves(&f->size, &wanted));
    f->size = wanted;
    wanted.n_watched = f->size.n_watched + 1;
    assert_false(mechanism_size_serves(&f->size, &wanted));
    wanted = f->size;
    f->size.v1 = true;
    assert_false(mechanism_size_serves(&f->size, &wanted));
}

static void serves__where_threads_have_become_more__only_without_latencies(void **state)
{
    struct fixture *f = *state;
    struct switch_program_size small;

    set_threads(f, "3900\n", "32768\n");
    small = f->size;
    set_threads(f, "20000\n", "32768\n");
    assert_true(mechanism_size_serves(&small, &f->size));
    f->rule.latency = LATENCY_SCHEDULER;
    set_threads(f, "3900\n", "32768\n");
    small = f->size;
    set_threads(f, "20000\n", "32768\n");
    assert_false(mechanism_size_serves(&small, &f->size));
    assert_true(mechanism_size_serves(&f->size, &small));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(size__has_room_for_each_possible_cpu_where_that_is_cheap),
        TEST(size__has_room_for_twice_what_the_configuration_wants),
        TEST(size__has_room_for_the_times_of_each_part_of_a_wildcard),
        TEST(size__has_room_for_processes_where_there_are_rules_for_some),
        TEST(size__has_room_for_the_self_test_whatever_is_counted),
        TEST(size__of_an_unknown_machine_is_none),
        TEST(size__has_a_place_for_each_thread_that_there_may_be_up_to_a_million),
        TEST(serves__where_nothing_is_smaller),
        TEST(serves__where_threads_have_become_more__only_without_latencies),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
