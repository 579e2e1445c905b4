/* SPDX-License-Identifier: Apache-2.0 */

/* Names of events and ratios that would give two families one name. */
#include "config/refusal.h"

#include <stdio.h>

#include "metric/plan.h"

#define TARGETS "targets: {}\n"                                          /* it has one line */
#define GROUP   "groups:\n- {name: a, events: [cycles, instructions]}\n" /* it has two lines */

#define OWN(name)                                                                                  \
    {                                                                                              \
        TARGETS "groups:\n- {name: a, events: [x]}\nrename: [{event: x, name: " name "}]", 3, 22,  \
        {                                                                                          \
            "which the exporter has itself"                                                        \
        }                                                                                          \
    }

static void names_of_events(void **state)
{
    static const struct refusal refusals[] = {
        {TARGETS "groups:\n- {name: a, events: [LLC-loads, llc_loads]}",
         3,
         33,
         {"\"llc_loads\" and \"LLC-loads\" (at 3:22)", "called \"llc_loads\"", "a rename"}},
        {TARGETS "groups:\n- {name: a, events: ['cycles:uk']}\n- {name: b, events: ['cycles:ku']}",
         4,
         22,
         {"\"cycles:ku\" and \"cycles:uk\" (at 3:22)", "cycles_user_kernel"}},
        {TARGETS "groups:\n- {name: a, events: [cycles, instructions]}\n"
                 "rename:\n- {event: cycles, name: instructions}",
         3,
         30,
         {"\"instructions\" and \"cycles\"", "called \"instructions\""}},
        {TARGETS "groups:\n- {name: a, events: [task-clock, x]}\n"
                 "rename:\n- {event: x, name: task_clock_seconds}",
         3,
         34,
         {"\"x\" and \"task-clock\"", "task_clock_seconds"}},
        {TARGETS "groups:\n- {name: a, events: ['perf::TASK-CLOCK:u', x]}\n"
                 "rename:\n- {event: x, name: perf_task_clock_user_seconds}",
         3,
         44,
         {"\"x\" and \"perf::TASK-CLOCK:u\"", "perf_task_clock_user_seconds"}},
        OWN("group_enabled_seconds"),
        OWN("cpu_user_seconds"),
        OWN("cpu_time_by_cpu_seconds"),
        OWN("cpu_time_by_node_seconds"),
        OWN("context_switches_by_cpu"),
        OWN("context_switches_by_node"),
        OWN("cpus"),
        OWN("switches"),
        OWN("off_cpu_seconds"),
        OWN("system_call_seconds"),
        OWN("kvm_exits"),
        OWN("tcp_connect_seconds"),
        OWN("softirq_seconds"),
        OWN("info"),
        OWN("instructions_per_cycle"),
        {TARGETS GROUP "rename: [{event: instructions, name: cycles_per_second}]",
         3,
         30,
         {"\"cycles_per_second\" is the rate of event \"cycles\" (at 3:22)"}},
        {TARGETS GROUP "rename: [{event: instructions, name: cycles_created}]",
         3,
         30,
         {"in OpenMetrics the beginning of event \"cycles\""}},
        {TARGETS GROUP "rename: [{event: cycels, name: c}]",
         4,
         18,
         {"no group lists event \"cycels\"", "\"cycles\"?"}},
        {TARGETS GROUP "rename: [{event: cycles, name: Cycles}]", 4, 32, {"lower case"}},
        {TARGETS GROUP "rename: [{event: cycles, name: c_total}]", 4, 32, {"no \"_total\" last"}},
        {TARGETS GROUP "rename: [{event: cycles, name: a}, {event: cycles, name: b}]",
         4,
         44,
         {"renamed twice", "4:18"}},
    };

    (void)state;
    EXPECT(refusals);
}

static void names_of_ratios(void **state)
{
    static const struct refusal refusals[] = {
        {"ratios: [{name: X, formula: instructions / cycles}]", 1, 17, {"lower case"}},
        {"ratios: [{name: info, formula: 1 / cycles}]", 1, 17, {"has a metric \"info\""}},
        {"ratios: [{name: cpus, formula: 1 / cycles}]", 1, 17, {"has a metric \"cpus\""}},
        {"ratios: [{name: cycles_per_second, formula: instructions / cycles}]",
         1,
         17,
         {"the rate of event \"cycles\""}},
        {"ratios: [{name: cycles, formula: instructions / cycles}]",
         1,
         17,
         {"is the name of event \"cycles\""}},
        {"ratios: [{name: cpu_seconds, formula: 1 / cycles}]", 1, 17, {"metric \"cpu_seconds\""}},
    };

    (void)state;
    EXPECT(refusals);
}

/* How OpenMetrics calls the family, without the prefix of the scope. */
static char *base_of(const struct plan *plan, const struct column *column)
{
    const char *name = column->name + strlen(plan->prefix);
    const char *ending = column->type == FAMILY_COUNTER ? strstr(name, "_total") : NULL;

    return strndup(name, ending ? (size_t)(ending - name) : strlen(name));
}

static void nothing_may_have_the_name_of_a_column_that_is_there_anyhow(void **state)
{
    static const struct event clock = {.name = (char *)"task-clock",
                                       .scale = 1e-9,
                                       .metric = (char *)"task_clock",
                                       .unit = (char *)"seconds",
                                       .is_clock = true,
                                       .description = (char *)"Time",
                                       .encoding = (char *)"type=1",
                                       .pmu = (char *)"software"};
    const struct event *events[] = {&clock};
    const struct group_spec group = {.name = "software", .events = events, .n_events = 1};
    const struct plan_spec spec = {.prefix = "pmu_machine_",
                                   .target = "it",
                                   .start_time = true,
                                   .created_time = true,
                                   .group_times = true,
                                   .rates = true,
                                   .ratios = true,
                                   .doubt = true,
                                   .members = true,
                                   .cpu_time = true};
    AUTO(event_groups) struct event_groups *groups = NULL;
    AUTO(plan) struct plan *plan = NULL;

    (void)state;
    assert_int_equal(event_groups_new(SCOPE_CGROUP, &group, 1, &groups), 0);
    assert_int_equal(plan_new(&spec, groups, &plan), 0);
    assert_true(plan->n_columns > 10);
    for (size_t i = 0; i < plan->n_columns; i++) {
        AUTO_FREE char *name = base_of(plan, &plan->columns[i]);
        char text[256];

        (void)snprintf(text, sizeof(text), TARGETS GROUP "rename: [{event: cycles, name: %s}]",
                       name);
        expect_refusal(&(struct refusal){text, 3, 22, {"which the exporter has itself"}},
                       strlen(text));
        (void)snprintf(text, sizeof(text), "ratios: [{name: %s, formula: 1 / cycles}]", name);
        expect_refusal(&(struct refusal){text, 1, 17, {"the exporter has a metric"}}, strlen(text));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_events),
        cmocka_unit_test(names_of_ratios),
        cmocka_unit_test(nothing_may_have_the_name_of_a_column_that_is_there_anyhow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
