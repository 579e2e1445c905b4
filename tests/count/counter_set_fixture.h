/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A counter set of two CPUs and one group of two events, and a kernel that the test controls. */
#include "support/check.h"

#include "base/clock.h"
#include "count/counter_set.h"
#include "count/mechanism.h"
#include "support/fake_perf.h"

/* The leader of the group has config 1, the other event config 2. */
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

static inline int set_up(void **state)
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

static inline int tear_down(void **state)
{
    struct fixture *f = *state;

    f->set = counter_set_free(f->set);
    assert_int_equal(f->perf.n_open, 0); /* no test leaks a descriptor */
    assert_int_equal(f->mechanism->open_counters, 0);
    (void)mechanism_free(f->mechanism);
    (void)sample_free(f->sample);
    (void)event_groups_free(f->groups);
    (void)cpu_list_free(f->cpus);
    free(f);
    return 0;
}

static inline void open_set(struct fixture *f)
{
    assert_int_equal(f->mechanism->open(f->mechanism, &f->set, 1), 0);
}

static inline void read_after(struct fixture *f, uint64_t ns)
{
    f->now_ns += ns;
    counter_set_read(f->set, f->now_ns, f->sample);
}

/* Opens the set and takes the base reading. */
static inline void start(struct fixture *f)
{
    open_set(f);
    read_after(f, NS_PER_SECOND);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
