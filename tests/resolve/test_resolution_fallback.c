/* SPDX-License-Identifier: Apache-2.0 */

/* Generic events that the kernel refuses on this PMU, and what is counted in their place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <linux/perf_event.h>

#include "resolve/decision_fixture.h"
#include "resolve/resolution_fallback.h"

#define EVENTS "groups: [{name: core, events: [cycles, branches, 'cache-misses:u', bus-cycles]}]\n"

static void add_event(struct decision_fixture *f, const char *name, const char *code)
{
    char path[128];

    (void)snprintf(path, sizeof(path), "bus/event_source/devices/armv8_pmuv3_0/events/%s", name);
    fixture_tree_write(&f->sysfs, path, code);
}

/* A machine with the PMU of an Arm core that has some of the common events. */
static int set_up_arm(void **state)
{
    struct decision_fixture *f;

    if (set_up(state) < 0)
        return -1;
    f = *state;
    fixture_tree_remove(&f->sysfs, "bus");
    fixture_tree_write(&f->sysfs, "bus/event_source/devices/armv8_pmuv3_0/type", "8\n");
    fixture_tree_write(&f->sysfs, "bus/event_source/devices/armv8_pmuv3_0/cpus", "0\n");
    fixture_tree_write(&f->sysfs, "bus/event_source/devices/armv8_pmuv3_0/format/event",
                       "config:0-15\n");
    fixture_tree_write(&f->sysfs, "bus/event_source/devices/software/type", "1\n");
    add_event(f, "br_pred", "event=0x12\n");
    add_event(f, "br_retired", "event=0x21\n");
    add_event(f, "l1d_cache_refill", "event=0x3\n");
    f->resolver = event_resolver_free(f->resolver);
    assert_int_equal(event_resolver_new(f->sysfs.fd, &f->resolver), 0);
    return 0;
}

/* As perf.refuse_open it is a PMU that has no generic events but cycles. */
static int refuse_generic(struct fake_perf *perf, const struct perf_event_attr *attr, int cpu,
                          int group_fd)
{
    (void)perf;
    (void)cpu;
    (void)group_fd;
    return attr->type == PERF_TYPE_HARDWARE && attr->config != PERF_COUNT_HW_CPU_CYCLES ? -ENOENT
                                                                                        : 0;
}

/* The same, and it refuses the event br_retired, too. */
static int refuse_retired(struct fake_perf *perf, const struct perf_event_attr *attr, int cpu,
                          int group_fd)
{
    return attr->type == 8 && attr->config == 0x21 ? -ENOENT
                                                   : refuse_generic(perf, attr, cpu, group_fd);
}

/* As perf.refuse_open it is a PMU whose counters somebody else holds. */
static int refuse_busy(struct fake_perf *perf, const struct perf_event_attr *attr, int cpu,
                       int group_fd)
{
    (void)perf;
    (void)cpu;
    (void)group_fd;
    return attr->type == PERF_TYPE_HARDWARE ? -EBUSY : 0;
}

static const struct event *event_of(struct decision_fixture *f, const char *name)
{
    const struct event *event = resolution_find_event(f->resolution, name);

    assert_non_null(event);
    return event;
}

static void an_event_that_the_pmu_has__is_itself(void **state)
{
    struct decision_fixture *f = *state;

    decide(f, EVENTS "targets:\n" SYSTEM);
    assert_null(event_of(f, "branches")->counted_as);
    assert_int_equal(event_of(f, "branches")->code.type, PERF_TYPE_HARDWARE);
}

static void an_event_that_the_pmu_has_not__is_its_nearest(void **state)
{
    struct decision_fixture *f = *state;
    const struct event *branches, *misses;

    f->perf.refuse_open = refuse_generic;
    decide(f, EVENTS "targets:\n" SYSTEM);
    branches = event_of(f, "branches");
    assert_string_equal(branches->counted_as, "armv8_pmuv3_0/br_retired/");
    assert_string_equal(branches->encoding, "armv8_pmuv3_0/config=0x21/");
    assert_string_equal(branches->metric, "branches");
    assert_int_equal(branches->code.type, 8);
    assert_true(branches->takes_counter);
    assert_non_null(strstr(branches->description, "counted as armv8_pmuv3_0/br_retired/"));
    misses = event_of(f, "cache-misses:u");
    assert_string_equal(misses->counted_as, "armv8_pmuv3_0/l1d_cache_refill/:u");
    assert_true(misses->code.exclude_kernel && misses->code.config == 3);
    assert_null(event_of(f, "cycles")->counted_as);
}

static void a_fallback_that_is_refused_too__gives_way_to_the_next(void **state)
{
    struct decision_fixture *f = *state;

    f->perf.refuse_open = refuse_retired;
    decide(f, EVENTS "targets:\n" SYSTEM);
    assert_string_equal(event_of(f, "branches")->counted_as, "armv8_pmuv3_0/br_pred/");
    assert_null(strstr(event_of(f, "branches")->description, "br_retired"));
}

/* sysfs has no bus_cycles here: a raw code would open, and count nothing. */
static void an_event_without_a_fallback__stays_absent(void **state)
{
    struct decision_fixture *f = *state;
    const struct event_group *group;

    f->perf.refuse_open = refuse_generic;
    decide(f, EVENTS "targets:\n" SYSTEM);
    assert_null(event_of(f, "bus-cycles")->counted_as);
    group = &f->resolution->classes[CLASS_MACHINE].groups->groups[0];
    assert_int_equal(group->members[1].absence, ABSENCE_NONE);
    assert_int_equal(group->members[3].absence, ABSENCE_NOT_SUPPORTED);
}

static void a_pmu_that_is_busy__is_no_pmu_without_the_event(void **state)
{
    struct decision_fixture *f = *state;

    f->perf.refuse_open = refuse_busy;
    decide(f, EVENTS "targets:\n" SYSTEM);
    assert_null(event_of(f, "branches")->counted_as);
}

static void the_catalogue__says_which_was_taken(void **state)
{
    struct decision_fixture *f = *state;
    bool found = false;

    f->perf.refuse_open = refuse_generic;
    decide(f, EVENTS "targets:\n" SYSTEM);
    for (size_t i = 0; i < f->resolution->catalogue->n_events; i++) {
        const struct event_status *status = &f->resolution->catalogue->events[i];

        if (strcmp(status->event, "branches") != 0)
            continue;
        found = true;
        assert_string_equal(status->counted_as, "armv8_pmuv3_0/br_retired/");
        assert_string_equal(status->encoding, "armv8_pmuv3_0/config=0x21/");
        assert_string_equal(status->metric, "pmu_machine_branches_total");
    }
    assert_true(found);
}

#define ARM_TEST(name) cmocka_unit_test_setup_teardown(name, set_up_arm, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ARM_TEST(an_event_that_the_pmu_has__is_itself),
        ARM_TEST(an_event_that_the_pmu_has_not__is_its_nearest),
        ARM_TEST(a_fallback_that_is_refused_too__gives_way_to_the_next),
        ARM_TEST(an_event_without_a_fallback__stays_absent),
        ARM_TEST(a_pmu_that_is_busy__is_no_pmu_without_the_event),
        ARM_TEST(the_catalogue__says_which_was_taken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
