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

    fixture_tree_write(&f->sysfs, EVENTS "sched/sched_switch/id", "1\n");
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

static const struct column *find_hits(const struct plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->n_columns; i++)
        if (column_label(&plan->columns[i], "name") &&
            strcmp(column_label(&plan->columns[i], "name"), name) == 0)
            return &plan->columns[i];
    return NULL;
}

static void tracepoints_of_a_wildcard__are_one_family_with_their_names_as_labels(void **state)
{
    struct decision_fixture *f = *state;
    const struct plan *plan;
    const struct column *hits;

    fixture_tree_write(&f->sysfs, "bus/event_source/devices/tracepoint/type", "2\n");
    (void)event_resolver_free(f->resolver);
    assert_int_equal(event_resolver_new(f->sysfs.fd, &f->resolver), 0);
    fixture_tree_write(&f->sysfs, EVENTS "kmem/kmalloc/id", "1\n");
    fixture_tree_write(&f->sysfs, EVENTS "kmem/kfree/id", "2\n");
    fixture_tree_write(&f->sysfs, EVENTS "kmem/rss_stat/id", "3\n");
    decide(f, GROUP("\"kmem:*\", \"kmem:rss_stat\""));
    plan = f->resolution->classes[CLASS_CGROUP].plan;
    hits = find_hits(plan, "kfree");
    assert_non_null(hits);
    assert_string_equal(hits->name, "pmu_cgroup_tracepoint_hits_total");
    assert_string_equal(column_label(hits, "subsystem"), "kmem");
    assert_null(column_label(hits, "group"));
    assert_non_null(find_hits(plan, "kmalloc"));
    assert_null(find_hits(plan, "rss_stat")); /* it is named by itself, and has its own family */
    for (size_t i = 0; i < plan->n_columns; i++)
        assert_null(strstr(plan->columns[i].name, "hits_per_second"));
}

static void what_a_group_cannot_take_of_a_wildcard__is_over_the_limit(void **state)
{
    struct decision_fixture *f = *state;
    const struct event_groups *groups;
    const struct group_member *rest;

    for (int i = 0; i < EVENT_GROUP_MAX + 6; i++) {
        char path[64];

        (void)snprintf(path, sizeof(path), EVENTS "kmem/point%d/id", i);
        fixture_tree_write(&f->sysfs, path, "1\n");
    }
    resolve(f, GROUP("\"kmem:*\""));
    groups = f->resolution->classes[CLASS_CGROUP].groups;
    assert_int_equal(groups->groups[0].n_members, EVENT_GROUP_MAX + 1);
    assert_string_equal(groups->groups[0].members[EVENT_GROUP_MAX - 1].event->name, "kmem:point63");
    rest = &groups->groups[0].members[EVENT_GROUP_MAX];
    assert_int_equal(rest->absence, ABSENCE_OVER_LIMIT);
    assert_string_equal(rest->event->name, "kmem:*");
    assert_non_null(strstr(rest->event->why, "6 more events than 64"));
}

static void check_found_later(struct decision_fixture *f, const char *yaml)
{
    resolve(f, yaml);
    assert_false(resolution_could_find_more(f->resolution, f->resolver));
    fixture_tree_write(&f->sysfs, EVENTS "kmem/kfree/id", "2\n");
    assert_true(resolution_could_find_more(f->resolution, f->resolver));
    resolve(f, yaml);
    assert_false(resolution_could_find_more(f->resolution, f->resolver));
    fixture_tree_remove(&f->sysfs, "kernel");
}

static void a_tracefs_that_is_mounted_later__lets_more_be_found(void **state)
{
    struct decision_fixture *f = *state;

    fixture_tree_write(&f->sysfs, "bus/event_source/devices/tracepoint/type", "2\n");
    (void)event_resolver_free(f->resolver);
    assert_int_equal(event_resolver_new(f->sysfs.fd, &f->resolver), 0);
    check_found_later(f, GROUP("cycles, \"kmem:kfree\""));
    check_found_later(f, GROUP("{event: \"kmem:kfree\", name: frees}"));
    check_found_later(f, GROUP("\"kmem:*\""));
    check_found_later(f, GROUP("\"kmem:no_such\", \"kmem:kfree\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DECISION_TEST(a_name__becomes_all_the_events_that_it_stands_for),
        DECISION_TEST(an_event_that_two_names_stand_for__is_in_the_group_once),
        DECISION_TEST(tracepoints_of_a_wildcard__are_one_family_with_their_names_as_labels),
        DECISION_TEST(what_a_group_cannot_take_of_a_wildcard__is_over_the_limit),
        DECISION_TEST(a_tracefs_that_is_mounted_later__lets_more_be_found),
        DECISION_TEST(an_entry__gives_an_event_its_filter_and_its_name),
        DECISION_TEST(a_name_that_stands_for_nothing_here__is_an_unknown_event),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
