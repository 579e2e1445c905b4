/* SPDX-License-Identifier: Apache-2.0 */

/*
 * resolve/mechanism_choice.h decides by which mechanism is counted. Here is what the running
 * service does with the choice: it logs it, it ends a mechanism when the successor of the collector
 * has taken over the totals, and it leaves bpf for a while if that leaves too much in doubt.
 */
#include "service/mechanisms.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "log/log.h"
#include "sys/process.h"

/* A user who has asked for bpf by name is warned where it cannot be had. */
static void log_direct(const struct config *config, const char *reason)
{
    if (config->counting == CONFIG_COUNTING_BPF)
        log_warning("cgroups and processes are counted direct, although bpf is configured",
                    "reason", reason);
    else
        log_info("cgroups and processes are counted direct", "reason", reason);
}

static void log_difference(const struct self_test *test)
{
    char direct[32], bpf[32];

    (void)snprintf(direct, sizeof(direct), "%" PRIu64, test->direct);
    (void)snprintf(bpf, sizeof(bpf), "%" PRIu64, test->bpf);
    log_warning("bpf does not count what direct counts", "event", test->event, "direct", direct,
                "bpf", bpf);
}

/* Each mechanism that is taken is logged once, and so is each reason not to take bpf. */
static void log_choice(struct mechanisms *mechanisms, const struct mechanism_question *question,
                       const struct mechanism_choice *choice)
{
    const struct config *config = question->config;
    const char *logged = mechanisms->logged_reason;

    if (logged && strcmp(logged, choice->reason) == 0 && choice->bpf == mechanisms->bpf)
        return;
    mechanisms->logged_reason = choice->reason;
    if (choice->bpf)
        log_info("cgroups and processes are counted by bpf", "reason", choice->reason);
    else if (choice->is_left_to_machine)
        log_direct(config, choice->reason);
    if (!choice->bpf && config->n_processes > 0 && process_numbers_are_foreign(question->procfs_fd))
        log_warning("processes are not counted", "reason",
                    "procfs is of another PID namespace, whose processes direct cannot name",
                    "hint", "share the PID namespace of the host, or count by bpf");
}

int mechanisms_init(struct mechanisms *mechanisms)
{
    *mechanisms = (struct mechanisms){.direct = mechanism_direct_new(&perf_ops_kernel)};
    return mechanisms->direct ? 0 : -ENOMEM;
}

void mechanisms_done(struct mechanisms *mechanisms)
{
    mechanisms->bpf = mechanism_free(mechanisms->bpf);
    mechanisms->latency = mechanism_free(mechanisms->latency);
    mechanisms->direct = mechanism_free(mechanisms->direct);
}

/* Each reason is logged once. */
static void log_latency(struct mechanisms *mechanisms, const struct latency_choice *choice)
{
    const char *logged = mechanisms->logged_latency_reason;

    if (choice->reason && !(logged && strcmp(logged, choice->reason) == 0))
        log_warning("latencies are not counted, although they are configured", "reason",
                    choice->reason);
    mechanisms->logged_latency_reason = choice->reason;
}

/* The choice of how events are counted. */
static struct mechanism_choice choose_events(struct mechanisms *mechanisms,
                                             const struct mechanism_question *question)
{
    const struct mechanism_choice choice = mechanism_choose(question, &mechanisms->verdict);

    if (choice.is_tested && mechanisms->verdict.hides) /* In quieter times bpf may do better. */
        doubt_watch_leave(&mechanisms->doubt, clock_monotonic_ns());
    if (choice.is_tested && mechanisms->verdict.test.outcome == SELF_TEST_DIFFERS)
        log_difference(&mechanisms->verdict.test);
    if (choice.bpf && choice.bpf != mechanisms->bpf) {
        choice.bpf->paused = mechanisms->direct->paused;
        if (question->config->n_processes > 0 && !choice.bpf->counts_processes)
            log_warning("processes are counted direct", "reason",
                        "their numbers are those of another PID namespace than the initial one");
    }
    log_choice(mechanisms, question, &choice);
    return choice;
}

