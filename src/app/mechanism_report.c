/* SPDX-License-Identifier: Apache-2.0 */
#include "app/mechanism_report.h"

#include <stdio.h>
#include <string.h>

#define DIRECT_NS           300 /* added once a switch */
#define DIRECT_NS_PER_EVENT 75  /* for every event that is switched */
#define BPF_NS              200
#define BPF_NS_PER_EVENT    100 /* for every event that is read */

unsigned direct_switch_cost_ns(size_t events_of_a_cgroup, size_t events_of_the_system)
{
    if (events_of_a_cgroup == 0)
        return 0;
    return DIRECT_NS + DIRECT_NS_PER_EVENT *
                           (2 * (unsigned)events_of_a_cgroup + (unsigned)events_of_the_system);
}

unsigned bpf_switch_cost_ns(size_t events_of_all)
{
    return events_of_all == 0 ? 0 : BPF_NS + BPF_NS_PER_EVENT * (unsigned)events_of_all;
}

struct mechanism_decision mechanism_foresee(const struct config *config, int sysfs_fd,
                                            bool has_cgroups, bool v1)
{
    AUTO(mechanism) struct mechanism *bpf = NULL;
    struct mechanism_verdict verdict = {0};
    enum bpf_refusal refusal;
    struct mechanism_decision decision =
        mechanism_decide(config, sysfs_fd, has_cgroups, v1, &verdict);

    if (!decision.bpf)
        return decision;
    (void)mechanism_bpf_new(&perf_ops_kernel, &decision.size, &bpf, &refusal);
    verdict = mechanism_judge(&perf_ops_kernel, sysfs_fd, bpf, refusal);
    return mechanism_decide(config, sysfs_fd, has_cgroups, v1, &verdict);
}

/* The service may have rights that who asks has not. */
static bool is_for_want_of_rights(const char *reason)
{
    return strcmp(reason, bpf_refusal_text(BPF_REFUSAL_NO_CAPABILITY)) == 0 ||
           strcmp(reason, bpf_refusal_text(BPF_REFUSAL_FORBIDDEN)) == 0;
}

void mechanism_report(const struct config *config, const struct mechanism_decision *decision,
                      size_t n_events)
{
    const char *counted = config->n_processes == 0 ? "cgroups"
                          : config->n_cgroups == 0 ? "processes"
                                                   : "cgroups and processes";

    if (config->n_cgroups == 0 && config->n_processes == 0)
        return;
    (void)printf(
        "counting: %s %s: %s%s%s\n", counted, decision->bpf ? "by bpf" : "direct", decision->reason,
        !decision->bpf && config->counting == CONFIG_COUNTING_BPF ? ", although bpf is configured"
                                                                  : "",
        is_for_want_of_rights(decision->reason)
            ? " to you who ask; run as root, this tells what the service gets"
            : "");
    if (decision->bpf && n_events > 0)
        (void)printf("  that adds about %.1f us to each switch between two of them (events: %zu)\n",
                     bpf_switch_cost_ns(n_events) / 1000.0, n_events);
}
