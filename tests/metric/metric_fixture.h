/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Makes plans and accounts of invented events, for tests of what is built of them. */

#include "support/check.h"

#include "metric/account.h"
#include "metric/plan.h"

static const struct event fixture_events[] = {
    {.name = (char *)"faults",
     .scale = 1,
     .metric = (char *)"faults",
     .description = (char *)"Faults",
     .encoding = (char *)"type=1",
     .pmu = (char *)"software"},
    {.name = (char *)"moves",
     .scale = 1,
     .metric = (char *)"moves",
     .description = (char *)"Moves",
     .encoding = (char *)"type=2",
     .pmu = (char *)"software"},
};

/* A plan with columns for the start time, and for totals of n events from the index `first` on. */
static inline struct plan *fixture_plan(const char *prefix, size_t first, size_t n)
{
    const struct event *events[] = {&fixture_events[first], &fixture_events[first + n - 1]};
    const struct group_spec group = {.name = "software", .events = events, .n_events = n};
    const struct plan_spec spec = {
        .prefix = prefix, .target = "it", .start_time = true, .totals = true};
    AUTO(event_groups) struct event_groups *groups = NULL;
    struct plan *plan = NULL;

    assert_int_equal(event_groups_new(SCOPE_CGROUP, &group, 1, &groups), 0);
    assert_int_equal(plan_new(&spec, groups, &plan), 0);
    assert_int_equal(plan->n_columns, 1 + n);
    return plan;
}

/* An account of a target of this name. Its start time tells it from others. */
static inline struct account *fixture_account(struct plan *plan, const char *name, uint64_t start)
{
    const struct label label = {"cgroup", name};
    struct identity *identity = identity_new(&label, 1, NULL, 0);
    struct account *account = account_new(plan, identity, start);

    assert_non_null(account);
    (void)identity_unref(identity);
    return account;
}
