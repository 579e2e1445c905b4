/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A store in a directory of its own, and snapshots of one cgroup whose totals the test sets. */

#include "support/check.h"

#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "history/store.h"

#define TARGET  "cgroup:/a"
#define BEGIN_S UINT64_C(1700000000) /* the first snapshot is a second later */

struct store_fixture {
    char directory[64];
    struct history_store store;
    struct history_options options;
    struct event_groups *groups;
    struct plan *plan;
    struct identity *identity;
    struct account *account;
    struct sample *sample;
    struct catalogue *catalogue;
    struct roster *roster;
    uint64_t taken_ns, realtime_ns;
    struct latencies latencies; /* of each second; while they are 0 nothing was observed */
    struct breakdowns counted;  /* by key, in each second */
    struct cpu_list *cpus;      /* where the cgroup runs; NULL: it is not known */
    uint64_t ran_ns[2];
};

static struct event fixture_clock = {.name = (char *)"task-clock",
                                     .scale = EVENT_SCALE_NANOSECONDS,
                                     .unit = (char *)"seconds",
                                     .is_clock = true,
                                     .metric = (char *)"task_clock",
                                     .description = (char *)"Clock",
                                     .encoding = (char *)"type=1",
                                     .pmu = (char *)"software"};
static struct event fixture_branches = {.name = (char *)"branches",
                                        .scale = 1,
                                        .metric = (char *)"branches",
                                        .description = (char *)"Branches",
                                        .encoding = (char *)"type=2",
                                        .pmu = (char *)"cpu"};
static struct event fixture_misses = {.name = (char *)"branch-misses",
                                      .scale = 1,
                                      .metric = (char *)"branch_misses",
                                      .description = (char *)"Misses",
                                      .encoding = (char *)"type=3",
                                      .pmu = (char *)"cpu"};

static inline void fixture_make_account(struct store_fixture *f, uint64_t start)
{
    struct roster *roster = NULL;

    (void)account_free(f->account);
    f->account = account_new(f->plan, f->identity, start);
    assert_int_equal(roster_new(f->catalogue, &f->account, 1, &roster), 0);
    (void)roster_unref(f->roster);
    f->roster = roster;
}

static inline void fixture_open(struct store_fixture *f, const char *directory)
{
    const struct event *events[] = {&fixture_clock, &fixture_branches, &fixture_misses};
    const struct group_spec group = {.name = "core", .events = events, .n_events = 3};
    const struct plan_spec spec = {.prefix = "pmu_cgroup_",
                                   .target = "it",
                                   .start_time = true,
                                   .totals = true,
                                   .group_times = true,
                                   .rates = true,
                                   .ratios = true,
                                   .latency = LATENCY_KIND_OFF_CPU | LATENCY_KIND_SWITCHES,
                                   .by_key = 1U << BREAKDOWN_SPANS | 1U << BREAKDOWN_TCP |
                                             1U << BREAKDOWN_HARDIRQS,
                                   .n_spans = 2};
    const struct label label = {"cgroup", "/a"};

    *f = (struct store_fixture){.taken_ns = 1000 * NS_PER_SECOND,
                                .realtime_ns = BEGIN_S * NS_PER_SECOND};
    (void)snprintf(f->directory, sizeof(f->directory), "%s", directory ? directory : "");
    f->options = (struct history_options){.directory = directory ? f->directory : NULL,
                                          .limits = {.full_ns = 3600 * NS_PER_SECOND,
                                                     .ten_seconds_ns = 86400 * NS_PER_SECOND,
                                                     .minutes_ns = 7 * 86400 * NS_PER_SECOND,
                                                     .bytes = UINT64_C(64) << 20}};
    assert_int_equal(event_groups_new(SCOPE_CGROUP, &group, 1, &f->groups), 0);
    f->groups->groups[0].n_opened = 3;
    assert_int_equal(plan_new(&spec, f->groups, &f->plan), 0);
    assert_int_equal(catalogue_new(&f->plan, 1, NULL, 0, &f->catalogue), 0);
    f->identity = identity_new(&label, 1, NULL, 0);
    f->sample = sample_new(f->groups);
    fixture_make_account(f, 5);
    assert_int_equal(history_store_init(&f->store, &f->options), 0);
    history_store_open(&f->store);
}

static inline void fixture_close(struct store_fixture *f)
{
    history_store_done(&f->store);
    breakdowns_clear(&f->counted);
    (void)cpu_list_free(f->cpus);
    (void)account_free(f->account);
    (void)roster_unref(f->roster);
    (void)sample_free(f->sample);
    (void)identity_unref(f->identity);
    (void)catalogue_unref(f->catalogue);
    (void)plan_unref(f->plan);
    (void)event_groups_free(f->groups);
}

/* The store ends without writing what it has, as at kill -9, and another one begins. */
static inline void fixture_kill(struct store_fixture *f)
{
    recorder_done(&f->store.recorder);
    vault_done(&f->store.past);
    vault_done(&f->store.runs);
    vault_done(&f->store.profiles);
    fixture_make_account(f, 6);
    assert_int_equal(history_store_init(&f->store, &f->options), 0);
    history_store_open(&f->store);
}

