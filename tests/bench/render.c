/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What rendering costs by itself: a snapshot of many cgroups with random numbers,
 * written over and over.
 *
 *     bench_render [CGROUPS [TIMES [FORMAT [latency]]]]
 *
 * The default is 770 cgroups (10,000 series), 200 times; FORMAT is text (0.0.4) or openmetrics.
 * With `latency` they have all distributions too.
 *
 * Under `valgrind --tool=callgrind` its figure is exact and repeatable.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "expose/exposition.h"
#include "metric/account.h"
#include "metric/catalogue.h"
#include "metric/roster.h"

static struct event events[] = {
    {.name = (char *)"task-clock",
     .metric = (char *)"task_clock",
     .unit = (char *)"seconds",
     .scale = EVENT_SCALE_NANOSECONDS,
     .is_clock = true},
    {.name = (char *)"context-switches", .metric = (char *)"context_switches"},
    {.name = (char *)"cpu-migrations", .metric = (char *)"cpu_migrations"},
    {.name = (char *)"page-faults", .metric = (char *)"page_faults"},
};

static struct event_groups *make_groups(void)
{
    const struct event *members[ARRAY_SIZE(events)];
    const struct group_spec spec = {
        .name = "software", .events = members, .n_events = ARRAY_SIZE(events)};
    struct event_groups *groups = NULL;

    for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
        events[i].description = events[i].encoding = events[i].pmu = (char *)"software";
        members[i] = &events[i];
    }
    (void)event_groups_new(SCOPE_CGROUP, &spec, 1, &groups);
    return groups;
}

static struct account *make_account(struct plan *plan, size_t i)
{
    char path[64];
    const struct label label = {"cgroup", path};
    const struct label info = {"unit", "app.service"};
    AUTO(identity) struct identity *identity = NULL;

    (void)snprintf(path, sizeof(path), "/system.slice/app%04zu.service", i);
    identity = identity_new(&label, 1, &info, 1);
    return account_new(plan, identity, clock_realtime_ns());
}

static void count(struct account *account, struct sample *sample)
{
    sample->groups[0] = (struct group_sample){
        .counted = true, .ran = true, .enabled = (uint64_t)random(), .running = 500000000};
    for (size_t i = 0; i < sample->n_events; i++)
        sample->events[i] = (struct event_sample){.count = (uint64_t)random() << 8,
                                                  .per_second = (double)random() / 12345.678};
    account_update(account, sample);
    for (size_t i = 0; i < LATENCY_BUCKETS; i++)
        sample->latencies.buckets[i] = (uint64_t)random() % 100000;
    for (size_t i = 0; i < LATENCY_DISTRIBUTION_COUNT_; i++)
        sample->latencies.sums_ns[i] = (uint64_t)random() << 8;
    account_add_latencies(account, &sample->latencies);
}

int main(int argc, char **argv)
{
    const size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 770;
    const struct exposition_order order = {.format = argc > 3 && strcmp(argv[3], "openmetrics") == 0
                                                         ? EXPOSITION_OPENMETRICS
                                                         : EXPOSITION_TEXT};
    const size_t times = argc > 2 ? strtoul(argv[2], NULL, 10) : 200;
    const struct plan_spec spec = {.prefix = "pmu_cgroup_",
                                   .target = "the cgroup and its descendants",
                                   .start_time = true,
                                   .totals = true,
                                   .group_times = true,
                                   .rates = true,
                                   .ratios = true,
                                   .latency = argc > 4 ? LATENCY_SCHEDULER : 0};
    const struct exporter_status status = {.mechanisms[SCOPE_CGROUP] = {"direct", ""}};
    const struct exposition_facts facts = {.version = "", .revision = ""};
    AUTO(event_groups) struct event_groups *groups = make_groups();
    AUTO(sample) struct sample *sample = sample_new(groups);
    AUTO(plan) struct plan *plan = NULL;
    AUTO(catalogue) struct catalogue *catalogue = NULL;
    AUTO(roster) struct roster *roster = NULL;
    AUTO(snapshot) struct snapshot *snapshot = NULL;
    AUTO(exposition) struct exposition *exposition = exposition_new();
    AUTO_FREE struct account **accounts = calloc(n + 1, sizeof(*accounts));
    AUTO_TEXT struct text text = {0};
    uint64_t before;
    size_t n_series;

    (void)plan_new(&spec, groups, &plan);
    for (size_t i = 0; i < n; i++) {
        accounts[i] = make_account(plan, i);
        count(accounts[i], sample);
    }
    (void)catalogue_new(&plan, 1, NULL, 0, &catalogue);
    (void)roster_new(catalogue, accounts, n, &roster);
    snapshot = snapshot_new(roster, accounts, n, &status);
    before = clock_monotonic_ns();
    for (size_t i = 0; i < times; i++) {
        text_clear(&text);
        if (exposition_write(exposition, snapshot, &facts, &order, &text) < 0)
            return 1;
    }
    n_series = n * (plan_row_series(plan) + 1);
    (void)printf("render: %zu series, %zu bytes (expected at most %zu), %.1f ns a series\n",
                 n_series, text.length,
                 n * plan_row_bytes(plan, strlen("{cgroup=\"/system.slice/app0000.service\"}")),
                 (double)(clock_monotonic_ns() - before) / (double)(times * n_series));
    for (size_t i = 0; i < n; i++)
        (void)account_free(accounts[i]);
    return 0;
}
