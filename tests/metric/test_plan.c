/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <ctype.h>
#include <string.h>

#include "metric/plan.h"

#define EVENT(event_name, metric_name)                                                             \
    {                                                                                              \
        .name = (char *)(event_name), .metric = (char *)(metric_name),                             \
        .description = (char *)"What it counts", .encoding = (char *)"type=0",                     \
        .pmu = (char *)"cpu", .scale = 1                                                           \
    }

enum { CYCLES, INSTRUCTIONS, BRANCHES, BRANCH_MISSES, TASK_CLOCK, N_EVENTS };

static struct event events[N_EVENTS] = {
    [CYCLES] = EVENT("cpu-cycles", "cpu_cycles"),
    [INSTRUCTIONS] = EVENT("instructions", "instructions"),
    [BRANCHES] = EVENT("branches", "branches"),
    [BRANCH_MISSES] = EVENT("branch-misses", "branch_misses"),
    [TASK_CLOCK] = EVENT("task-clock", "task_clock"),
};

static const struct event *core[] = {&events[CYCLES], &events[INSTRUCTIONS]};
static const struct event *branch[] = {&events[BRANCHES], &events[BRANCH_MISSES],
                                       &events[INSTRUCTIONS]};
static const struct event *software[] = {&events[TASK_CLOCK]};
static const struct group_spec specs[] = {
    {.name = "core", .events = core, .n_events = 2},
    {.name = "branch", .events = branch, .n_events = 3},
    {.name = "software", .events = software, .n_events = 1},
};

static const struct plan_spec everything = {.prefix = "pmu_cgroup_",
                                            .target = "the cgroup",
                                            .start_time = true,
                                            .totals = true,
                                            .group_times = true,
                                            .rates = true,
                                            .ratios = true};

static struct event_groups *make_groups(void)
{
    struct event_groups *groups = NULL;

    events[TASK_CLOCK].unit = (char *)"seconds";
    events[TASK_CLOCK].scale = EVENT_SCALE_NANOSECONDS;
    events[TASK_CLOCK].is_clock = true;
    assert_int_equal(event_groups_new(SCOPE_CGROUP, specs, ARRAY_SIZE(specs), &groups), 0);
    return groups;
}

static struct plan *make_plan(const struct plan_spec *spec, const struct event_groups *groups)
{
    struct plan *plan = NULL;

    assert_int_equal(plan_new(spec, groups, &plan), 0);
    return plan;
}

static const struct column *find(const struct plan *plan, const char *name)
{
    const struct column *found = NULL;

    for (size_t i = 0; i < plan->n_columns; i++)
        if (strcmp(plan->columns[i].name, name) == 0) {
            assert_true(!found ||
                        found->labels[0].name); /* only columns with labels share a family */
            found = &plan->columns[i];
        }
    return found;
}

static void plan__has_a_counter_for_each_event_once(void **state)
{
    AUTO(event_groups) struct event_groups *groups = make_groups();
    AUTO(plan) struct plan *plan = make_plan(&everything, groups);
    const struct column *instructions = find(plan, "pmu_cgroup_instructions_total");

    (void)state;
    assert_non_null(instructions);
    assert_int_equal(instructions->type, FAMILY_COUNTER);
    assert_int_equal(instructions->form, NUMBER_COUNT);
    assert_int_equal(instructions->group, 0); /* of the first group that lists it */
    assert_int_equal(instructions->index, 1);
    assert_string_equal(
        instructions->help,
        "What it counts, in the cgroup. The event is instructions, encoded as type=0.");
    assert_non_null(find(plan, "pmu_cgroup_start_time_seconds"));
}

static void plan__has_help_of_whole_sentences(void **state)
{
    struct plan_spec spec = everything;
    AUTO(event_groups) struct event_groups *groups = make_groups();
    AUTO(plan) struct plan *plan = NULL;

    (void)state;
    spec.created_time = spec.members = spec.cpu_time = spec.doubt = true;
    plan = make_plan(&spec, groups);
    for (size_t i = 0; i < plan->n_columns; i++) {
        const char *help = plan->columns[i].help;

        if (!isupper((unsigned char)help[0]) || help[strlen(help) - 1] != '.')
            fail_msg("%s: %s", plan->columns[i].name, help);
    }
}

