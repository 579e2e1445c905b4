/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve/decision_fixture.h"

static const struct event_group *group_of(const struct decision_fixture *f, size_t class_index)
{
    return &f->resolution->classes[class_index].groups->groups[0];
}

static void plans__are_made_when_it_is_decided_what_is_counted(void **state)
{
    struct decision_fixture *f = *state;
    const struct target_class *classes;
    struct plan *plan;

    resolve(f, "limits: {pmu_counters: 2}\n" CORE "targets:\n" SYSTEM);
    assert_null(f->resolution->classes[CLASS_MACHINE].plan);
    assert_null(f->resolution->catalogue);
    decide(f, "limits: {pmu_counters: 2}\n" CORE "targets:\n" SYSTEM);
    classes = f->resolution->classes;
    plan = classes[CLASS_MACHINE].plan;
    assert_non_null(plan);
    assert_null(classes[CLASS_CPU].plan);
    assert_int_equal(f->resolution->catalogue->n_plans, 1);
    assert_ptr_equal(f->resolution->catalogue->plans[0], plan);
}

static void a_machine_by_cpu__shows_what_its_cpus_count(void **state)
{
    struct decision_fixture *f = *state;

    decide(f, CORE "targets: {system: {groups: [core], by: cpu}}\n");
    assert_null(f->resolution->classes[CLASS_MACHINE].groups);
    assert_non_null(f->resolution->classes[CLASS_MACHINE].plan);
    assert_non_null(f->resolution->classes[CLASS_CPU].plan);
    assert_int_equal(f->resolution->catalogue->n_plans, 2);
}

static void what_the_kernel_refuses__is_not_counted_and_has_its_reason(void **state)
{
    struct decision_fixture *f = *state;

    f->perf.refuse_open = refuse_all;
    decide(f, CORE "targets:\n" SYSTEM CGROUPS);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(group_of(f, CLASS_MACHINE)->members[i].absence, ABSENCE_NOT_PERMITTED);
    assert_int_equal(group_of(f, CLASS_CGROUP)->n_opened, 0);
    assert_false(f->share.is_wanted);
}

/* Who has counters of the PMU now knows how many were free before; a probe would find fewer. */
static void a_predecessor_that_holds_counters__has_found_how_many_are_free(void **state)
{
    struct decision_fixture *f = *state;
    const struct pmu_share before = {.is_wanted = true,
                                     .is_measured = true,
                                     .n_free = 4,
                                     .budget = 2,
                                     .division = {.system = 2}};
    struct pmu_share idle = before;

    resolve(f, CORE "targets:\n" SYSTEM);
    assert_int_equal(resolution_decide(f->resolution, &f->machine,
                                       &(struct resolution_predecessor){.share = &before},
                                       &f->share),
                     0);
    assert_int_equal(f->share.n_free, 4);
    assert_int_equal(f->share.budget, 2);
    idle.division.system = 0;
    resolve(f, CORE "targets:\n" SYSTEM);
    assert_int_equal(resolution_decide(f->resolution, &f->machine,
                                       &(struct resolution_predecessor){.share = &idle}, &f->share),
                     0);
    assert_int_equal(f->share.n_free, 6);
}

static void in_a_pause__nothing_counts_to_find_out_what_is_free(void **state)
{
    struct decision_fixture *f = *state;

    f->machine.is_paused = true;
    decide(f, CORE "targets:\n" SYSTEM);
    assert_true(f->share.is_wanted);
    assert_false(f->share.is_measured);
    assert_int_equal(f->share.budget, 0);
    assert_int_equal(f->perf.n_hardware_enabled, 0);
    assert_false(resolution_is_outdated(f->resolution, &f->machine, &f->share));
    f->machine.is_paused = false;
    assert_true(resolution_is_outdated(f->resolution, &f->machine, &f->share));
}

