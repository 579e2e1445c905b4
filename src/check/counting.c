/* SPDX-License-Identifier: Apache-2.0 */
#include "check/counting.h"

#include <stdio.h>
#include <string.h>

#include "resolve/mechanism_cost.h"

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