struct mechanisms_choice mechanisms_choose(struct mechanisms *mechanisms,
                                           const struct config *config, int sysfs_fd, int procfs_fd,
                                           const struct cgroup_root *root)
{
    const struct mechanism_question question = {
        .config = config,
        .sysfs_fd = sysfs_fd,
        .procfs_fd = procfs_fd,
        .root = root,
        .running = mechanisms->bpf,
        .running_size = mechanisms->bpf_size,
        .lacks_descriptors = mechanisms->lacks_descriptors,
        .most_bytes = mechanisms->most_bytes,
    };
    struct mechanisms_choice choice = {.events = choose_events(mechanisms, &question)};

    choice.latency =
        latency_choose(&question, &choice.events, mechanisms->latency, &mechanisms->latency_size);
    log_latency(mechanisms, &choice.latency);
    mechanisms->lacks_memory = choice.events.lacks_memory || choice.latency.lacks_memory;
    return choice;
}

/* The exporter's own totals are those of all mechanisms that it has had, so direct keeps them. */
static void end_bpf(struct mechanisms *mechanisms)
{
    struct mechanism *direct = mechanisms->direct, *bpf = mechanisms->bpf;

    direct->reopened += bpf->reopened;
    direct->doubt.untold_switches += bpf->doubt.untold_switches;
    direct->doubt.unattributed_ns += bpf->doubt.unattributed_ns;
    direct->unknown_latencies += bpf->unknown_latencies;
    mechanisms->bpf = mechanism_free(bpf);
}

static void take_events(struct mechanisms *mechanisms, const struct mechanism_choice *choice)
{
    if (mechanisms->bpf != choice->bpf) {
        if (mechanisms->bpf)
            end_bpf(mechanisms);
        if (choice->bpf)
            doubt_watch_begin(&mechanisms->doubt, clock_monotonic_ns(),
                              choice->bpf->doubt.unattributed_ns);
    }
    mechanisms->bpf = choice->bpf;
    mechanisms->bpf_size = choice->size;
}

/* The mechanism that counts latencies alone; NULL: there is none. */
static struct mechanism *own_of(const struct latency_choice *choice)
{
    return choice->is_own ? choice->mechanism : NULL;
}

void mechanisms_take(struct mechanisms *mechanisms, const struct mechanisms_choice *choice)
{
    take_events(mechanisms, &choice->events);
    if (mechanisms->latency && mechanisms->latency != own_of(&choice->latency)) {
        mechanisms->direct->unknown_latencies += mechanisms->latency->unknown_latencies;
        (void)mechanism_free(mechanisms->latency);
    }
    mechanisms->latency = own_of(&choice->latency);
    mechanisms->latency_size = choice->latency.size;
}

void mechanisms_reject(const struct mechanisms *mechanisms, const struct mechanisms_choice *choice)
{
    if (choice->events.bpf != mechanisms->bpf)
        (void)mechanism_free(choice->events.bpf);
    if (own_of(&choice->latency) && own_of(&choice->latency) != mechanisms->latency)
        (void)mechanism_free(own_of(&choice->latency));
}

/* Returns false where bpf goes on all the same: the configuration has it by name. */
static bool leave_bpf(struct mechanisms *mechanisms, const struct config *config)
{
    const bool stays = config->counting == CONFIG_COUNTING_BPF;
    char share[32];

    (void)snprintf(share, sizeof(share), "%.2f %%", 100 * mechanisms->doubt.share);
    log_warning("the kernel does not show all of its switches: some CPU time cannot be attributed",
                "share", share, "hint",
                stays ? "bpf goes on, since it is configured" : "direct is taken for an hour");
    if (stays)
        return false;
    mechanisms->verdict = mechanism_verdict_of_doubt();
    doubt_watch_leave(&mechanisms->doubt, clock_monotonic_ns());
    return true;
}

const char *mechanisms_want_successor(struct mechanisms *mechanisms, const struct config *config,
                                      size_t n_cpus)
{
    const uint64_t now_ns = clock_monotonic_ns();
    const struct mechanism *bpf = mechanisms->bpf;

    if (!bpf && doubt_watch_wants_retry(&mechanisms->doubt, now_ns)) {
        mechanisms->verdict = (struct mechanism_verdict){0};
        return "bpf is tried again";
    }
    if (bpf &&
        doubt_watch_is_too_much(&mechanisms->doubt, now_ns, n_cpus, bpf->doubt.unattributed_ns) &&
        leave_bpf(mechanisms, config))
        return "too much was in doubt";
    return NULL;
}

double mechanisms_doubt_share(const struct mechanisms *mechanisms)
{
    return mechanisms->bpf ? mechanisms->doubt.share : NAN;
}