/* What is open goes on, though the kernel would refuse it to newcomers. */
static void groups_that_are_open__go_on(void **state)
{
    struct decision_fixture *f = *state;
    struct resolution *first;
    const struct event_group *open[1];
    struct config *config;
    struct resolution_predecessor predecessor = {.open[SCOPE_SYSTEM] = {.groups = open, .n = 1}};

    decide(f, "limits: {pmu_counters: 6}\n" CORE "targets:\n" SYSTEM);
    first = TAKE(f->resolution);
    config = TAKE(f->config);
    open[0] = &first->classes[CLASS_MACHINE].groups->groups[0];
    resolve(f, "limits: {pmu_counters: 6}\n" CORE "targets:\n" SYSTEM CGROUPS);
    f->perf.refuse_open = refuse_all;
    predecessor.share = &f->share;
    assert_int_equal(resolution_decide(f->resolution, &f->machine, &predecessor, &f->share), 0);
    assert_int_equal(group_of(f, CLASS_MACHINE)->n_opened, 3);
    assert_int_equal(group_of(f, CLASS_CGROUP)->n_opened, 0);
    (void)resolution_free(first);
    (void)config_free(config);
}

#define CPU "bus/event_source/devices/cpu/"
#define OF_SYSFS                                                                                   \
    "groups: [{name: named, events: [cycles, cpu/foo/]}]\n"                                        \
    "targets: {system: {groups: [named]}}\n"

/* Its name says no more what is open under it: it is absent, with its reason. */
static void an_event_that_is_not_found_any_more__does_not_go_on(void **state)
{
    struct decision_fixture *f = *state;
    struct resolution *first;
    const struct event_group *open[1];
    struct config *config;
    struct resolution_predecessor predecessor = {.open[SCOPE_SYSTEM] = {.groups = open, .n = 1}};

    fixture_tree_write(&f->sysfs, CPU "format/event", "config:0-7\n");
    fixture_tree_write(&f->sysfs, CPU "events/foo", "event=0x1\n");
    decide(f, OF_SYSFS);
    assert_int_equal(group_of(f, CLASS_MACHINE)->n_opened, 2);
    first = TAKE(f->resolution);
    config = TAKE(f->config);
    open[0] = &first->classes[CLASS_MACHINE].groups->groups[0];
    assert_int_equal(unlinkat(f->sysfs.fd, CPU "events/foo", 0), 0);
    resolve(f, OF_SYSFS);
    predecessor.share = &f->share;
    assert_int_equal(resolution_decide(f->resolution, &f->machine, &predecessor, &f->share), 0);
    assert_int_equal(group_of(f, CLASS_MACHINE)->n_opened, 1);
    assert_int_equal(group_of(f, CLASS_MACHINE)->members[1].absence,
                     resolution_find_event(f->resolution, "cpu/foo/")->absence);
    (void)resolution_free(first);
    (void)config_free(config);
}

static void a_decision__is_outdated_when_the_kernel_permits_more(void **state)
{
    struct decision_fixture *f = *state;

    f->perf.refuse_open = refuse_all;
    decide(f, CORE "targets:\n" SYSTEM PROCESSES);
    assert_false(resolution_is_outdated(f->resolution, &f->machine, &f->share));
    f->perf.refuse_open = NULL;
    assert_true(resolution_is_outdated(f->resolution, &f->machine, &f->share));
}

static void without_cgroups__their_classes_are_not_asked_about(void **state)
{
    struct decision_fixture *f = *state;

    f->machine.cgroup_root_fd = -1;
    decide(f, CORE "targets:\n" CGROUPS);
    assert_false(resolution_can_ask(f->resolution, &f->machine, CLASS_CGROUP));
    assert_false(resolution_can_ask(f->resolution, &f->machine, CLASS_MACHINE));
    assert_non_null(f->resolution->classes[CLASS_CGROUP].plan);
}

static void events_charged_at_a_switch__are_those_of_targets_each_group_once(void **state)
{
    struct decision_fixture *f = *state;

    for (size_t kind = 0; kind < SCOPE_KIND_COUNT_; kind++)
        f->machine.is_shared[kind] = true;
    decide(f, "groups:\n"
              "- {name: a, events: [page-faults, context-switches]}\n"
              "- {name: b, events: [cpu-migrations]}\n"
              "- {name: again, events: [page-faults, context-switches]}\n"
              "targets:\n"
              "  system: {groups: [b]}\n"
              "  cgroups: [{include: [/x], groups: [a]}, {include: [/y], groups: [again]}]\n"
              "  processes: [{comm: [x], groups: [a]}]\n");
    assert_int_equal(resolution_charged_events(f->resolution, &f->share), 2);
    assert_int_equal(resolution_shared_events(f->resolution, &f->share), 3);
}

