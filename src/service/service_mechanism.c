/* SPDX-License-Identifier: Apache-2.0 */

/*
 * resolve/mechanism_choice.h decides by which mechanism is counted. Here is what the running
 * service does with it: the log tells, a mechanism that is replaced ends when its successor has
 * taken over the totals, and one that leaves too much in doubt is left for a while.
 */
#include "service/service_mechanism.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "log/log.h"

/* Where it was asked for by name the user wants to know. */
static void tell_direct(const struct config *config, const char *reason)
{
    if (config->counting == CONFIG_COUNTING_BPF)
        log_warning("cgroups and processes are counted direct, although bpf is configured",
                    "reason", reason);
    else
        log_info("cgroups and processes are counted direct", "reason", reason);
}

static void tell_difference(const struct self_test *test)
{
    char direct[32], bpf[32];

    (void)snprintf(direct, sizeof(direct), "%" PRIu64, test->direct);
    (void)snprintf(bpf, sizeof(bpf), "%" PRIu64, test->bpf);
    log_warning("bpf does not count what direct counts", "event", test->event, "direct", direct,
                "bpf", bpf);
}

/* Once for each that is taken, and for each reason not to. */
static void tell_choice(struct service *service, const struct config *config,
                        const struct mechanism_choice *choice)
{
    const bool same = service->told_reason && strcmp(service->told_reason, choice->reason) == 0;

    if (same && choice->bpf == service->bpf)
        return;
    service->told_reason = choice->reason;
    if (choice->bpf)
        log_info("cgroups and processes are counted by bpf", "reason", choice->reason);
    else if (choice->is_left_to_machine)
        tell_direct(config, choice->reason);
}

/* What the choice has found out about this machine. */
static void follow_choice(struct service *service, const struct config *config,
                          const struct mechanism_choice *choice)
{
    if (choice->is_tested && service->verdict.hides) /* that is no verdict for ever */
        doubt_watch_leave(&service->doubt, clock_monotonic_ns());
    if (choice->is_tested && service->verdict.test.outcome == SELF_TEST_DIFFERS)
        tell_difference(&service->verdict.test);
    if (!choice->bpf || choice->bpf == service->bpf)
        return;
    choice->bpf->paused = service->mechanism->paused;
    if (config->n_processes > 0 && !choice->bpf->counts_processes)
        log_warning("processes are counted direct", "reason",
                    "their numbers are those of another PID namespace than the initial one");
}

struct mechanism_choice service_choose_mechanism(struct service *service,
                                                 const struct config *config)
{
    const struct mechanism_question question = {
        .config = config,
        .sysfs_fd = service->sysfs_fd,
        .procfs_fd = service->procfs_fd,
        .root = &service->root,
        .running = service->bpf,
        .running_size = service->bpf_size,
    };
    const struct mechanism_choice choice = mechanism_choose(&question, &service->verdict);

    follow_choice(service, config, &choice);
    tell_choice(service, config, &choice);
    return choice;
}

static void leave_bpf(struct service *service)
{
    const bool stays = service->config->counting == CONFIG_COUNTING_BPF;
    char share[32];

    (void)snprintf(share, sizeof(share), "%.2f %%", 100 * service->doubt.share);
    log_warning("the kernel does not show all of its switches: whose CPU time it was is in doubt",
                "share", share, "hint",
                stays ? "bpf goes on, since it is configured" : "direct is taken for an hour");
    if (stays)
        return;
    service->verdict = mechanism_verdict_of_doubt();
    doubt_watch_leave(&service->doubt, clock_monotonic_ns());
    (void)service_renew_collector(service, "too much was in doubt");
}

void service_check_mechanism(struct service *service)
{
    const uint64_t now_ns = clock_monotonic_ns();
    const struct mechanism *bpf = service->bpf;

    if (!bpf && doubt_watch_wants_retry(&service->doubt, now_ns)) {
        service->verdict = (struct mechanism_verdict){0};
        (void)service_renew_collector(service, "bpf is tried again");
    } else if (bpf && doubt_watch_is_too_much(&service->doubt, now_ns,
                                              collector_n_cpus(service->collector),
                                              bpf->doubt.unattributed_ns)) {
        leave_bpf(service);
    }
    collector_note_doubt(service->collector, service->bpf ? service->doubt.share : NAN);
}

/* What is told of all that was counted by goes on. */
static void add_to_direct(struct service *service)
{
    struct mechanism *direct = service->mechanism;

    direct->reopened += service->bpf->reopened;
    direct->doubt.untold_switches += service->bpf->doubt.untold_switches;
    direct->doubt.unattributed_ns += service->bpf->doubt.unattributed_ns;
}

void service_take_mechanism(struct service *service, const struct mechanism_choice *choice)
{
    if (service->bpf != choice->bpf && service->bpf) {
        add_to_direct(service);
        (void)mechanism_free(service->bpf);
    }
    if (service->bpf != choice->bpf && choice->bpf)
        doubt_watch_begin(&service->doubt, clock_monotonic_ns(),
                          choice->bpf->doubt.unattributed_ns);
    service->bpf = choice->bpf;
    service->bpf_size = choice->size;
}

void service_reject_mechanism(const struct service *service, const struct mechanism_choice *choice)
{
    if (choice->bpf != service->bpf)
        (void)mechanism_free(choice->bpf);
}