static void plan__takes_an_event_from_the_next_group_where_the_first_cannot_count_it(void **state)
{
    AUTO(event_groups) struct event_groups *groups = make_groups();
    enum absence absences[6] = {ABSENCE_NONE};
    AUTO(plan) struct plan *plan = NULL;

    (void)state;
    absences[1] = ABSENCE_GROUP_TOO_LARGE;
    event_groups_apply(groups, absences);
    plan = make_plan(&everything, groups);
    assert_int_equal(find(plan, "pmu_cgroup_instructions_total")->group, 1);
    assert_null(find(plan, "pmu_cgroup_instructions_per_cycle"));
}

static void plan__writes_clocks_in_seconds_and_their_rate_as_cpus_used(void **state)
{
    AUTO(event_groups) struct event_groups *groups = make_groups();
    AUTO(plan) struct plan *plan = make_plan(&everything, groups);

    (void)state;
    assert_int_equal(find(plan, "pmu_cgroup_task_clock_seconds_total")->form, NUMBER_SECONDS);
    assert_non_null(find(plan, "pmu_cgroup_cpus_used"));
    assert_null(find(plan, "pmu_cgroup_task_clock_per_second"));
    assert_null(find(plan, "pmu_cgroup_task_clock_seconds_per_second"));
    assert_non_null(find(plan, "pmu_cgroup_instructions_per_second"));
}

/* "topdown-total-slots" of Skylake counts cycles, of which each has four slots. */
static void plan__writes_an_event_with_a_scale_and_no_unit_by_its_scale(void **state)
{
    AUTO(event_groups) struct event_groups *groups = make_groups();
    AUTO(plan) struct plan *plan = NULL;

    (void)state;
    events[BRANCHES].scale = 4;
    plan = make_plan(&everything, groups);
    events[BRANCHES].scale = 1;
    assert_int_equal(find(plan, "pmu_cgroup_branches_total")->form, NUMBER_SCALED);
    assert_true(find(plan, "pmu_cgroup_branches_total")->scale == 4);
    assert_true(find(plan, "pmu_cgroup_branches_per_second")->scale == 4);
    assert_int_equal(find(plan, "pmu_cgroup_instructions_total")->form, NUMBER_COUNT);
}

static void plan__leaves_out_what_cannot_be_counted(void **state)
{
    AUTO(event_groups) struct event_groups *groups = make_groups();
    enum absence absences[6] = {ABSENCE_NONE};
    AUTO(plan) struct plan *plan = NULL;

    (void)state;
    for (size_t i = 0; i < 5; i++)
        absences[i] = ABSENCE_NO_PMU;
    event_groups_apply(groups, absences);
    plan = make_plan(&everything, groups);
    assert_null(find(plan, "pmu_cgroup_cpu_cycles_total"));
    assert_null(find(plan, "pmu_cgroup_instructions_per_cycle"));
    assert_non_null(find(plan, "pmu_cgroup_task_clock_seconds_total"));
    /* start, total, enabled, running, coverage, CPUs used */
    assert_int_equal(plan->n_columns, 6);
}

static void ratio__is_found_by_canonical_names_in_the_group_that_has_its_events(void **state)
{
    AUTO(event_groups) struct event_groups *groups = make_groups();
    AUTO(plan) struct plan *plan = make_plan(&everything, groups);
    const struct column *ipc = find(plan, "pmu_cgroup_instructions_per_cycle");
    const struct column *misses = find(plan, "pmu_cgroup_branch_miss_ratio");

    (void)state;
    assert_non_null(ipc); /* the group lists cpu-cycles, the formula says cycles */
    assert_int_equal(ipc->group, 0);
    assert_non_null(misses);
    assert_int_equal(misses->group, 1);
    assert_null(find(plan, "pmu_cgroup_cache_miss_ratio"));
}

static void ratio__compares_what_its_own_group_counted(void **state)
{
    AUTO(event_groups) struct event_groups *groups = make_groups();
    AUTO(plan) struct plan *plan = make_plan(&everything, groups);
    AUTO(sample) struct sample *sample = sample_new(groups);
    size_t mpki = find(plan, "pmu_cgroup_branch_misses_per_kilo_instruction")->index;
    double value = 0;

    (void)state;
    sample->events[1].exact = 5; /* instructions of core: another group */
    sample->events[3].exact = 20;
    sample->events[4].exact = 4000;
    sample->groups[1] = (struct group_sample){.counted = true, .ran = true};
    assert_true(plan_ratio_value(plan, mpki, sample, &value));
    assert_true(value == 5.0);
}

