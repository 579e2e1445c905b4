/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <linux/perf_event.h>

#include "count/sample.h"

enum { CLOCK, USER_CLOCK, SWITCHES, USER_SWITCHES, FAULTS, EVENTS_ };

static struct event events[EVENTS_] = {
    [CLOCK] = {.is_clock = true, .code = {.type = PERF_TYPE_SOFTWARE, .config = 1}},
    [USER_CLOCK] = {.is_clock = true,
                    .code = {.type = PERF_TYPE_SOFTWARE, .config = 1, .exclude_kernel = true}},
    [SWITCHES] = {.code = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CONTEXT_SWITCHES}},
    [USER_SWITCHES] = {.code = {.type = PERF_TYPE_SOFTWARE,
                                .config = PERF_COUNT_SW_CONTEXT_SWITCHES,
                                .exclude_kernel = true}},
    [FAULTS] = {.code = {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_SW_CONTEXT_SWITCHES}},
};

static struct event_groups *make_groups(void)
{
    const struct event *first[] = {&events[FAULTS], &events[USER_CLOCK], &events[USER_SWITCHES]};
    const struct event *second[] = {&events[SWITCHES], &events[CLOCK]};
    const struct group_spec specs[] = {{"first", first, ARRAY_SIZE(first)},
                                       {"second", second, ARRAY_SIZE(second)}};
    struct event_groups *groups = NULL;

    assert_int_equal(event_groups_new(SCOPE_CGROUP, specs, ARRAY_SIZE(specs), &groups), 0);
    return groups;
}

static void find__takes_the_first_event_that_counts_all_of_it(void **state)
{
    AUTO(event_groups) struct event_groups *groups = make_groups();
    const struct cpu_count_source time = cpu_count_find(groups, CPU_COUNT_TIME);
    const struct cpu_count_source switches = cpu_count_find(groups, CPU_COUNT_SWITCHES);

    (void)state;
    assert_ptr_equal(time.event, &events[CLOCK]);
    assert_int_equal(time.group, 1);
    assert_int_equal(time.index, 4); /* of a sample, in which the first group has three */
    assert_ptr_equal(switches.event, &events[SWITCHES]);
    assert_int_equal(switches.index, 3);
}

static void find__takes_no_event_that_cannot_be_counted(void **state)
{
    AUTO(event_groups) struct event_groups *groups = make_groups();

    (void)state;
    groups->groups[1].members[1].absence = ABSENCE_NOT_SUPPORTED;
    assert_null(cpu_count_find(groups, CPU_COUNT_TIME).event);
    assert_non_null(cpu_count_find(groups, CPU_COUNT_SWITCHES).event);
}

static struct cpu_domains *make_domains(const char *cpus)
{
    AUTO(cpu_list) struct cpu_list *list = NULL;
    struct cpu_domains *domains = NULL;

    assert_int_equal(cpu_list_parse(cpus, &list), 0);
    assert_int_equal(cpu_domains_of_cpus(list, &domains), 0);
    return domains;
}

static void add__sums_each_domain_with_its_own_and_clear_forgets_it(void **state)
{
    AUTO(cpu_domains) struct cpu_domains *domains = make_domains("0-2");
    AUTO(event_groups) struct event_groups *groups = make_groups();
    AUTO(sample) struct sample *sum = sample_new(groups), *part = sample_new(groups);

    (void)state;
    assert_int_equal(sample_tell_domains(sum, groups, domains), 0);
    assert_int_equal(sample_tell_domains(part, groups, domains), 0);
    sum->domains->of[1] = (struct domain_sample){.counted = {true}, .counts = {40, 4}};
    part->domains->of[1] = (struct domain_sample){.counted = {false, true}, .counts = {2, 3}};
    part->domains->of[2] = (struct domain_sample){.counted = {true}, .counts = {9}};
    sample_add(sum, part, true);
    assert_int_equal(sum->domains->of[1].counts[CPU_COUNT_TIME], 42);
    assert_int_equal(sum->domains->of[1].counts[CPU_COUNT_SWITCHES], 7);
    assert_true(sum->domains->of[1].counted[CPU_COUNT_TIME]);
    assert_true(sum->domains->of[1].counted[CPU_COUNT_SWITCHES]);
    assert_int_equal(sum->domains->of[2].counts[CPU_COUNT_TIME], 9);
    assert_false(sum->domains->of[0].counted[CPU_COUNT_TIME]);
    sample_clear(sum);
    assert_int_equal(sum->domains->of[1].counts[CPU_COUNT_TIME], 0);
    assert_false(sum->domains->of[1].counted[CPU_COUNT_TIME]);
}

/* The CPU may have come since the domains were found. */
static void domain_of_cpu__is_none_for_a_cpu_that_was_not_given(void **state)
{
    AUTO(cpu_domains) struct cpu_domains *domains = make_domains("1,3");
    AUTO(event_groups) struct event_groups *groups = make_groups();
    AUTO(sample) struct sample *sample = sample_new(groups);

    (void)state;
    assert_int_equal(sample_tell_domains(sample, groups, domains), 0);
    assert_ptr_equal(sample_domain_of_cpu(sample->domains, (struct cpu_number){3}),
                     &sample->domains->of[3]);
    assert_null(sample_domain_of_cpu(sample->domains, (struct cpu_number){2}));
    assert_null(sample_domain_of_cpu(sample->domains, (struct cpu_number){4}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(find__takes_the_first_event_that_counts_all_of_it),
        cmocka_unit_test(find__takes_no_event_that_cannot_be_counted),
        cmocka_unit_test(add__sums_each_domain_with_its_own_and_clear_forgets_it),
        cmocka_unit_test(domain_of_cpu__is_none_for_a_cpu_that_was_not_given),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
