/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A bpf mechanism is made for a number of CPUs, of cgroups and of events. One that is too small
 * for a new configuration, or for a machine that has got more CPUs than it could be expected to
 * have, is replaced: its collector reads it once more, and the totals go over. Else it stays,
 * whatever comes and goes.
 */
#include "service/service_mechanism.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "log/log.h"
#include "resolve/mechanism_size.h"
#include "sys/process.h"

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

/* A procfs of another PID namespace has other numbers than the program sees. */
static void see_to_processes(const struct service *service, const struct config *config,
                             struct mechanism *bpf)
{
    if (config->n_processes == 0 ||
        mechanism_bpf_own_number(bpf) == process_self(service->procfs_fd))
        return;
    bpf->counts_processes = false;
    log_warning("processes are counted direct", "reason",
                "their numbers are those of another PID namespace than the initial one");
}

static struct mechanism_decision decide(const struct service *service, const struct config *config)
{
    return mechanism_decide(config, service->sysfs_fd, service->root.fd >= 0, !service->root.v2,
                            &service->verdict);
}

/* That too much is in doubt is no verdict for ever. */
static void test_bpf(struct service *service, const struct config *config,
                     struct mechanism_choice *choice, enum bpf_refusal refusal)
{
    struct mechanism_decision decision;

    service->verdict = mechanism_judge(&perf_ops_kernel, service->sysfs_fd, choice->bpf, refusal);
    if (service->verdict.hides)
        doubt_watch_leave(&service->doubt, clock_monotonic_ns());
    if (service->verdict.test.outcome == SELF_TEST_DIFFERS)
        tell_difference(&service->verdict.test);
    decision = decide(service, config);
    choice->reason = decision.reason;
    if (!decision.bpf)
        choice->bpf = mechanism_free(choice->bpf);
}

/* Makes another one, which is tested where none has been, or leaves it at direct. */
static void make_bpf(struct service *service, const struct config *config,
                     struct mechanism_choice *choice)
{
    enum bpf_refusal refusal;

    if (mechanism_bpf_new(&perf_ops_kernel, &choice->size, &choice->bpf, &refusal) < 0)
        choice->reason = bpf_refusal_text(refusal);
    if (!service->verdict.is_final)
        test_bpf(service, config, choice, refusal);
    if (!choice->bpf)
        return;
    choice->bpf->paused = service->mechanism->paused;
    see_to_processes(service, config, choice->bpf);
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
    else if (mechanism_is_open(config, service->root.fd >= 0))
        tell_direct(config, choice->reason);
}

/* It counts since it was asked for by name, and it still is: then no test makes a difference. */
static bool goes_on_untested(const struct service *service, const struct config *config)
{
    return service->bpf && config->counting == CONFIG_COUNTING_BPF;
}

struct mechanism_choice service_choose_mechanism(struct service *service,
                                                 const struct config *config)
{
    const bool wants_test = !service->verdict.is_final && !goes_on_untested(service, config);
    struct mechanism_decision decision;
    struct mechanism_choice choice;

    if (wants_test)
        service->verdict = (struct mechanism_verdict){0};
    decision = decide(service, config);
    choice = (struct mechanism_choice){.reason = decision.reason, .size = decision.size};
    if (decision.bpf && service->bpf && !wants_test &&
        mechanism_size_serves(&service->bpf_size, &decision.size)) {
        choice.bpf = service->bpf;
        choice.size = service->bpf_size;
    } else if (decision.bpf) {
        make_bpf(service, config, &choice);
    }
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
