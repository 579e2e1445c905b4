/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The program is loaded once, for the test and for the use after it: loading takes much longer than
 * testing.
 *
 * The test counts software events, since every machine has them and they take nobody's hardware
 * counters. Readings of hardware counters take the same way through the kernel.
 *
 * The test is short, so that a single long turn that was hidden is a great part of it. Only where
 * the test is in doubt again and again this is no chance.
 */
#include "count/bpf/self_test.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "sys/process.h"
#include "sys/switch_pattern.h"

#define TIMEOUT_NS (2 * NS_PER_SECOND)

/*
 * How far both counts of an event may be apart: a part of the count, and something for each child,
 * since bpf counts a little more of a child's birth and end than direct does. For task-clock, birth
 * and end are most of the count; the allowance is less than the child sleeps, so that it would be
 * noticed if the time of others were counted.
 */
struct tested_event {
    const char *name;
    uint64_t config;
    uint64_t parts; /* 1 / parts of the count is allowed */
    uint64_t each;  /* so much is allowed for each child */
};

static const struct tested_event tested[SELF_TEST_EVENTS] = {
    {"task-clock", PERF_COUNT_SW_TASK_CLOCK, 2, 2 * NS_PER_MS},
    {"context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES, 200, 2},
    {"cpu-migrations", PERF_COUNT_SW_CPU_MIGRATIONS, 200, 2},
    {"page-faults", PERF_COUNT_SW_PAGE_FAULTS, 200, 2},
};

#define ALLOWED_COUNTS 5
#define MOST_RUNS      5
#define PAGE_FAULTS    3 /* index of page-faults above */

static const char *const texts[SELF_TEST_OUTCOME_COUNT_] = {
    [SELF_TEST_PASSED] = "the self-test has passed",
    [SELF_TEST_REFUSED] = "the program cannot be loaded",
    [SELF_TEST_NAMESPACE] = "neither this process nor procfs is in the initial PID namespace",
    [SELF_TEST_NO_PROCESS] = "the self-test could not run",
    [SELF_TEST_NOT_COUNTED] = "the process of the self-test is not counted",
    [SELF_TEST_DIFFERS] = "the self-test has counted something else than direct",
    [SELF_TEST_DOUBTFUL] = "the kernel does not show enough of its switches",
};

const char *self_test_text(const struct self_test *test)
{
    return test->outcome == SELF_TEST_REFUSED ? bpf_refusal_text(test->refusal)
                                              : texts[test->outcome];
}

/* A process that is counted by both mechanisms. */
struct comparison {
    struct mechanism *mechanisms[2]; /* [0] direct, which we own; [1] bpf, which is borrowed */
    struct counter_set *sets[2];
    int procfs_fd;
    uint64_t doubt_ns; /* of the mechanism before the test */
    uint64_t counts[2][SELF_TEST_EVENTS];
    struct event events[SELF_TEST_EVENTS];
    struct event_groups *groups;
    struct sample *sample;
};

static void done_comparison(struct comparison *comparison)
{
    for (size_t i = 0; i < 2; i++)
        (void)counter_set_free(comparison->sets[i]);
    (void)sample_free(comparison->sample);
    (void)event_groups_free(comparison->groups);
    (void)mechanism_free(comparison->mechanisms[0]);
    mechanism_refresh(comparison->mechanisms[1]); /* frees the slot of the process */
}

static int make_groups(struct comparison *comparison)
{
    const struct event *wanted[SELF_TEST_EVENTS];
    const struct group_spec spec = {
        .name = "self-test", .events = wanted, .n_events = SELF_TEST_EVENTS};
    int r;

    for (size_t i = 0; i < SELF_TEST_EVENTS; i++) {
        comparison->events[i].code =
            (struct event_code){.type = PERF_TYPE_SOFTWARE, .config = tested[i].config};
        wanted[i] = &comparison->events[i];
    }
    r = event_groups_new(SCOPE_PROCESS, &spec, 1, &comparison->groups);
    if (r < 0)
        return r;
    comparison->sample = sample_new(comparison->groups);
    return comparison->sample ? 0 : -ENOMEM;
}

/* Opens the counters of one mechanism. Returns whether all of them are open. */
static bool open_set(struct comparison *comparison, size_t i, const struct scope *scope)
{
    struct mechanism *mechanism = comparison->mechanisms[i];

    return counter_set_new(mechanism, comparison->groups, scope, &comparison->sets[i]) >= 0 &&
           mechanism->open(mechanism, &comparison->sets[i], 1) >= 0 &&
           !counter_set_is_incomplete(comparison->sets[i]);
}

/* Adds what both mechanisms have counted since the last call. */
static void read_sets(struct comparison *comparison)
{
    mechanism_refresh(comparison->mechanisms[1]);
    for (size_t i = 0; i < 2; i++) {
        counter_set_read(comparison->sets[i], clock_monotonic_ns(), comparison->sample);
        for (size_t event = 0; event < SELF_TEST_EVENTS; event++)
            comparison->counts[i][event] += comparison->sample->events[event].count;
    }
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* Whether both counts of each event are near enough to each other. */
static bool agree(const struct comparison *comparison, size_t n_children, struct self_test *result)
{
    for (size_t i = 0; i < SELF_TEST_EVENTS; i++) {
        const uint64_t direct = comparison->counts[0][i], bpf = comparison->counts[1][i];
        const uint64_t nobodys = mechanism_bpf_charged_to_nobody(comparison->mechanisms[1],
                                                                 SWITCH_PROGRAM_NO_PROCESSES, i);
        const uint64_t allowed =
            direct / tested[i].parts + n_children * tested[i].each + ALLOWED_COUNTS + nobodys;

        if (distance(direct, bpf) > allowed) {
            result->event = tested[i].name;
            result->direct = direct;
            result->bpf = bpf;
            return false;
        }
    }
    return true;
}

static uint64_t doubt_ns(const struct comparison *comparison)
{
    return comparison->mechanisms[1]->doubt.unattributed_ns - comparison->doubt_ns;
}

static bool is_doubtful(const struct comparison *comparison, uint64_t passed_ns, size_t n_cpus)
{
    return (double)doubt_ns(comparison) / ((double)passed_ns * (double)n_cpus) > MOST_DOUBT;
}

/*
 * Whether at least the page faults were counted that the pattern makes. Otherwise both might agree
 * because neither counts anything.
 */
static bool is_counted(const struct comparison *comparison, size_t n_children)
{
    return comparison->counts[0][PAGE_FAULTS] >=
           n_children * SWITCH_PATTERN_TURNS * SWITCH_PATTERN_PAGES;
}

/*
 * Direct counts the process by its first thread and what that starts; bpf counts it as a whole, by
 * the number that it has on the host.
 */
static bool opens(struct comparison *comparison, pid_t process, pid_t on_host,
                  const struct cpu_list *cpus)
{
    const struct scope threads = {.kind = SCOPE_PROCESS,
                                  .cgroup_fd = -1,
                                  .tasks = &process,
                                  .n_tasks = 1,
                                  .inherit = INHERIT_CHILDREN};
    struct scope scopes[2] = {threads, threads};

    scopes[1].cpus = cpus;
    scopes[1].tasks = &on_host;
    scopes[1].process = scope_process_id(on_host, 0);
    return open_set(comparison, 0, &scopes[0]) && open_set(comparison, 1, &scopes[1]);
}

/*
 * The number that a process of ours has in the initial PID namespace, by which the program knows
 * it. 0: we are in another one, and so is procfs.
 */
static pid_t number_on_host(const struct mechanism *bpf, int procfs_fd, pid_t process)
{
    const pid_t own = mechanism_bpf_own_number(bpf);

    if (own == getpid())
        return process;
    return own == process_self(procfs_fd) ? process_number_in(procfs_fd, process) : 0;
}

static enum self_test_outcome run(struct comparison *comparison, struct switch_pattern *pattern,
                                  const struct cpu_list *cpus, struct self_test *result)
{
    const size_t n_children = switch_pattern_n_children(pattern);
    const pid_t process = switch_pattern_process(pattern);
    const pid_t on_host = number_on_host(comparison->mechanisms[1], comparison->procfs_fd, process);
    const uint64_t begin_ns = clock_monotonic_ns();

    comparison->doubt_ns = comparison->mechanisms[1]->doubt.unattributed_ns;
    if (on_host == 0)
        return SELF_TEST_NAMESPACE;
    if (!opens(comparison, process, on_host, cpus))
        return SELF_TEST_NOT_COUNTED;
    read_sets(comparison);
    if (switch_pattern_run(pattern, TIMEOUT_NS) < 0)
        return SELF_TEST_NO_PROCESS;
    read_sets(comparison);
    if (is_doubtful(comparison, clock_monotonic_ns() - begin_ns, cpus->n))
        return SELF_TEST_DOUBTFUL;
    if (!is_counted(comparison, n_children))
        return SELF_TEST_NOT_COUNTED;
    if (agree(comparison, n_children, result))
        return SELF_TEST_PASSED;
    /* Events that come in bursts do not follow time: all of them may have been in a doubtful turn.
     */
    return doubt_ns(comparison) > 0 ? SELF_TEST_DOUBTFUL : SELF_TEST_DIFFERS;
}

/* Takes both mechanisms, and gives them descriptors for what is tested. 0 or -ENOMEM. */
static int find_mechanisms(struct comparison *comparison, const struct perf_ops *ops,
                           struct mechanism *bpf, size_t n_cpus)
{
    comparison->mechanisms[1] = bpf;
    bpf->descriptors = SELF_TEST_EVENTS * n_cpus;
    comparison->mechanisms[0] = mechanism_direct_new(ops);
    if (!comparison->mechanisms[0])
        return -ENOMEM;
    comparison->mechanisms[0]->descriptors = SELF_TEST_EVENTS;
    return 0;
}

static int run_once(const struct perf_ops *ops, const struct cpu_list *cpus, int procfs_fd,
                    struct mechanism *bpf, struct self_test *ret_result)
{
    AUTO(switch_pattern) struct switch_pattern *pattern = NULL;
    struct comparison comparison = {.procfs_fd = procfs_fd};
    struct self_test result = {.outcome = SELF_TEST_NO_PROCESS};
    int r = find_mechanisms(&comparison, ops, bpf, cpus->n);

    if (r >= 0)
        r = make_groups(&comparison);
    if (r >= 0)
        pattern = switch_pattern_new(cpus);
    if (pattern)
        result.outcome = run(&comparison, pattern, cpus, &result);
    done_comparison(&comparison);
    if (r >= 0)
        *ret_result = result;
    return r;
}

/*
 * Whether it may have been that moment alone: a switch that is hidden where nothing shows it makes
 * the mechanisms differ, and a program that counts wrong differs each time.
 */
static bool is_tried_again(enum self_test_outcome outcome)
{
    return outcome == SELF_TEST_DOUBTFUL || outcome == SELF_TEST_DIFFERS;
}

int self_test_run(const struct perf_ops *ops, const struct cpu_list *cpus, int procfs_fd,
                  struct mechanism *bpf, struct self_test *ret_result)
{
    int r = run_once(ops, cpus, procfs_fd, bpf, ret_result);

    for (int runs = 1; r >= 0 && is_tried_again(ret_result->outcome) && runs < MOST_RUNS; runs++)
        r = run_once(ops, cpus, procfs_fd, bpf, ret_result);
    return r;
}