/* Once in ten seconds a snapshot says on which CPUs the cgroup ran. */
static inline void fixture_add_cpus(const struct store_fixture *f, struct snapshot *snapshot)
{
    if (!f->cpus || f->realtime_ns / NS_PER_SECOND % 10 != 0)
        return;
    snapshot->cpus = snapshot_cpus_new(f->roster, f->cpus);
    assert_non_null(snapshot->cpus);
    memcpy(snapshot_cpus_row(snapshot->cpus, f->roster, 0), f->ran_ns, sizeof(f->ran_ns));
}

/* A second later: so many branches, of which a tenth was missed, on half a CPU. */
static inline struct snapshot *fixture_snapshot(struct store_fixture *f, uint64_t branches,
                                                bool unknown)
{
    const struct exporter_status status = {.interval_ns = NS_PER_SECOND};
    struct snapshot *snapshot;

    f->taken_ns += NS_PER_SECOND;
    f->realtime_ns += NS_PER_SECOND;
    f->sample->groups[0] = (struct group_sample){.counted = true,
                                                 .ran = true,
                                                 .unknown = unknown,
                                                 .enabled = NS_PER_SECOND / 2,
                                                 .running = NS_PER_SECOND / 4};
    f->sample->events[0].count = unknown ? 0 : NS_PER_SECOND / 2;
    f->sample->events[1].count = unknown ? 0 : branches;
    f->sample->events[2].count = unknown ? 0 : branches / 10;
    account_update(f->account, f->sample);
    if (f->latencies.tallies[LATENCY_SWITCHES_VOLUNTARY] > 0)
        account_add_latencies(f->account, &f->latencies);
    account_add_breakdowns(f->account, &f->counted);
    snapshot = snapshot_new(f->roster, &f->account, 1, &status);
    assert_non_null(snapshot);
    snapshot->taken_ns = f->taken_ns;
    snapshot->taken_realtime_ns = f->realtime_ns;
    f->ran_ns[1] += NS_PER_SECOND / 2; /* the first of both CPUs has nothing of it */
    fixture_add_cpus(f, snapshot);
    return snapshot;
}

static inline void fixture_count(struct store_fixture *f, uint64_t branches, bool unknown)
{
    struct snapshot *snapshot = fixture_snapshot(f, branches, unknown);

    history_store_record(&f->store, snapshot);
    while (f->store.reductions_left > 0)
        (void)thinning_go_on(&f->store);
    (void)snapshot_unref(snapshot);
}

static inline void fixture_count_for(struct store_fixture *f, unsigned seconds)
{
    for (unsigned i = 0; i < seconds; i++)
        fixture_count(f, 1000, false);
}

static inline struct history_answer *fixture_ask(struct store_fixture *f, uint64_t start_s,
                                                 uint64_t end_s, uint64_t step_s)
{
    const struct history_query query = {.target = TARGET,
                                        .start_ns = start_s * NS_PER_SECOND,
                                        .end_ns = end_s * NS_PER_SECOND,
                                        .step_ns = step_s * NS_PER_SECOND};
    struct history_answer *answer = NULL;

    assert_int_equal(history_store_query(&f->store, &query, &answer), 0);
    return answer;
}

static inline struct history_cpus *fixture_ask_cpus(struct store_fixture *f, uint64_t start_s,
                                                    uint64_t end_s, uint64_t step_s)
{
    struct history_cpus *cpus = NULL;

    assert_int_equal(history_store_cpus(&f->store, TARGET, start_s * NS_PER_SECOND,
                                        end_s * NS_PER_SECOND, step_s * NS_PER_SECOND, &cpus),
                     0);
    return cpus;
}

static inline const double *fixture_values(const struct history_answer *answer, const char *name)
{
    for (size_t i = 0; i < answer->n_series; i++)
        if (strcmp(answer->series[i].name, name) == 0)
            return answer->series[i].values;
    fail();
    return NULL;
}

/* The directory that fixture_directory_make() has made; empty without one. */
static char fixture_directory[64];

static inline void fixture_directory_make(void)
{
    (void)snprintf(fixture_directory, sizeof(fixture_directory), "/tmp/pmu_history_XXXXXX");
    assert_non_null(mkdtemp(fixture_directory));
}

static inline int fixture_remove_one(const char *path, const struct stat *stat, int type,
                                     struct FTW *ftw)
{
    (void)stat, (void)type, (void)ftw;
    return remove(path);
}

/* With all that is below it. A test may have removed it already. */
static inline void fixture_directory_remove(void)
{
    if (*fixture_directory)
        (void)nftw(fixture_directory, fixture_remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* For each test: a store in a directory of its own. */
static inline int fixture_set_up(void **state)
{
    struct store_fixture *f = calloc(1, sizeof(*f));

    assert_non_null(f);
    fixture_directory_make();
    fixture_open(f, fixture_directory);
    *state = f;
    return 0;
}

static inline int fixture_tear_down(void **state)
{
    fixture_close(*state);
    free(*state);
    fixture_directory_remove();
    return 0;
}
