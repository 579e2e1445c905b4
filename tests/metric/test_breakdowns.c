/* SPDX-License-Identifier: Apache-2.0 */
/* What targets show of what is counted by key. */
#include "support/check.h"

#include <stdio.h>
#include <string.h>

#include "metric/catalogue.h"
#include "metric/metric_fixture.h"
#include "metric/snapshot.h"
#include "sys/bpf/block/counts.h"

static struct plan *plan_of(unsigned latency, unsigned by_key)
{
    const struct plan_spec spec = {
        .prefix = "pmu_x_", .target = "it", .latency = latency, .by_key = by_key};
    AUTO(event_groups) struct event_groups *groups = NULL;
    struct plan *plan = NULL;

    assert_int_equal(event_groups_new(SCOPE_CGROUP, NULL, 0, &groups), 0);
    assert_int_equal(plan_new(&spec, groups, &plan), 0);
    return plan;
}

static struct plan *plan_of_machine(void)
{
    return plan_of(LATENCY_KIND_BLOCK_IO, 1U << BREAKDOWN_BLOCK_IO);
}

/* One request, whose latency and whose time in the queue are in these buckets. */
static void add_request(struct breakdowns *counted, const char *device, const char *op,
                        size_t latency, size_t queue)
{
    uint64_t numbers[KEYED_TALLIES + KEYED_DISTRIBUTIONS * (KEYED_BUCKETS + 1)] = {
        [BLOCK_REQUESTS] = 1, [BLOCK_BYTES] = 4096, [BLOCK_ERRORS] = 1};
    struct breakdown_line line = {0};

    (void)snprintf(line.labels[0], sizeof(line.labels[0]), "%s", device);
    (void)snprintf(line.labels[1], sizeof(line.labels[1]), "%s", op);
    numbers[breakdown_first_bucket(BREAKDOWN_BLOCK_IO, BLOCK_LATENCY) + latency] = 1;
    numbers[breakdown_first_bucket(BREAKDOWN_BLOCK_IO, BLOCK_LATENCY) + KEYED_BUCKETS] = 500;
    numbers[breakdown_first_bucket(BREAKDOWN_BLOCK_IO, BLOCK_QUEUED) + queue] = 1;
    numbers[breakdown_first_bucket(BREAKDOWN_BLOCK_IO, BLOCK_QUEUED) + KEYED_BUCKETS] = 30;
    if (!counted->of[BREAKDOWN_BLOCK_IO])
        counted->of[BREAKDOWN_BLOCK_IO] = breakdown_new(BREAKDOWN_BLOCK_IO);
    assert_int_equal(breakdown_add(counted->of[BREAKDOWN_BLOCK_IO], &line, numbers), 0);
}

static const union number *histogram_of(const struct account *account,
                                        enum latency_distribution distribution)
{
    const struct plan *plan = account->plan;

    for (size_t i = 0; i < plan->n_histograms; i++)
        if (plan->histograms[i].distribution == distribution)
            return &account->row[plan->histograms[i].first];
    fail();
    return NULL;
}

static uint64_t tally_of(const struct account *account, enum block_io_tally tally)
{
    for (size_t i = 0; i < account->plan->n_columns; i++)
        if (account->plan->columns[i].kind == COLUMN_BLOCK_IO &&
            account->plan->columns[i].index == tally)
            return account->row[i].count;
    fail();
    return 0;
}

