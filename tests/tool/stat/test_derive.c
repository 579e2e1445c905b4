/* SPDX-License-Identifier: Apache-2.0 */

/* Figures and what is derived from them, and how they stand in the table and in the columns. */
#include "support/check.h"

#include <math.h>
#include <string.h>

#include "tool/stat/derive.h"

enum { CLOCK, CYCLES, INSTRUCTIONS, BRANCHES, MISSES, LLC, N_EVENTS };

struct fixture {
    struct event events[N_EVENTS];
    const struct event *borrowed[N_EVENTS];
    struct event_groups *groups;
    struct figure figures[N_EVENTS];
    struct stat_options options;
    struct report report;
};

static const int whole[] = {-1};

static const char *const names[N_EVENTS] = {
    "task-clock", "cpu-cycles:u",    "instructions:u",
    "branches:u", "branch-misses:u", "LLC-load-misses",
};

/* The clock is alone, and all others are in one group. */
static int make(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    struct group_spec specs[2];

    for (size_t i = 0; i < N_EVENTS; i++) {
        f->events[i] = (struct event){.name = (char *)names[i],
                                      .scale = 1,
                                      .is_clock = i == CLOCK,
                                      .code.exclude_kernel = strchr(names[i], ':') != NULL};
        f->borrowed[i] = &f->events[i];
    }
    f->events[CLOCK].unit = (char *)"seconds";
    f->events[CLOCK].scale = EVENT_SCALE_NANOSECONDS;
    specs[0] = (struct group_spec){"software", f->borrowed, 1};
    specs[1] = (struct group_spec){"core", f->borrowed + 1, N_EVENTS - 1};
    assert_int_equal(event_groups_new(SCOPE_PROCESS, specs, 2, &f->groups), 0);
    f->options = (struct stat_options){.runs = 1, .separator = ","};
    f->report = (struct report){.groups = f->groups,
                                .figures = f->figures,
                                .cpus = whole,
                                .n_parts = 1,
                                .options = &f->options,
                                .span_ns = 2000000000,
                                .machine_cpus = NAN};
    *state = f;
    return 0;
}

static int drop(void **state)
{
    struct fixture *f = *state;

    (void)event_groups_free(f->groups);
    free(f);
    return 0;
}

static void set(struct fixture *f, size_t event, uint64_t count, uint64_t running)
{
    f->figures[event] = (struct figure){
        .exact = count, .enabled_ns = 1000000, .running_ns = running, .is_known = true};
    figures_end(&f->figures[event], 1);
}

static void set_all(struct fixture *f, uint64_t running)
{
    set(f, CLOCK, 1000000000, 1000000);
    set(f, CYCLES, 4000000, running);
    set(f, INSTRUCTIONS, 2000000, running);
    set(f, BRANCHES, 400000, running);
    set(f, MISSES, 20000, running);
    set(f, LLC, 7, running);
}

static void assert_first(struct fixture *f, size_t event, double value, const char *unit)
{
    struct derived derived[MOST_DERIVED];
    bool has_first;

    assert_true(derive(&f->report, 0, event, derived, &has_first) > 0);
    assert_true(has_first);
    assert_float_equal(derived[0].value, value, 1e-9);
    assert_string_equal(derived[0].unit, unit);
}

static void assert_nothing(struct fixture *f, size_t event)
{
    struct derived derived[MOST_DERIVED];
    bool has_first;

    assert_int_equal(derive(&f->report, 0, event, derived, &has_first), 0);
    assert_false(has_first);
}

static void derive__gives_the_numbers_that_perf_shows(void **state)
{
    struct fixture *f = *state;

    set_all(f, 1000000);
    assert_first(f, CLOCK, 0.5, "CPUs utilized");
    assert_first(f, CYCLES, 0.004, "GHz");
    assert_first(f, INSTRUCTIONS, 0.5, "insn per cycle");
    assert_first(f, BRANCHES, 400, "K/sec");
    assert_first(f, MISSES, 5, "of all branches");
}

