/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "metric/account.h"

static const struct cpu_usage_delta second = {.state = CPU_USAGE_KNOWN,
                                              .user_ns = NS_PER_SECOND,
                                              .system_ns = NS_PER_SECOND / 4,
                                              .cpus = 1.25};

struct fixture {
    struct plan *plan;
    struct account *account;
};

static struct plan *make_plan(bool rates)
{
    const struct plan_spec spec = {
        .prefix = "pmu_machine_", .target = "the machine", .cpu_time = true, .rates = rates};
    AUTO(event_groups) struct event_groups *groups = NULL;
    struct plan *plan = NULL;

    assert_int_equal(event_groups_new(SCOPE_SYSTEM, NULL, 0, &groups), 0);
    assert_int_equal(plan_new(&spec, groups, &plan), 0);
    return plan;
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    struct identity *identity = identity_new(NULL, 0, NULL, 0);

    f->plan = make_plan(true);
    f->account = account_new(f->plan, identity, 0);
    (void)identity_unref(identity);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    (void)account_free(f->account);
    (void)plan_unref(f->plan);
    free(f);
    return 0;
}

/* Finds the number of a family; NULL if there is no such family. */
static const union number *place(const struct fixture *f, const char *name)
{
    for (size_t i = 0; i < f->plan->n_columns; i++)
        if (strcmp(f->plan->columns[i].name, name) == 0)
            return &f->account->row[i];
    return NULL;
}

static uint64_t total(const struct fixture *f, const char *name)
{
    const union number *number = place(f, name);

    assert_non_null(number);
    return number->count;
}

static double cpus_used(const struct fixture *f)
{
    return place(f, "pmu_machine_cpus_used")->real;
}

static void cpu_time__is_absent_until_it_was_read(void **state)
{
    struct fixture *f = *state;

    account_set_cpu_usage(f->account, NULL, 4);
    assert_int_equal(total(f, "pmu_machine_cpu_seconds_total"), NUMBER_ABSENT_COUNT);
    assert_true(isnan(cpus_used(f)));
    assert_int_equal(total(f, "pmu_machine_cpus"), 4); /* this number is known nevertheless */
}

static void cpu_time__begins_at_0_without_a_rate(void **state)
{
    struct fixture *f = *state;
    const struct cpu_usage_delta first = {.state = CPU_USAGE_UNKNOWN};

    account_set_cpu_usage(f->account, &first, 4);
    assert_int_equal(total(f, "pmu_machine_cpu_seconds_total"), 0);
    assert_int_equal(total(f, "pmu_machine_cpu_user_seconds_total"), 0);
    assert_int_equal(total(f, "pmu_machine_cpu_system_seconds_total"), 0);
    assert_true(isnan(cpus_used(f)));
}

static void cpu_time__adds_up_and_its_parts_make_the_whole(void **state)
{
    struct fixture *f = *state;

    account_set_cpu_usage(f->account, &second, 4);
    account_set_cpu_usage(f->account, &second, 4);
    assert_int_equal(total(f, "pmu_machine_cpu_user_seconds_total"), 2 * NS_PER_SECOND);
    assert_int_equal(total(f, "pmu_machine_cpu_system_seconds_total"), NS_PER_SECOND / 2);
    assert_int_equal(total(f, "pmu_machine_cpu_seconds_total"), 5 * NS_PER_SECOND / 2);
    assert_true(cpus_used(f) == 1.25);
}

static void cpu_time__that_cannot_be_read_any_more_stays_and_has_no_rate(void **state)
{
    struct fixture *f = *state;

    account_set_cpu_usage(f->account, &second, 4);
    account_set_cpu_usage(f->account, NULL, 2);
    assert_int_equal(total(f, "pmu_machine_cpu_user_seconds_total"), NS_PER_SECOND);
    assert_true(isnan(cpus_used(f)));
    assert_int_equal(total(f, "pmu_machine_cpus"), 2);
}

static void cpu_time__read_again_in_a_moment_leaves_the_rate(void **state)
{
    struct fixture *f = *state;
    const struct cpu_usage_delta soon = {.state = CPU_USAGE_TOO_SOON};

    account_set_cpu_usage(f->account, &second, 4);
    account_set_cpu_usage(f->account, &soon, 4);
    assert_true(cpus_used(f) == 1.25);
}

static void cpu_time__has_no_gauge_where_rates_are_not_exposed(void **state)
{
    AUTO(plan) struct plan *plan = make_plan(false);

    (void)state;
    for (size_t i = 0; i < plan->n_columns; i++)
        assert_string_not_equal(plan->columns[i].name, "pmu_machine_cpus_used");
    assert_int_equal(plan->n_columns, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(cpu_time__is_absent_until_it_was_read),
        TEST(cpu_time__begins_at_0_without_a_rate),
        TEST(cpu_time__adds_up_and_its_parts_make_the_whole),
        TEST(cpu_time__that_cannot_be_read_any_more_stays_and_has_no_rate),
        TEST(cpu_time__read_again_in_a_moment_leaves_the_rate),
        TEST(cpu_time__has_no_gauge_where_rates_are_not_exposed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
