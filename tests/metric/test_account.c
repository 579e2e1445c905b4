/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <math.h>
#include <string.h>

#include "metric/account.h"

static struct event event = {.name = (char *)"faults",
                             .scale = 1,
                             .metric = (char *)"faults",
                             .description = (char *)"Faults",
                             .encoding = (char *)"type=1",
                             .pmu = (char *)"software"};

struct fixture {
    struct event_groups *groups;
    struct plan *plan;
    struct identity *identity;
    struct account *account;
    struct sample *sample;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    const struct event *events = &event;
    const struct group_spec group = {.name = "software", .events = &events, .n_events = 1};
    const struct plan_spec spec = {.prefix = "pmu_cgroup_",
                                   .target = "the cgroup",
                                   .start_time = true,
                                   .created_time = true,
                                   .totals = true,
                                   .group_times = true,
                                   .rates = true,
                                   .ratios = true};
    const struct label label = {"cgroup", "/a"};

    assert_int_equal(event_groups_new(SCOPE_CGROUP, &group, 1, &f->groups), 0);
    assert_int_equal(plan_new(&spec, f->groups, &f->plan), 0);
    f->identity = identity_new(&label, 1, NULL, 0);
    f->account = account_new(f->plan, f->identity, 5);
    f->sample = sample_new(f->groups);
    f->sample->groups[0].counted = true;
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    (void)account_free(f->account);
    (void)sample_free(f->sample);
    (void)identity_unref(f->identity);
    (void)plan_unref(f->plan);
    (void)event_groups_free(f->groups);
    free(f);
    return 0;
}

static union number number(const struct fixture *f, enum column_kind kind)
{
    for (size_t i = 0; i < f->plan->n_columns; i++)
        if (f->plan->columns[i].kind == kind)
            return f->account->row[i];
    fail();
    return (union number){0};
}

static void update(struct fixture *f, uint64_t count, bool ran, bool unknown)
{
    f->sample->events[0] = (struct event_sample){
        .count = count, .exact = (double)count, .per_second = (double)count / 2};
    f->sample->groups[0] = (struct group_sample){.counted = true, .ran = ran, .unknown = unknown};
    account_update(f->account, f->sample);
}

static void account__is_absent_before_anything_was_counted(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(number(f, COLUMN_TOTAL).count, NUMBER_ABSENT_COUNT);
    assert_true(isnan(number(f, COLUMN_RATE).real));
    assert_int_equal(number(f, COLUMN_START_TIME).count, 5);
    assert_int_equal(number(f, COLUMN_CREATED_TIME).count, NUMBER_ABSENT_COUNT);
    account_set_created(f->account, 3);
    assert_int_equal(number(f, COLUMN_CREATED_TIME).count, 3);
}

static void account__starts_at_zero_with_the_base_reading(void **state)
{
    struct fixture *f = *state;

    update(f, 0, false, true);
    assert_int_equal(number(f, COLUMN_TOTAL).count, 0);
    assert_true(isnan(number(f, COLUMN_RATE).real));
}

static void account__adds_deltas_and_tells_rates(void **state)
{
    struct fixture *f = *state;

    update(f, 10, true, false);
    update(f, 5, true, false);
    assert_int_equal(number(f, COLUMN_TOTAL).count, 15);
    assert_true(number(f, COLUMN_RATE).real == 2.5);
}

static void account__of_a_target_that_did_not_run_has_rate_zero_and_no_coverage(void **state)
{
    struct fixture *f = *state;

    update(f, 10, true, false);
    update(f, 0, false, false);
    assert_int_equal(number(f, COLUMN_TOTAL).count, 10);
    assert_true(number(f, COLUMN_RATE).real == 0);
    assert_true(isnan(number(f, COLUMN_GROUP_COVERAGE).real));
}

static void account__of_an_unknown_delta_keeps_its_total_and_has_no_rate(void **state)
{
    struct fixture *f = *state;

    update(f, 10, true, false);
    update(f, 0, true, true);
    assert_int_equal(number(f, COLUMN_TOTAL).count, 10);
    assert_true(isnan(number(f, COLUMN_RATE).real));
}

static void account__keeps_its_total_while_the_group_is_not_open(void **state)
{
    struct fixture *f = *state;

    update(f, 10, true, false);
    sample_clear(f->sample);
    account_update(f->account, f->sample);
    assert_int_equal(number(f, COLUMN_TOTAL).count, 10);
    assert_true(isnan(number(f, COLUMN_RATE).real));
}

static void account__tells_coverage_down_to_zero_and_never_above_one(void **state)
{
    static const struct {
        uint64_t enabled, running;
        double coverage;
    } cases[] = {{1000, 590, 0.59}, {1000, 0, 0}, {1000, 1001, 1}};
    struct fixture *f = *state;

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        f->sample->groups[0] = (struct group_sample){
            .counted = true, .ran = true, .enabled = cases[i].enabled, .running = cases[i].running};
        account_update(f->account, f->sample);
        assert_true(number(f, COLUMN_GROUP_COVERAGE).real == cases[i].coverage);
    }
    assert_int_equal(number(f, COLUMN_GROUP_ENABLED).count, 3000);
    assert_int_equal(number(f, COLUMN_GROUP_RUNNING).count, 1591);
}

