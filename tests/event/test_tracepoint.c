/* SPDX-License-Identifier: Apache-2.0 */
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "event/resolver.h"
#include "event/source.h"
#include "support/fixture_tree.h"

#define EVENTS "kernel/tracing/events/"

static struct fixture_tree sysfs;

static int make_sysfs(void **state)
{
    (void)state;
    sysfs = fixture_tree_open();
    fixture_tree_write(&sysfs, "bus/event_source/devices/tracepoint/type", "2\n");
    fixture_tree_write(&sysfs, EVENTS "sched/sched_switch/id", "372\n");
    return 0;
}

static int remove_sysfs(void **state)
{
    (void)state;
    fixture_tree_close(&sysfs);
    return 0;
}

static struct event *resolved(const char *name)
{
    AUTO(event_resolver) struct event_resolver *resolver = NULL;
    struct event *event = NULL;

    assert_int_equal(event_resolver_new(sysfs.fd, &resolver), 0);
    assert_int_equal(event_resolve(resolver, name, &event), 0);
    return event;
}

static void a_tracepoint__is_the_number_that_tracefs_has_for_it(void **state)
{
    AUTO(event) struct event *event = resolved("sched:sched_switch");

    (void)state;
    assert_int_equal(event->absence, ABSENCE_NONE);
    assert_int_equal(event->kind, EVENT_TRACEPOINT);
    assert_int_equal(event->code.type, PERF_TYPE_TRACEPOINT);
    assert_true(event->code.config == 372);
    assert_false(event->takes_counter);
    assert_string_equal(event->metric, "sched_sched_switch");
    assert_string_equal(event->pmu, "tracepoint");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tracepoint__is_the_number_that_tracefs_has_for_it),
    };

    return cmocka_run_group_tests(tests, make_sysfs, remove_sysfs);
}
