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
    /* what is named by itself comes first */
    check_group(f, (const char *[]){"page-faults", "kmem:kfree", "kmem:kmalloc"}, 3);
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

static void write_points(struct decision_fixture *f, int n)
{
    fixture_tree_write(&f->sysfs, "bus/event_source/devices/tracepoint/type", "2\n");
    (void)event_resolver_free(f->resolver);
    assert_int_equal(event_resolver_new(f->sysfs.fd, &f->resolver), 0);
    for (int i = 0; i < n; i++) {
        char path[64], id[16];

        (void)snprintf(path, sizeof(path), EVENTS "kmem/point%d/id", i);
        (void)snprintf(id, sizeof(id), "%d\n", i + 1);
        fixture_tree_write(&f->sysfs, path, id);
    }
}

static void a_wildcard_of_many_events__is_laid_out_in_parts(void **state)
{
    struct decision_fixture *f = *state;
    const struct event_groups *groups;

    write_points(f, 2 * EVENT_GROUP_MAX + 6);
    resolve(f, GROUP("\"kmem:*\", page-faults"));
    groups = f->resolution->classes[CLASS_CGROUP].groups;
    assert_int_equal(groups->n_groups, 3);
    assert_string_equal(groups->groups[0].name, "points");
    assert_string_equal(groups->groups[1].name, "points/2");
    assert_string_equal(groups->groups[2].name, "points/3");
    assert_int_equal(groups->groups[0].n_opened, EVENT_GROUP_MAX);
    assert_int_equal(groups->groups[1].n_opened, EVENT_GROUP_MAX);
    assert_int_equal(groups->groups[2].n_opened, 7);
    assert_string_equal(groups->groups[0].members[0].event->name, "page-faults");
    assert_string_equal(groups->groups[0].members[1].event->name, "kmem:point0");
    assert_string_equal(groups->groups[2].members[6].event->name, "kmem:point133");
    assert_int_equal(groups->n_events, 2 * EVENT_GROUP_MAX + 7);
}

static size_t n_questions;

static int count_questions(struct fake_perf *perf, const struct perf_event_attr *attr, int cpu,
                           int group_fd)
{
    (void)perf;
    (void)cpu;
    (void)group_fd;
    n_questions += attr->type == PERF_TYPE_TRACEPOINT;
    return 0;
}

/* A question takes 40 ms, as the kernel waits for all CPUs when a tracepoint is closed. */
static void a_wildcard__is_asked_about_by_one_tracepoint_of_each_part(void **state)
{
    struct decision_fixture *f = *state;

    write_points(f, 2 * EVENT_GROUP_MAX);
    f->perf.refuse_open = count_questions;
    f->perf.counters = 0;
    n_questions = 0;
    decide(f, GROUP("\"kmem:*\""));
    assert_int_equal(f->resolution->classes[CLASS_CGROUP].groups->n_opened, 2 * EVENT_GROUP_MAX);
    assert_int_equal(n_questions, 2);
    f->perf.refuse_open = refuse_all;
    decide(f, GROUP("\"kmem:*\""));
    assert_int_equal(f->resolution->classes[CLASS_CGROUP].groups->n_opened, 0);
}

static void what_a_wildcard_stands_for_beyond_the_limit__is_over_it(void **state)
{
    struct decision_fixture *f = *state;
    const struct event_groups *groups;
    const struct event_group *last;

    write_points(f, EVENT_WILDCARD_MAX + 6);
    resolve(f, GROUP("\"kmem:*\""));
    groups = f->resolution->classes[CLASS_CGROUP].groups;
    assert_int_equal(groups->n_opened, EVENT_WILDCARD_MAX);
    last = &groups->groups[groups->n_groups - 1];
    assert_int_equal(last->n_members, 1);
    assert_int_equal(last->members[0].absence, ABSENCE_OVER_LIMIT);
    assert_string_equal(last->members[0].event->name, "kmem:*");
    assert_non_null(strstr(last->members[0].event->why, "6 more events than 512"));
}

/* How many events a class counts in the group of this name. */
static size_t opened_of(const struct decision_fixture *f, size_t class_index, const char *name)
{
    const struct event_groups *groups = f->resolution->classes[class_index].groups;

    for (size_t g = 0; g < groups->n_groups; g++)
        if (strcmp(groups->groups[g].name, name) == 0)
            return groups->groups[g].n_opened;
    return SIZE_MAX;
}

#define MANY                                                                                       \
    "groups:\n- {name: points, events: [\"kmem:*\", page-faults]}\n"                               \
    "- {name: soft, events: [context-switches, cpu-migrations]}\n"                                 \
    "targets:\n  system: {groups: [points]}\n"                                                     \
    "  cgroups: [{include: [/x], groups: [points, soft]}, {include: [/y], groups: [points]}]\n"    \
    "  processes: [{comm: [x], groups: [soft, points]}]\n"

static void
what_bpf_has_no_room_for__is_over_the_limit_and_takes_nothing_from_other_groups(void **state)
{
    struct decision_fixture *f = *state;
    const size_t n_points = EVENT_GROUP_MAX + 10;

    write_points(f, (int)n_points);
    f->perf.counters = 0; /* the kernel has tracepoints count without any */
    f->machine.is_shared[SCOPE_SYSTEM] = true;
    f->machine.is_shared[SCOPE_CGROUP] = true;
    f->machine.is_shared[SCOPE_PROCESS] = true;
    decide(f, MANY);
    assert_int_equal(f->resolution->classes[CLASS_MACHINE].groups->n_opened, n_points + 1);
    for (size_t class = CLASS_CGROUP; class < CLASS_CGROUP + 3; class ++) {
        assert_int_equal(opened_of(f, class, "points"), EVENT_GROUP_MAX - 2);
        assert_int_equal(opened_of(f, class, "points/2"), 0);
    }
    assert_int_equal(opened_of(f, CLASS_CGROUP, "soft"), 2);
    assert_int_equal(opened_of(f, CLASS_CGROUP + 2, "soft"), 2);
    assert_int_equal(resolution_charged_events(f->resolution, &f->share), EVENT_GROUP_MAX);
    assert_false(resolution_is_outdated(f->resolution, &f->machine, &f->share));

    f->machine.is_shared[SCOPE_SYSTEM] = false;
    f->machine.is_shared[SCOPE_CGROUP] = false;
    f->machine.is_shared[SCOPE_PROCESS] = false;
    decide(f, MANY);
    assert_int_equal(f->resolution->classes[CLASS_CGROUP].groups->n_opened, n_points + 3);
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
        DECISION_TEST(a_wildcard_of_many_events__is_laid_out_in_parts),
        DECISION_TEST(a_wildcard__is_asked_about_by_one_tracepoint_of_each_part),
        DECISION_TEST(what_a_wildcard_stands_for_beyond_the_limit__is_over_it),
        DECISION_TEST(
            what_bpf_has_no_room_for__is_over_the_limit_and_takes_nothing_from_other_groups),
        DECISION_TEST(a_tracefs_that_is_mounted_later__lets_more_be_found),
        DECISION_TEST(an_entry__gives_an_event_its_filter_and_its_name),
        DECISION_TEST(a_name_that_stands_for_nothing_here__is_an_unknown_event),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