static void account__has_no_zero_while_its_group_waits_in_vain(void **state)
{
    struct fixture *f = *state;

    update(f, 0, false, false);
    assert_int_equal(number(f, COLUMN_TOTAL).count, 0);
    f->sample->groups[0] = (struct group_sample){.starved = true, .unknown = true};
    account_update(f->account, f->sample);
    assert_int_equal(number(f, COLUMN_TOTAL).count, NUMBER_ABSENT_COUNT);
    /* it is tried again while the target is idle */
    f->sample->groups[0] = (struct group_sample){.starved = true, .counted = true};
    account_update(f->account, f->sample);
    assert_int_equal(number(f, COLUMN_TOTAL).count, NUMBER_ABSENT_COUNT);
    update(f, 10, true, false);
    assert_int_equal(number(f, COLUMN_TOTAL).count, 10);
}

static void account__keeps_what_was_counted_before_its_group_waits_in_vain(void **state)
{
    struct fixture *f = *state;

    update(f, 10, true, false);
    f->sample->groups[0] = (struct group_sample){.starved = true, .unknown = true};
    f->sample->events[0] = (struct event_sample){0};
    account_update(f->account, f->sample);
    assert_int_equal(number(f, COLUMN_TOTAL).count, 10);
}

static void account__that_has_ended_keeps_totals_and_no_rates(void **state)
{
    struct fixture *f = *state;

    update(f, 10, true, false);
    account_end(f->account);
    assert_int_equal(number(f, COLUMN_TOTAL).count, 10);
    assert_true(isnan(number(f, COLUMN_RATE).real));
}

static void account__takes_over_the_totals_of_another_of_the_same_target(void **state)
{
    const struct plan_spec spec = {.prefix = "pmu_cgroup_", .target = "the cgroup", .totals = true};
    struct fixture *f = *state;
    AUTO(plan) struct plan *plan = NULL;
    AUTO(account) struct account *account = NULL;

    update(f, 10, true, false);
    assert_int_equal(plan_new(&spec, f->groups, &plan), 0);
    account = account_new(plan, f->identity, 7);
    account_adopt(account, f->account);
    assert_int_equal(plan->n_columns, 1);
    assert_int_equal(account->row[0].count, 10);
}

static void account__does_not_take_over_the_total_of_another_event_of_that_name(void **state)
{
    struct fixture *f = *state;
    struct event other = event;
    const struct event *events = &other;
    const struct group_spec group = {.name = "software", .events = &events, .n_events = 1};
    const struct plan_spec spec = {.prefix = "pmu_cgroup_", .target = "the cgroup", .totals = true};
    AUTO(event_groups) struct event_groups *groups = NULL;
    AUTO(plan) struct plan *plan = NULL;
    AUTO(account) struct account *account = NULL;

    other.encoding = (char *)"type=2";
    update(f, 10, true, false);
    assert_int_equal(event_groups_new(SCOPE_CGROUP, &group, 1, &groups), 0);
    assert_int_equal(plan_new(&spec, groups, &plan), 0);
    account = account_new(plan, f->identity, 7);
    account_adopt(account, f->account);
    assert_int_equal(account->row[0].count, NUMBER_ABSENT_COUNT);
}

static void rate__is_written_with_nine_digits_or_so(void **state)
{
    struct fixture *f = *state;

    f->sample->groups[0] = (struct group_sample){.counted = true, .ran = true};
    f->sample->events[0].per_second = 1.0 / 3;
    account_update(f->account, f->sample);
    assert_true(number(f, COLUMN_RATE).real == 0.333333333);
    f->sample->events[0].per_second = 1e6 / 3;
    account_update(f->account, f->sample);
    assert_true(number(f, COLUMN_RATE).real == 333333.333333);
    f->sample->events[0].per_second = 1e12 / 3;
    account_update(f->account, f->sample);
    assert_true(number(f, COLUMN_RATE).real == 333333333333.0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(account__is_absent_before_anything_was_counted),
        TEST(account__starts_at_zero_with_the_base_reading),
        TEST(account__adds_deltas_and_tells_rates),
        TEST(account__of_a_target_that_did_not_run_has_rate_zero_and_no_coverage),
        TEST(account__of_an_unknown_delta_keeps_its_total_and_has_no_rate),
        TEST(account__keeps_its_total_while_the_group_is_not_open),
        TEST(account__tells_coverage_down_to_zero_and_never_above_one),
        TEST(account__has_no_zero_while_its_group_waits_in_vain),
        TEST(account__keeps_what_was_counted_before_its_group_waits_in_vain),
        TEST(account__that_has_ended_keeps_totals_and_no_rates),
        TEST(account__takes_over_the_totals_of_another_of_the_same_target),
        TEST(account__does_not_take_over_the_total_of_another_event_of_that_name),
        TEST(rate__is_written_with_nine_digits_or_so),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