static void system_cpus__are_those_that_are_named_or_have_a_tick(void **state)
{
    struct decision_fixture *f = *state;
    AUTO(cpu_list) struct cpu_list *all = NULL, *named = NULL, *ticking = NULL, *some = NULL;

    assert_int_equal(cpu_list_parse("0-3", &all), 0);
    assert_int_equal(cpu_list_parse("1-2", &some), 0);
    fixture_tree_write(&f->sysfs, "devices/system/cpu/nohz_full", "0,3\n");
    resolve(f, CORE "targets: {system: {groups: [core]}}\n");
    assert_int_equal(resolution_system_cpus(f->config, f->sysfs.fd, all, &ticking), 0);
    assert_true(cpu_list_equal(ticking, some));
    resolve(f, CORE "targets: {system: {groups: [core], cpus: \"1-2,9\"}}\n");
    assert_int_equal(resolution_system_cpus(f->config, f->sysfs.fd, all, &named), 0);
    assert_true(cpu_list_equal(named, some));
}

/* As perf.refuse_open: the CPUs from 8 on have two counters. */
static int refuse_third_on_small_cores(struct fake_perf *perf, const struct perf_event_attr *attr,
                                       int cpu, int group_fd)
{
    if (cpu < 8 || group_fd < 0 || attr->type == PERF_TYPE_SOFTWARE)
        return 0;
    return fake_counters_taken(perf, group_fd, true) >= 2 ? -EINVAL : 0;
}

static void free_counters__are_those_of_the_kind_of_cores_that_has_the_fewest(void **state)
{
    struct decision_fixture *f = *state;
    AUTO(pmu_list) struct pmu_list *pmus = NULL;
    AUTO(cpu_list) struct cpu_list *cpus = NULL;

    fixture_tree_write(&f->sysfs, "bus/event_source/devices/cpu_core/type", "4\n");
    fixture_tree_write(&f->sysfs, "bus/event_source/devices/cpu_core/cpus", "0-7\n");
    fixture_tree_write(&f->sysfs, "bus/event_source/devices/cpu_atom/type", "10\n");
    fixture_tree_write(&f->sysfs, "bus/event_source/devices/cpu_atom/cpus", "8-15\n");
    fixture_tree_remove(&f->sysfs, "bus/event_source/devices/cpu/type");
    assert_int_equal(pmu_list_read(f->sysfs.fd, &pmus), 0);
    assert_int_equal(cpu_list_parse("0-15", &cpus), 0);
    f->perf.refuse_open = refuse_third_on_small_cores;
    f->machine.online = f->machine.system_cpus = cpus;

    f->machine.pmus = pmus;
    decide(f, CORE "targets:\n" SYSTEM "limits: {pmu_counters: all}\n");
    assert_int_equal(f->share.n_free, 2);
    assert_int_equal(resolution_find_event(f->resolution, "cycles")->code.core_type, 0);
    f->machine.pmus = NULL; /* nobody knows of the other kind */
    decide(f, CORE "targets:\n" SYSTEM "limits: {pmu_counters: all}\n");
    assert_int_equal(f->share.n_free, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DECISION_TEST(plans__are_made_when_it_is_decided_what_is_counted),
        DECISION_TEST(a_machine_by_cpu__shows_what_its_cpus_count),
        DECISION_TEST(what_the_kernel_refuses__is_not_counted_and_has_its_reason),
        DECISION_TEST(a_predecessor_that_holds_counters__has_found_how_many_are_free),
        DECISION_TEST(in_a_pause__nothing_counts_to_find_out_what_is_free),
        DECISION_TEST(groups_that_are_open__go_on),
        DECISION_TEST(an_event_that_is_not_found_any_more__does_not_go_on),
        DECISION_TEST(a_decision__is_outdated_when_the_kernel_permits_more),
        DECISION_TEST(without_cgroups__their_classes_are_not_asked_about),
        DECISION_TEST(events_charged_at_a_switch__are_those_of_targets_each_group_once),
        DECISION_TEST(free_counters__are_those_of_the_kind_of_cores_that_has_the_fewest),
        DECISION_TEST(system_cpus__are_those_that_are_named_or_have_a_tick),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
