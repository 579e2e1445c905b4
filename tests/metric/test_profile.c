/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "metric/account.h"
#include "metric/metric_fixture.h"
#include "sys/bpf/profile/period.h"

static const struct event clock_event = {.name = (char *)"task-clock",
                                         .scale = 1,
                                         .metric = (char *)"task_clock_seconds",
                                         .description = (char *)"Time",
                                         .encoding = (char *)"type=1",
                                         .pmu = (char *)"software",
                                         .is_clock = true};

struct fixture {
    struct event_groups *groups;
    struct plan *plan;
    struct account *account;
    struct sample *sample;
};

static void make_plan(struct fixture *f, const struct event *event, bool profiles)
{
    const struct group_spec group = {.name = "software", .events = &event, .n_events = 1};
    const struct plan_spec spec = {
        .prefix = "pmu_cgroup_", .target = "it", .totals = true, .profiles = profiles};

    assert_int_equal(event_groups_new(SCOPE_CGROUP, &group, 1, &f->groups), 0);
    assert_int_equal(plan_new(&spec, f->groups, &f->plan), 0);
    f->account = fixture_account(f->plan, "/a", 1);
    f->sample = sample_new(f->groups);
    f->sample->groups[0] = (struct group_sample){.counted = true, .ran = true};
}

/* An interval in which the target ran for so long, in hundreds of samples' time, and was sampled so
 * often. */
static void add_to(struct account *account, struct sample *sample, double hundreds, uint64_t n,
                   bool goes_on)
{
    sample->events[0].count = (uint64_t)(hundreds * 100 * (double)profile_period_ns(100));
    account_update(account, sample);
    account_add_profile(account, n, 100, goes_on);
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    make_plan(f, &clock_event, true);
    *state = f;
    return 0;
}

static void done(struct fixture *f)
{
    (void)account_free(f->account);
    (void)plan_unref(f->plan);
    (void)sample_free(f->sample);
    (void)event_groups_free(f->groups);
}

static int tear_down(void **state)
{
    done(*state);
    free(*state);
    return 0;
}

static const union number *find(const struct account *account, const char *name)
{
    for (size_t i = 0; i < account->plan->n_columns; i++)
        if (strcmp(account->plan->columns[i].name, name) == 0)
            return &account->row[i];
    return NULL;
}

static uint64_t samples(const struct account *account)
{
    return find(account, "pmu_cgroup_profile_samples_total")->count;
}

static double ratio(const struct account *account)
{
    return find(account, "pmu_cgroup_profile_cpu_ratio")->real;
}

static void add(struct fixture *f, double seconds, uint64_t n)
{
    add_to(f->account, f->sample, seconds, n, true);
}

/* The samples of an interval are not all: something went on or ended within it. */
static void begin(struct fixture *f)
{
    add_to(f->account, f->sample, 0.5, 7, false);
}

static void plan__without_profiles__has_none_of_their_columns(void **state)
{
    struct fixture f = {0};

    (void)state;
    make_plan(&f, &clock_event, false);
    assert_null(find(f.account, "pmu_cgroup_profile_samples_total"));
    assert_null(find(f.account, "pmu_cgroup_profile_cpu_ratio"));
    account_add_profile(f.account, 7, 100, true);
    done(&f);
}

static void plan__without_a_clock__has_samples_alone(void **state)
{
    struct fixture f = {0};

    (void)state;
    make_plan(&f, &fixture_events[0], true);
    assert_null(find(f.account, "pmu_cgroup_profile_cpu_ratio"));
    account_add_profile(f.account, 7, 100, true);
    assert_int_equal(samples(f.account), 7);
    done(&f);
}

static void samples__are_absent_until_somebody_samples(void **state)
{
    struct fixture *f = *state;

    add_to(f->account, f->sample, 1, 0, false);
    assert_true(samples(f->account) == NUMBER_ABSENT_COUNT);
    add(f, 1, 0);
    assert_int_equal(samples(f->account), 0);
    add(f, 1, 5);
    add_to(f->account, f->sample, 1, 2, false);
    assert_int_equal(samples(f->account), 7);
}

static void ratio__is_that_of_the_totals_since_sampling_began(void **state)
{
    struct fixture *f = *state;

    begin(f);
    add(f, 2, 190);
    add(f, 2, 210);
    assert_true(ratio(f->account) == 1);
    add(f, 4, 200);
    assert_true(ratio(f->account) == 0.75);
    begin(f);
    assert_true(isnan(ratio(f->account)));
    add(f, 2, 100);
    assert_true(ratio(f->account) == 0.5);
    assert_int_equal(samples(f->account), 7 + 600 + 7 + 100);
}

static void ratio__is_absent_below_a_hundred_samples_of_time(void **state)
{
    struct fixture *f = *state;

    begin(f);
    add(f, 0.99, 150);
    assert_true(isnan(ratio(f->account)));
    add(f, 0.01, 0);
    assert_true(ratio(f->account) == 1.5);
}

static void ratio__begins_with_the_clock(void **state)
{
    struct fixture *f = *state;

    f->sample->groups[0].counted = false;
    begin(f);
    add(f, 0, 1000);
    assert_true(isnan(ratio(f->account)));
    f->sample->groups[0].counted = true;
    add(f, 1, 1000);
    add(f, 2, 200);
    assert_true(ratio(f->account) == 1);
}

static void ratio__has_a_delta_that_comes_one_interval_late(void **state)
{
    struct fixture *f = *state;

    begin(f);
    f->sample->groups[0].counted = false;
    add(f, 0, 100);
    f->sample->groups[0].counted = true;
    add(f, 2, 100);
    assert_true(ratio(f->account) == 1);
}

static void ratio__is_that_of_the_last_minutes(void **state)
{
    struct fixture *f = *state;

    begin(f);
    for (int i = 0; i < 100; i++)
        add(f, 60, 12000);
    assert_true(fabs(ratio(f->account) - 2) < 0.001);
    for (int i = 0; i < 100; i++)
        add(f, 60, 6000);
    assert_true(fabs(ratio(f->account) - 1) < 0.001);
    assert_int_equal(samples(f->account), 7 + 100 * 18000);
}

static void successor__goes_on_with_samples_and_what_they_are_compared_with(void **state)
{
    struct fixture *f = *state;
    struct account *next = fixture_account(f->plan, "/a", 1);

    begin(f);
    add(f, 2, 200);
    account_adopt(next, f->account);
    assert_int_equal(samples(next), 207);
    add_to(next, f->sample, 2, 100, true);
    assert_true(ratio(next) == 0.75);
    (void)account_free(next);
}

static void end__keeps_samples_and_drops_the_ratio(void **state)
{
    struct fixture *f = *state;

    begin(f);
    add(f, 2, 200);
    assert_true(ratio(f->account) == 1);
    account_end(f->account);
    assert_int_equal(samples(f->account), 207);
    assert_true(isnan(ratio(f->account)));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plan__without_profiles__has_none_of_their_columns),
        cmocka_unit_test(plan__without_a_clock__has_samples_alone),
        TEST(samples__are_absent_until_somebody_samples),
        TEST(ratio__is_that_of_the_totals_since_sampling_began),
        TEST(ratio__is_absent_below_a_hundred_samples_of_time),
        TEST(ratio__begins_with_the_clock),
        TEST(ratio__has_a_delta_that_comes_one_interval_late),
        TEST(ratio__is_that_of_the_last_minutes),
        TEST(successor__goes_on_with_samples_and_what_they_are_compared_with),
        TEST(end__keeps_samples_and_drops_the_ratio),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