static void row__adds_up_the_devices_by_operation(void **state)
{
    AUTO(plan) struct plan *plan = plan_of(LATENCY_KIND_BLOCK_IO, 0);
    AUTO(account) struct account *account = fixture_account(plan, "/a", 1);
    struct breakdowns counted = {0};

    (void)state;
    add_request(&counted, "sda", "read", 3, 0);
    add_request(&counted, "sdb", "read", 3, 1);
    add_request(&counted, "sdb", "discard", 23, 1);
    account_add_breakdowns(account, &counted);
    assert_int_equal(histogram_of(account, LATENCY_BLOCK_IO_READ)[3].count, 2);
    assert_int_equal(histogram_of(account, LATENCY_BLOCK_IO_READ)[KEYED_BUCKETS].count, 1000);
    assert_int_equal(histogram_of(account, LATENCY_BLOCK_IO_OTHER)[23].count, 1);
    assert_true(histogram_of(account, LATENCY_BLOCK_IO_WRITE)[0].count == NUMBER_ABSENT_COUNT);
    assert_int_equal(histogram_of(account, LATENCY_BLOCK_IO_QUEUE)[1].count, 2);
    assert_int_equal(histogram_of(account, LATENCY_BLOCK_IO_QUEUE)[KEYED_BUCKETS].count, 90);
    assert_int_equal(tally_of(account, BLOCK_IO_BYTES_READ), 8192);
    assert_int_equal(tally_of(account, BLOCK_IO_BYTES_OTHER), 4096);
    assert_int_equal(tally_of(account, BLOCK_IO_ERRORS), 3);
    assert_null(account->by_key.of[BREAKDOWN_BLOCK_IO]);
    breakdowns_clear(&counted);
}

static void machine__has_devices_and_keeps_their_sum_for_the_past(void **state)
{
    AUTO(plan) struct plan *plan = plan_of_machine();
    AUTO(account) struct account *account = fixture_account(plan, "/a", 1);
    AUTO(catalogue) struct catalogue *catalogue = NULL;
    struct breakdowns counted = {0};

    (void)state;
    add_request(&counted, "sda", "read", 3, 0);
    add_request(&counted, "sdb", "read", 3, 1);
    account_add_breakdowns(account, &counted);
    account_add_breakdowns(account, &counted);
    assert_int_equal(account->by_key.of[BREAKDOWN_BLOCK_IO]->n_lines, 2);
    assert_int_equal(account->by_key.of[BREAKDOWN_BLOCK_IO]->numbers[BLOCK_BYTES], 8192);
    assert_int_equal(histogram_of(account, LATENCY_BLOCK_IO_READ)[3].count, 4);
    assert_true(plan->histograms[0].is_hidden);
    assert_int_equal(catalogue_new(&plan, 1, NULL, 0, &catalogue), 0);
    for (size_t i = 0; i < catalogue->n_families; i++)
        for (size_t j = 0; j < catalogue->families[i].n_uses; j++)
            assert_int_equal(catalogue->families[i].uses[j].kind, USE_BREAKDOWN);
    assert_int_equal(catalogue->n_families, plan->n_breakdowns);
    breakdowns_clear(&counted);
}

static void times_of_calls__say_of_which_part_they_are(void **state)
{
    struct plan_spec spec = {.prefix = "pmu_x_",
                             .target = "it",
                             .latency = LATENCY_KIND_SYSTEM_CALLS,
                             .by_key = 1U << BREAKDOWN_SYSTEM_CALL_TIMES,
                             .n_timed_calls = 3};
    AUTO(event_groups) struct event_groups *groups = NULL;

    (void)state;
    assert_int_equal(event_groups_new(SCOPE_CGROUP, NULL, 0, &groups), 0);
    for (spec.one_in = 1; spec.one_in <= 17; spec.one_in += 16) {
        AUTO(plan) struct plan *plan = NULL;

        assert_int_equal(plan_new(&spec, groups, &plan), 0);
        assert_int_equal(plan->n_breakdowns, 1);
        assert_string_equal(plan->breakdowns[0].name, "pmu_x_system_call_seconds");
        assert_int_equal(plan->breakdowns[0].most_lines, 3);
        assert_true(!strstr(plan->breakdowns[0].help, "one in 17") == (spec.one_in == 1));
        assert_int_equal(plan_row_series(plan), 3 * 15);
    }
}