static void derive__adds_misses_in_1000_instructions(void **state)
{
    struct fixture *f = *state;
    struct derived derived[MOST_DERIVED];
    bool has_first;

    set_all(f, 1000000);
    assert_int_equal(derive(&f->report, 0, MISSES, derived, &has_first), 2);
    assert_float_equal(derived[1].value, 10, 1e-9);
    assert_string_equal(derived[1].unit, "per 1000 instructions");
}

static void derive__compares_only_events_of_the_same_modes(void **state)
{
    struct fixture *f = *state;

    set_all(f, 1000000);
    assert_nothing(f, LLC); /* it counts the kernel too, and the instructions do not */
    f->events[CYCLES].code.exclude_kernel = false;
    assert_nothing(f, INSTRUCTIONS);
}

static void derive__compares_only_what_was_counted_together(void **state)
{
    struct fixture *f = *state;
    const struct group_spec specs[] = {{"a", f->borrowed, 2}, {"b", f->borrowed + 2, 4}};

    set_all(f, 600000);
    assert_first(f, INSTRUCTIONS, 0.5, "insn per cycle"); /* in one group */
    (void)event_groups_free(f->groups);
    assert_int_equal(event_groups_new(SCOPE_PROCESS, specs, 2, &f->groups), 0);
    f->report.groups = f->groups;
    assert_nothing(f, INSTRUCTIONS); /* they took turns on the PMU */
    set_all(f, 1000000);
    assert_first(f, INSTRUCTIONS, 0.5, "insn per cycle"); /* both were counted all the time */
}

static void derive__gives_nothing_of_what_is_not_known(void **state)
{
    struct fixture *f = *state;

    set_all(f, 1000000);
    f->figures[CYCLES] = (struct figure){.enabled_ns = 1000};
    assert_nothing(f, CYCLES);
    assert_nothing(f, INSTRUCTIONS);
    f->figures[CLOCK] = (struct figure){0};
    assert_nothing(f, BRANCHES);
}

static void assert_csv(struct fixture *f, const char *line)
{
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *shown = NULL;

    report_append_csv(&f->report, &text);
    shown = text_take(&text);
    if (!strstr(shown, line))
        fail_msg("no line \"%s\" in:\n%s", line, shown);
}

static void csv__has_the_columns_of_perf(void **state)
{
    struct fixture *f = *state;

    set_all(f, 598000);
    set(f, CLOCK, 1234567, 1000000);
    f->figures[LLC] = (struct figure){.enabled_ns = 1000};
    assert_csv(f, "1.23,msec,task-clock,1000000,100.00,0.001,CPUs utilized\n");
    assert_csv(f, "2000000,,instructions:u,598000,59.80,0.50,insn per cycle\n");
    assert_csv(f, "<not counted>,,LLC-load-misses,0,0.00,,\n");
    f->groups->groups[1].members[LLC - 1].absence = ABSENCE_NO_PMU;
    f->figures[LLC] = (struct figure){0};
    assert_csv(f, "<not supported>,,LLC-load-misses,0,100.00,,\n");
}

static void csv__has_the_error_of_several_runs_as_a_column(void **state)
{
    struct fixture *f = *state;

    set_all(f, 1000000);
    f->options.runs = 2;
    f->figures[BRANCHES].exact = 600000;
    figures_end(&f->figures[BRANCHES], 1);
    assert_csv(f, "500000,,branches:u,20.00%,1000000,100.00,500.000,K/sec\n");
}

static void csv__begins_with_the_time_and_the_cpu(void **state)
{
    struct fixture *f = *state;
    const int cpu[] = {3};

    set_all(f, 1000000);
    f->options.interval_ns = 1;
    f->report.since_ns = 12050196268;
    f->report.cpus = cpu;
    f->options.separator = ";";
    assert_csv(f, "    12.050196268;CPU3;400000;;branches:u;1000000;100.00;400.000;K/sec\n");
}

