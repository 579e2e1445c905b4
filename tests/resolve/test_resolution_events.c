/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve/decision_fixture.h"

#define EVENTS "kernel/tracing/events/"

#define GROUP(events)                                                                              \
    "groups: [{name: points, events: [" events                                                     \
    "]}]\ntargets: {cgroups: [{include: [/x], groups: [points]}]}\n"

static void check_group(const struct decision_fixture *f, const char *const *names, size_t n)
{
    const struct event_groups *groups = f->resolution->classes[CLASS_CGROUP].groups;

    assert_int_equal(groups->n_groups, 1);
    assert_int_equal(groups->groups[0].n_members, n);
    for (size_t i = 0; i < n; i++)
        assert_string_equal(groups->groups[0].members[i].event->name, names[i]);
}

static void a_name__becomes_all_the_events_that_it_stands_for(void **state)
{
    struct decision_fixture *f = *state;

    fixture_tree_write(&f->sysfs, EVENTS "kmem/kmalloc/id", "1\n");
    fixture_tree_write(&f->sysfs, EVENTS "kmem/kfree/id", "2\n");
    resolve(f, GROUP("\"kmem:*\", page-faults"));
    check_group(f, (const char *[]){"kmem:kfree", "kmem:kmalloc", "page-faults"}, 3);
}

static void an_event_that_two_names_stand_for__is_in_the_group_once(void **state)
{
    struct decision_fixture *f = *state;

    fixture_tree_write(&f->sysfs, EVENTS "kmem/kmalloc/id", "1\n");
    fixture_tree_write(&f->sysfs, EVENTS "kmem/kfree/id", "2\n");
    resolve(f, GROUP("\"kmem:kmalloc\", \"kmem:*\", \"kmem:km*\""));
    check_group(f, (const char *[]){"kmem:kmalloc", "kmem:kfree"}, 2);
}

static void a_name_that_stands_for_nothing_here__is_an_unknown_event(void **state)
{
    struct decision_fixture *f = *state;
    const struct event *event;

    resolve(f, GROUP("\"kmem:*\""));
    check_group(f, (const char *[]){"kmem:*"}, 1);
    event = resolution_find_event(f->resolution, "kmem:*");
    assert_int_equal(event->absence, ABSENCE_UNKNOWN_EVENT);
}

static void an_entry__gives_an_event_its_filter_and_its_name(void **state)
{
    struct decision_fixture *f = *state;
    const struct event *event;

    fixture_tree_write(&f->sysfs, EVENTS "kmem/kfree/id", "2\n");
    resolve(f, GROUP("{event: \"kmem:kfree\", filter: \"ptr == 0\"}, "
                     "{event: \"kmem:kfree\", filter: \"ptr == 1\", name: ones}"));
    check_group(f, (const char *[]){"kmem:kfree", "ones"}, 2);
    event = resolution_find_event(f->resolution, "kmem:kfree");
    assert_string_equal(event->metric, "kmem_kfree");
    assert_string_equal(event->code.filter->text, "ptr == 0");
    event = resolution_find_event(f->resolution, "ones");
    assert_string_equal(event->metric, "ones");
    assert_string_equal(event->code.filter->text, "ptr == 1");
    assert_string_equal(event->encoding, "type=2 config=0x2 --filter 'ptr == 1'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DECISION_TEST(a_name__becomes_all_the_events_that_it_stands_for),
        DECISION_TEST(an_event_that_two_names_stand_for__is_in_the_group_once),
        DECISION_TEST(an_entry__gives_an_event_its_filter_and_its_name),
        DECISION_TEST(a_name_that_stands_for_nothing_here__is_an_unknown_event),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
