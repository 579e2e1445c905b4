/* SPDX-License-Identifier: Apache-2.0 */
#include "event/uncounted.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "event/resolver.h"
#include "support/fixture_tree.h"
#include "sys/tracefs.h"

static int make_sysfs(void **state)
{
    static struct fixture_tree tree;

    tree = fixture_tree_open();
    fixture_tree_make_directories(&tree, "kernel/tracing/events/sched/sched_switch/");
    *state = &tree;
    return 0;
}

static int remove_sysfs(void **state)
{
    fixture_tree_close(*state);
    return 0;
}

static struct source_context context_of(int sysfs_fd)
{
    const struct source_context context = {.sysfs_fd = sysfs_fd,
                                           .tracefs_fd = tracefs_open(sysfs_fd)};

    assert_true(context.tracefs_fd >= 0);
    return context;
}

static void events_that_the_machine_has__are_not_counted_yet(void **state)
{
    static const char *const points[] = {"sched:sched_switch", "sched:*", "sched:sched_*",
                                         "sched:sched_switch:u"};
    const struct source_context context = context_of(((struct fixture_tree *)*state)->fd);

    for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++)
        assert_string_equal(uncounted_on_this_machine(&context, points[i]), "tracepoints");
    (void)close(context.tracefs_fd);
}

static void the_resolver__looks_into_tracefs(void **state)
{
    AUTO(event_resolver) struct event_resolver *resolver = NULL;

    assert_int_equal(event_resolver_new(((struct fixture_tree *)*state)->fd, &resolver), 0);
    assert_string_equal(event_not_counted_yet(resolver, "sched:sched_switch"), "tracepoints");
    assert_null(event_not_counted_yet(resolver, "sched:no_such"));
}

static void events_that_it_has_not__are_unknown(void **state)
{
    static const char *const names[] = {
        "",
        "power",
        "power/energy-psys/",
        "power//",
        "/energy-pkg/",
        "powr/event=1/",
        "cycles:x",
        "sched:no_such",
        "shced:sched_switch",
        "shced:*",
        "sched",
        "sched:",
        "../bus/x/",
        "power/../x/",
        "..:sched",
        "sched:../x",
        ":",
        "/",
    };
    const struct source_context context = context_of(((struct fixture_tree *)*state)->fd);

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (uncounted_on_this_machine(&context, names[i]))
            fail_msg("%s is taken for known", names[i]);
    (void)close(context.tracefs_fd);
}

static void forms_that_perf_takes__are_known_on_whatever_machine(void **state)
{
    static const char *const points[] = {"sched:sched_switch", "syscalls:sys_enter_read"};
    static const char *const others[] = {
        "cycles:x",    "INST_RETIRED:ANY_P", "skx::INST_RETIRED",
        "page-fautls", "/energy-pkg/",       "sched:sched_switch:u",
        "sched:",      ":sched_switch",      ""};

    (void)state;
    for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++)
        assert_string_equal(event_uncounted_form(points[i]), "tracepoints");
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_null(event_uncounted_form(others[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_that_the_machine_has__are_not_counted_yet),
        cmocka_unit_test(the_resolver__looks_into_tracefs),
        cmocka_unit_test(events_that_it_has_not__are_unknown),
        cmocka_unit_test(forms_that_perf_takes__are_known_on_whatever_machine),
    };

    return cmocka_run_group_tests(tests, make_sysfs, remove_sysfs);
}
