/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A snapshot of two cgroups with one event, for tests of what is written of it. */

#include "support/check.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expose/exposition.h"
#include "expose/format.h"
#include "metric/account.h"
#include "metric/catalogue.h"
#include "metric/roster.h"

static struct event event = {.name = (char *)"faults",
                             .scale = 1,
                             .metric = (char *)"faults",
                             .description = (char *)"Faults \\ of\npages",
                             .encoding = (char *)"type=1",
                             .pmu = (char *)"software"};

struct fixture {
    struct event_groups *groups;
    struct plan *plan;
    struct catalogue *catalogue;
    struct exposition *exposition;
    struct account *accounts[2];
    struct latency_status latency;
    struct profile_status profile;
    struct text text;
};

static inline struct account *make_account(struct fixture *f, const char *path)
{
    const struct label label = {"cgroup", path};
    const struct label info = {"unit", "x\\x2dy.service"};
    AUTO(identity) struct identity *identity = identity_new(&label, 1, &info, 1);

    return account_new(f->plan, identity, UINT64_C(1700000000123456789));
}

static inline int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    const struct event *events = &event;
    const struct group_spec group = {.name = "software", .events = &events, .n_events = 1};
    const struct plan_spec spec = {.prefix = "pmu_cgroup_",
                                   .target = "the cgroup",
                                   .start_time = true,
                                   .totals = true,
                                   .group_times = true,
                                   .rates = true,
                                   .latency = LATENCY_SCHEDULER,
                                   .by_key = 1U << BREAKDOWN_BLOCK_IO};
    struct event_status status = {.scope = "cgroup",
                                  .metric = (char *)"",
                                  .event = (char *)"cycles",
                                  .group = (char *)"core",
                                  .pmu = (char *)"",
                                  .encoding = (char *)"",
                                  .absence = ABSENCE_NO_PMU};

    assert_int_equal(event_groups_new(SCOPE_CGROUP, &group, 1, &f->groups), 0);
    assert_int_equal(plan_new(&spec, f->groups, &f->plan), 0);
    assert_int_equal(catalogue_new(&f->plan, 1, &status, 1, &f->catalogue), 0);
    f->accounts[0] = make_account(f, "/a\"b\\c\nd");
    f->accounts[1] = make_account(f, "/b");
    f->exposition = exposition_new();
    *state = f;
    return 0;
}

static inline int tear_down(void **state)
{
    struct fixture *f = *state;

    text_done(&f->text);
    (void)exposition_free(f->exposition);
    (void)account_free(f->accounts[0]);
    (void)account_free(f->accounts[1]);
    (void)catalogue_unref(f->catalogue);
    (void)plan_unref(f->plan);
    (void)event_groups_free(f->groups);
    free(f);
    return 0;
}

/*
 * Counts `count` in the first account and writes a snapshot of both. Returns what
 * exposition_write() does.
 */
static inline int write_it(struct fixture *f, uint64_t count, const struct exposition_facts *facts,
                           const struct exposition_order *order)
{
    int r;
    const struct exporter_status status = {.mechanisms[SCOPE_CGROUP] = {"direct", "why"},
                                           .uncounted[SCOPE_CGROUP][ABSENCE_OVER_LIMIT] = 4,
                                           .pmu_free = 6,
                                           .pmu_budget = NUMBER_ABSENT_COUNT,
                                           .pmu_used = 4,
                                           .latency = {f->latency},
                                           .profile = f->profile};
    AUTO(sample) struct sample *sample = sample_new(f->groups);
    AUTO(roster) struct roster *roster = NULL;
    AUTO(snapshot) struct snapshot *snapshot = NULL;

    sample->events[0] = (struct event_sample){.count = count, .per_second = 0.5};
    sample->groups[0] =
        (struct group_sample){.counted = true, .ran = true, .enabled = 1500000001, .running = 1};
    account_update(f->accounts[0], sample);
    assert_int_equal(roster_new(f->catalogue, f->accounts, 2, &roster), 0);
    snapshot = snapshot_new(roster, f->accounts, 2, &status);
    text_clear(&f->text);
    r = exposition_write(f->exposition, snapshot, facts, order, &f->text);
    text_append_char(&f->text, '\0');
    return r;
}

static inline const char *written_as(struct fixture *f, const struct exposition_facts *facts,
                                     const struct exposition_order *order)
{
    assert_int_equal(write_it(f, 1, facts, order), 0);
    return f->text.data;
}

static inline const char *written(struct fixture *f, uint64_t count,
                                  const struct exposition_facts *facts)
{
    const struct exposition_order order = {.format = EXPOSITION_TEXT};

    assert_int_equal(write_it(f, count, facts, &order), 0);
    return f->text.data;
}

static const struct exposition_facts fresh = {.version = "1.2", .revision = "abc"};

static inline void assert_has(const char *text, const char *line)
{
    if (!strstr(text, line))
        fail_msg("missing: %s\nin:\n%s", line, text);
}
