/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A bpf mechanism is made for a number of CPUs, of cgroups and of events. One that is too small
 * for a new configuration, or for a machine that has got more CPUs than it could be expected to
 * have, is replaced: its collector reads it once more, and the totals go over. Else it stays,
 * whatever comes and goes.
 */
#include "app/service_mechanism.h"

#include <errno.h>
#include <string.h>

#include "app/log.h"
#include "app/mechanism_size.h"
#include "sys/process.h"

/* A procfs of another PID namespace has other numbers than the program sees. */
static void see_to_processes(const struct service *service, struct mechanism *bpf)
{
    if (!bpf->counts_processes || mechanism_bpf_own_number(bpf) == process_self(service->procfs_fd))
        return;
    bpf->counts_processes = false;
    log_warning("processes are counted direct, although bpf is configured", "reason",
                "their numbers are those of another PID namespace than the initial one");
}

/* Makes another one, or leaves it at direct. */
static void make_bpf(const struct service *service, struct mechanism_choice *choice)
{
    enum switch_refusal refusal;
    int r = mechanism_bpf_new(&perf_ops_kernel, &choice->size, &choice->bpf, &refusal);

    if (r >= 0) {
        choice->bpf->paused = service->mechanism->paused;
        see_to_processes(service, choice->bpf);
        return;
    }
    choice->reason = switch_refusal_text(refusal);
    log_warning("cgroups are counted direct, although bpf is configured", "reason", choice->reason,
                "error", strerror(-r));
}

/* Whether there is anything that it is better for. */
static bool is_for_bpf(const struct service *service, const struct config *config)
{
    return config->n_processes > 0 || (config->n_cgroups > 0 && service->root.fd >= 0);
}

struct mechanism_choice service_choose_mechanism(const struct service *service,
                                                 const struct config *config)
{
    struct mechanism_choice choice = {.reason = "configured"};
    int r;

    if (config->counting == CONFIG_COUNTING_AUTO)
        choice.reason = "bpf is taken only where it is configured";
    if (config->counting != CONFIG_COUNTING_BPF || !is_for_bpf(service, config))
        return choice;
    r = mechanism_size_for(config, service->sysfs_fd, !service->root.v2, &choice.size);
    if (r < 0) {
        choice.reason = "CPUs cannot be read";
        return choice;
    }
    if (service->bpf && mechanism_size_serves(&service->bpf_size, &choice.size)) {
        choice.bpf = service->bpf;
        choice.size = service->bpf_size;
    } else {
        make_bpf(service, &choice);
    }
    return choice;
}

void service_take_mechanism(struct service *service, const struct mechanism_choice *choice)
{
    if (service->bpf != choice->bpf)
        (void)mechanism_free(service->bpf);
    service->bpf = choice->bpf;
    service->bpf_size = choice->size;
}

void service_reject_mechanism(const struct service *service, const struct mechanism_choice *choice)
{
    if (choice->bpf != service->bpf)
        (void)mechanism_free(choice->bpf);
}