static void adoption__takes_the_keys_over_if_they_are_still_shown(void **state)
{
    AUTO(plan) struct plan *plan = plan_of_machine();
    AUTO(plan) struct plan *without = plan_of(0, 0);
    AUTO(account) struct account *from = fixture_account(plan, "/a", 1);
    AUTO(account) struct account *account = fixture_account(plan, "/a", 2);
    AUTO(account) struct account *other = fixture_account(without, "/a", 3);
    struct breakdowns counted = {0};

    (void)state;
    add_request(&counted, "sda", "write", 0, 0);
    account_add_breakdowns(from, &counted);
    account_adopt(account, from);
    account_adopt(other, from);
    account_add_breakdowns(account, &counted);
    assert_int_equal(account->by_key.of[BREAKDOWN_BLOCK_IO]->numbers[BLOCK_REQUESTS], 2);
    assert_int_equal(from->by_key.of[BREAKDOWN_BLOCK_IO]->numbers[BLOCK_REQUESTS], 1);
    assert_null(other->by_key.of[BREAKDOWN_BLOCK_IO]);
    breakdowns_clear(&counted);
}

static void snapshot__refers_to_the_totals_of_its_moment(void **state)
{
    struct plan *plans[] = {plan_of(0, 0), plan_of_machine()};
    AUTO(catalogue) struct catalogue *catalogue = NULL;
    AUTO(roster) struct roster *roster = NULL;
    AUTO(snapshot) struct snapshot *snapshot = NULL;
    struct account *accounts[] = {fixture_account(plans[1], "/a", 1),
                                  fixture_account(plans[0], "/b", 1),
                                  fixture_account(plans[1], "/c", 1)};
    struct breakdowns counted = {0};

    (void)state;
    add_request(&counted, "sda", "write", 0, 0);
    account_add_breakdowns(accounts[2], &counted);
    assert_int_equal(catalogue_new(plans, 2, NULL, 0, &catalogue), 0);
    assert_int_equal(roster_new(catalogue, accounts, 3, &roster), 0);
    snapshot = snapshot_new(roster, accounts, 3, &(struct exporter_status){0});
    account_add_breakdowns(accounts[2], &counted);
    assert_int_equal(snapshot->n_breakdowns, 1);
    assert_int_equal(snapshot->breakdowns[0].plan, 1);
    assert_int_equal(snapshot->breakdowns[0].target, 1);
    assert_int_equal(snapshot->breakdowns[0].breakdown->numbers[BLOCK_REQUESTS], 1);
    breakdowns_clear(&counted);
    for (size_t i = 0; i < ARRAY_SIZE(accounts); i++)
        (void)account_free(accounts[i]);
    for (size_t i = 0; i < ARRAY_SIZE(plans); i++)
        (void)plan_unref(plans[i]);
}

static void limits__reckon_with_all_lines_that_there_may_be(void **state)
{
    AUTO(plan) struct plan *machine = plan_of_machine();
    AUTO(plan) struct plan *cgroup = plan_of(LATENCY_KIND_BLOCK_IO, 0);
    const size_t lines = breakdown_shapes[BREAKDOWN_BLOCK_IO].most_lines + 1;

    (void)state;
    /* two histograms of 13 buckets, sum and count; requests, bytes and errors */
    assert_int_equal(plan_row_series(machine), lines * (2 * 15 + 3));
    /* three operations and the queue; bytes of three operations, and errors */
    assert_int_equal(plan_row_series(cgroup), 4 * 15 + 4);
    assert_true(plan_row_bytes(machine, 0) > plan_row_series(machine) * 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(row__adds_up_the_devices_by_operation),
        cmocka_unit_test(machine__has_devices_and_keeps_their_sum_for_the_past),
        cmocka_unit_test(times_of_calls__say_of_which_part_they_are),
        cmocka_unit_test(adoption__takes_the_keys_over_if_they_are_still_shown),
        cmocka_unit_test(snapshot__refers_to_the_totals_of_its_moment),
        cmocka_unit_test(limits__reckon_with_all_lines_that_there_may_be),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
