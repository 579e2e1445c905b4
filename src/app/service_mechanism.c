/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A bpf mechanism is made for a number of CPUs, of cgroups and of events. One that is too small
 * for a new configuration, or for a machine that has got more CPUs than it could be expected to
 * have, is replaced: its collector reads it once more, and the totals go over. Else it stays,
 * whatever comes and goes.
 */
#include "app/service_mechanism.h"

#include <inttypes.h>
#include <stdio.h>

#include "app/log.h"
#include "app/mechanism_size.h"
#include "count/self_test.h"
#include "sys/process.h"

#define PASSED "the self-test has passed"
#define HIDDEN "the kernel does not show every switch"

/* Where it was asked for by name the user wants to know. */
static void tell_direct(const struct config *config, const char *reason)
{
    if (config->counting == CONFIG_COUNTING_BPF)
        log_warning("counting direct, although bpf is configured", "reason", reason);
    else
        log_info("counting direct", "reason", reason);
}

static void tell_difference(const struct self_test *test)
{
    char direct[32], bpf[32];

    (void)snprintf(direct, sizeof(direct), "%" PRIu64, test->direct);
    (void)snprintf(bpf, sizeof(bpf), "%" PRIu64, test->bpf);
    log_warning("bpf does not count what direct counts", "event", test->event, "direct", direct,
                "bpf", bpf);
}

/* Permissions, memory and quieter times may come: then it is tested again. */
static bool is_verdict(const struct self_test *test)
{
    return test->outcome != SELF_TEST_NO_PROCESS && test->outcome != SELF_TEST_NOT_COUNTED &&
           !(test->outcome == SELF_TEST_REFUSED && test->refusal == SWITCH_REFUSAL_NO_MEMORY);
}

/* Before the first bpf: does it tell the truth here? */
static void test_bpf(struct service *service, const struct config *config)
{
    AUTO(cpu_list) struct cpu_list *online = NULL;
    struct self_test test = {.outcome = SELF_TEST_NO_PROCESS};

    if (cpu_list_read_online(service->sysfs_fd, &online) >= 0)
        (void)self_test_run(&perf_ops_kernel, online, &test);
    service->tested = is_verdict(&test);
    service->distrust = test.outcome == SELF_TEST_PASSED ? NULL : self_test_text(&test);
    if (!service->distrust)
        return;
    if (test.outcome == SELF_TEST_DIFFERS)
        tell_difference(&test);
    tell_direct(config, service->distrust);
}

/* A procfs of another PID namespace has other numbers than the program sees. */
static void see_to_processes(const struct service *service, struct mechanism *bpf)
{
    if (!bpf->counts_processes || mechanism_bpf_own_number(bpf) == process_self(service->procfs_fd))
        return;
    bpf->counts_processes = false;
    log_warning("processes are counted direct", "reason",
                "their numbers are those of another PID namespace than the initial one");
}

/* Makes another one, or leaves it at direct. */
static void make_bpf(const struct service *service, const struct config *config,
                     struct mechanism_choice *choice)
{
    enum switch_refusal refusal;

    if (mechanism_bpf_new(&perf_ops_kernel, &choice->size, &choice->bpf, &refusal) >= 0) {
        choice->bpf->paused = service->mechanism->paused;
        see_to_processes(service, choice->bpf);
        log_info("counting by bpf", "reason", choice->reason);
        return;
    }
    choice->reason = switch_refusal_text(refusal);
    tell_direct(config, choice->reason);
}

/* NULL: bpf may serve; else why direct. */
static const char *reason_for_direct(struct service *service, const struct config *config)
{
    const bool cgroups = config->n_cgroups > 0 && service->root.fd >= 0;

    if (config->counting == CONFIG_COUNTING_DIRECT)
        return "configured";
    if (!cgroups && config->n_processes == 0)
        return "no cgroup or process is counted";
    if (!service->tested)
        test_bpf(service, config);
    return service->distrust;
}

struct mechanism_choice service_choose_mechanism(struct service *service,
                                                 const struct config *config)
{
    struct mechanism_choice choice = {.reason = reason_for_direct(service, config)};

    if (choice.reason)
        return choice;
    choice.reason = PASSED;
    if (mechanism_size_for(config, service->sysfs_fd, !service->root.v2, &choice.size) < 0) {
        choice.reason = "CPUs cannot be read";
    } else if (service->bpf && mechanism_size_serves(&service->bpf_size, &choice.size)) {
        choice.bpf = service->bpf;
        choice.size = service->bpf_size;
    } else {
        make_bpf(service, config, &choice);
    }
    return choice;
}

void service_check_mechanism(struct service *service, bool cpus_changed)
{
    struct mechanism *bpf = service->bpf;

    if (!bpf)
        return;
    if (cpus_changed)
        service->hidden_switches.excused = bpf->doubt.untold_switches;
    if (service->hidden_switches.seen > service->hidden_switches.excused && !service->distrust) {
        service->distrust = HIDDEN;
        tell_direct(service->config, service->distrust);
    }
    service->hidden_switches.seen = bpf->doubt.untold_switches;
    if (service->distrust)
        (void)service_renew_collector(service, service->distrust);
}

void service_take_mechanism(struct service *service, const struct mechanism_choice *choice)
{
    if (service->bpf != choice->bpf) {
        (void)mechanism_free(service->bpf);
        service->hidden_switches.seen = service->hidden_switches.excused = 0;
    }
    service->bpf = choice->bpf;
    service->bpf_size = choice->size;
}

void service_reject_mechanism(const struct service *service, const struct mechanism_choice *choice)
{
    if (choice->bpf != service->bpf)
        (void)mechanism_free(choice->bpf);
}
