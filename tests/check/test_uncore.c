/* SPDX-License-Identifier: Apache-2.0 */
#include "check/uncore.h"

#include "resolve/decision_fixture.h"

#define DEVICES "bus/event_source/devices/"

#define MEMORY "{name: memory, events: [uncore_imc/reads/, uncore_imc/writes/]}"
#define ENERGY "{name: energy, events: [power/pkg/, page-faults]}"

static int set_up_uncore(void **state)
{
    static const char *const files[][2] = {
        {"uncore_imc_0/type", "14\n"},
        {"uncore_imc_0/cpumask", "0,4\n"},
        {"uncore_imc_0/events/reads", "event=4\n"},
        {"uncore_imc_0/events/writes", "event=8\n"},
        {"uncore_imc_0/format/event", "config:0-7\n"},
        {"uncore_imc_1/type", "15\n"},
        {"uncore_imc_1/cpumask", "0,4\n"},
        {"uncore_imc_1/events/reads", "event=4\n"},
        {"uncore_imc_1/events/writes", "event=8\n"},
        {"uncore_imc_1/format/event", "config:0-7\n"},
        {"power/type", "16\n"},
        {"power/cpumask", "0,4\n"},
        {"power/events/pkg", "event=2\n"},
        {"power/format/event", "config:0-7\n"},
    };
    struct decision_fixture *f;
    int r = set_up(state);

    f = *state;
    for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
        char path[128];

        (void)snprintf(path, sizeof(path), DEVICES "%s", files[i][0]);
        fixture_tree_write(&f->sysfs, path, files[i][1]);
    }
    fixture_tree_write(&f->sysfs, "devices/system/cpu/cpu0/topology/physical_package_id", "0\n");
    fixture_tree_write(&f->sysfs, "devices/system/cpu/cpu4/topology/physical_package_id", "1\n");
    (void)event_resolver_free(f->resolver);
    assert_int_equal(event_resolver_new(f->sysfs.fd, &f->resolver), 0);
    return r;
}

static void print(const struct decision_fixture *f)
{
    check_print_uncore(f->resolution, f->sysfs.fd);
}

static void decide_here(struct decision_fixture *f, const char *yaml)
{
    AUTO(pmu_list) struct pmu_list *pmus = NULL;

    assert_int_equal(pmu_list_read(f->sysfs.fd, &pmus), 0);
    f->machine.pmus = pmus;
    decide(f, yaml);
}

static void report__says_what_each_pmu_takes(void **state)
{
    decide_here(*state, "groups: [" MEMORY ", " ENERGY "]\n"
                        "targets: {system: {groups: [memory, energy]}}\n");
    assert_string_equal(
        printed(*state, print),
        "beyond the cores: PMU uncore_imc, events: 2, instances: 2, sockets: 2, counters: 8; "
        "those of the cores are not touched\n"
        "beyond the cores: PMU power, events: 1, instances: 1, sockets: 2, counters: 2; "
        "those of the cores are not touched\n");
}

static void report__says_nothing_where_no_such_event_is_wanted(void **state)
{
    decide_here(*state, "groups: [{name: a, events: [page-faults]}, " ENERGY "]\n"
                        "targets: {system: {groups: [a]}}\n");
    assert_string_equal(printed(*state, print), "");
}

static const char *first_note(struct decision_fixture *f, struct check_output *output,
                              const char *yaml)
{
    *output = (struct check_output){.path = "FILE"};
    decide_here(f, yaml);
    assert_int_equal(check_note_uncore(output, f->resolution), 0);
    return output->n_problems > 0 ? output->problems[0].message : "";
}

static void groups_of_cgroups_and_processes__are_told_to_leave_them_out(void **state)
{
    struct check_output output;

    assert_string_equal(
        first_note(*state, &output,
                   "groups: [" ENERGY "]\n"
                   "targets:\n  system: {groups: [energy]}\n"
                   "  cgroups: [{include: [/x], groups: [energy]}]\n"
                   "  processes: [{comm: [x], groups: [energy]}]\n"),
        "group \"energy\" is left out for cgroups, not_supported, as far as it counts a whole "
        "socket, whoever runs: power/pkg/; targets.system counts that");
    assert_int_equal(output.n_problems, 2);
    assert_non_null(strstr(output.problems[1].message, "for processes"));
    check_output_done(&output);
}

static void ratios_of_two_pmus__are_told_not_to_be_shown(void **state)
{
    static const char groups[] =
        "groups: [{name: all, events: [uncore_imc/reads/, uncore_imc/writes/, power/pkg/]}]\n"
        "targets: {system: {groups: [all]}}\n";
    struct check_output output;
    char yaml[512];

    (void)snprintf(yaml, sizeof(yaml),
                   "%sratios: [{name: good, formula: uncore_imc/reads/ / uncore_imc/writes/},\n"
                   "         {name: bad, formula: uncore_imc/reads/ / power/pkg/}]\n",
                   groups);
    assert_non_null(strstr(first_note(*state, &output, yaml), "ratio \"bad\" compares"));
    assert_int_equal(output.n_problems, 1);
    check_output_done(&output);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_uncore, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(report__says_what_each_pmu_takes),
        TEST(report__says_nothing_where_no_such_event_is_wanted),
        TEST(groups_of_cgroups_and_processes__are_told_to_leave_them_out),
        TEST(ratios_of_two_pmus__are_told_not_to_be_shown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