static void table__shows_coverage_and_reasons(void **state)
{
    struct fixture *f = *state;
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *shown = NULL;

    set_all(f, 598000);
    f->groups->groups[1].members[LLC - 1].absence = ABSENCE_NO_PMU;
    report_append_table(&f->report, false, &text);
    shown = text_take(&text);
    assert_non_null(
        strstr(shown, "2000000      instructions:u             #     0.50 insn per cycle"));
    assert_non_null(strstr(shown, "(59.80%)\n"));
    assert_non_null(strstr(shown, "<not supported>      LLC-load-misses            # no_pmu\n"));
    assert_non_null(strstr(shown, "\n no_pmu: "));
}

static void figures__that_are_unknown_go_on_into_the_next_interval(void **state)
{
    struct fixture *f = *state;
    AUTO(sample) struct sample *sample = sample_new(f->groups);
    struct figure *figure = &f->figures[BRANCHES];

    assert_non_null(sample);
    sample->groups[1] = (struct group_sample){.counted = true, .unknown = true, .enabled = 10};
    sample->events[BRANCHES].count = 5;
    figures_add_sample(f->figures, f->groups, sample);
    figures_end(f->figures, N_EVENTS);
    assert_false(figure_is_counted(figure));
    figures_begin_interval(f->figures, N_EVENTS);
    sample->groups[1] = (struct group_sample){.counted = true, .enabled = 10, .running = 10};
    sample->events[BRANCHES].count = 6;
    figures_add_sample(f->figures, f->groups, sample);
    figures_end(f->figures, N_EVENTS);
    assert_true(figure_is_counted(figure));
    assert_int_equal(figure->exact, 11);
    assert_float_equal(figure_coverage(figure), 0.5, 1e-9);
    figures_begin_interval(f->figures, N_EVENTS);
    assert_int_equal(figure->exact, 0);
    assert_false(figure_is_counted(figure));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, make, drop)

static void
derive__shows_a_ratio_of_the_configuration_behind_the_first_event_that_it_uses(void **state)
{
    static const struct stat_ratio own[] = {
        {(char *)"branch_share", (char *)"branches:u / instructions:u"},
        {(char *)"other_mode", (char *)"branches / instructions"},
    };
    struct fixture *f = *state;
    struct derived derived[MOST_DERIVED];
    bool has_first;

    f->report.ratios = own;
    f->report.n_ratios = ARRAY_SIZE(own);
    set_all(f, 1000000);
    assert_int_equal(derive(&f->report, 0, INSTRUCTIONS, derived, &has_first), 2);
    assert_string_equal(derived[0].unit, "insn per cycle");
    assert_string_equal(derived[1].unit, "branch_share");
    assert_true(derived[1].value == 0.2);
    assert_int_equal(derived[1].decimals, 3);
    assert_int_equal(derive(&f->report, 0, BRANCHES, derived, &has_first), 1); /* its rate */
    set(f, BRANCHES, 20000, 1000000);
    assert_int_equal(derive(&f->report, 0, INSTRUCTIONS, derived, &has_first), 2);
    assert_int_equal(derived[1].decimals, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(derive__gives_the_numbers_that_perf_shows),
        TEST(derive__adds_misses_in_1000_instructions),
        TEST(derive__compares_only_events_of_the_same_modes),
        TEST(derive__compares_only_what_was_counted_together),
        TEST(derive__gives_nothing_of_what_is_not_known),
        TEST(derive__shows_a_ratio_of_the_configuration_behind_the_first_event_that_it_uses),
        TEST(csv__has_the_columns_of_perf),
        TEST(csv__has_the_error_of_several_runs_as_a_column),
        TEST(csv__begins_with_the_time_and_the_cpu),
        TEST(table__shows_coverage_and_reasons),
        TEST(figures__that_are_unknown_go_on_into_the_next_interval),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