static void ratio__tells_which_numbers_of_a_row_are_its_terms(void **state)
{
    AUTO(event_groups) struct event_groups *groups = make_groups();
    AUTO(plan) struct plan *plan = make_plan(&everything, groups);
    const size_t mpki = find(plan, "pmu_cgroup_branch_misses_per_kilo_instruction")->index;
    const struct plan_term *terms;
    size_t n;

    (void)state;
    assert_string_equal(plan_ratio_formula(plan, mpki, &terms, &n),
                        "1000 * branch-misses / instructions");
    assert_int_equal(n, 2);
    assert_string_equal(terms[0].name, "branch-misses");
    assert_true(terms[0].number < plan->n_columns);
    assert_string_equal(terms[1].name, "instructions"); /* shown is that of the group core */
    assert_in_range(terms[1].number, plan->n_columns, plan->n_numbers - 1);
    assert_int_equal(plan->columns[terms[1].number].kind, COLUMN_TOTAL);
    assert_int_equal(plan->columns[terms[1].number].group, 1);
}

static void ratio__is_absent_where_the_delta_is_unknown_or_nothing_ran(void **state)
{
    AUTO(event_groups) struct event_groups *groups = make_groups();
    AUTO(plan) struct plan *plan = make_plan(&everything, groups);
    AUTO(sample) struct sample *sample = sample_new(groups);
    double value = 42;

    (void)state;
    sample->events[0].exact = sample->events[1].exact = 10;
    sample->groups[0] = (struct group_sample){.counted = true, .ran = true, .unknown = true};
    assert_false(plan_ratio_value(plan, 0, sample, &value));
    sample->groups[0] = (struct group_sample){.counted = true, .ran = false};
    assert_false(plan_ratio_value(plan, 0, sample, &value));
    sample->groups[0] = (struct group_sample){.counted = true, .ran = true};
    sample->events[0].exact = 0; /* no cycles */
    assert_false(plan_ratio_value(plan, 0, sample, &value));
    assert_true(value == 42);
}

static void ratio__of_the_configuration_takes_the_place_of_a_builtin_one(void **state)
{
    static const struct ratio_spec ratios[] = {
        {"branch_miss_ratio", "100 * branch-misses / branches"},
        {"cpi", "cpu-cycles / instructions"}};
    struct plan_spec spec = everything;
    AUTO(event_groups) struct event_groups *groups = make_groups();
    AUTO(plan) struct plan *plan = NULL;

    (void)state;
    spec.ratio_specs = ratios;
    spec.n_ratio_specs = ARRAY_SIZE(ratios);
    plan = make_plan(&spec, groups);
    assert_non_null(strstr(find(plan, "pmu_cgroup_branch_miss_ratio")->help, "100 *"));
    assert_non_null(find(plan, "pmu_cgroup_cpi")); /* by the name that the group lists */
}

static void plan__shows_only_what_is_asked_for(void **state)
{
    struct plan_spec spec = {.prefix = "pmu_cpu_", .target = "the CPU", .totals = true};
    AUTO(event_groups) struct event_groups *groups = make_groups();
    AUTO(plan) struct plan *plan = make_plan(&spec, groups);

    (void)state;
    assert_int_equal(plan->n_columns, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plan__has_a_counter_for_each_event_once),
        cmocka_unit_test(plan__has_help_of_whole_sentences),
        cmocka_unit_test(plan__takes_an_event_from_the_next_group_where_the_first_cannot_count_it),
        cmocka_unit_test(plan__writes_clocks_in_seconds_and_their_rate_as_cpus_used),
        cmocka_unit_test(plan__writes_an_event_with_a_scale_and_no_unit_by_its_scale),
        cmocka_unit_test(plan__leaves_out_what_cannot_be_counted),
        cmocka_unit_test(ratio__is_found_by_canonical_names_in_the_group_that_has_its_events),
        cmocka_unit_test(ratio__compares_what_its_own_group_counted),
        cmocka_unit_test(ratio__tells_which_numbers_of_a_row_are_its_terms),
        cmocka_unit_test(ratio__is_absent_where_the_delta_is_unknown_or_nothing_ran),
        cmocka_unit_test(ratio__of_the_configuration_takes_the_place_of_a_builtin_one),
        cmocka_unit_test(plan__shows_only_what_is_asked_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
