/* SPDX-License-Identifier: Apache-2.0 */
#include "check/counting.h"

#include <stdio.h>
#include <string.h>

#include "check/notes.h"
#include "resolve/mechanism_cost.h"

/* Whether the service, which may have more rights than this user, may get another answer. */
static bool is_for_want_of_rights(const char *reason)
{
    return strcmp(reason, bpf_refusal_text(BPF_REFUSAL_NO_CAPABILITY)) == 0 ||
           strcmp(reason, bpf_refusal_text(BPF_REFUSAL_FORBIDDEN)) == 0;
}

static void print_mechanism(const struct config *config, const char *counted, bool by_bpf,
                            const char *reason)
{
    (void)printf(
        "counting: %s %s: %s%s%s\n", counted, by_bpf ? "by bpf" : "direct", reason,
        !by_bpf && config->counting == CONFIG_COUNTING_BPF ? ", although bpf is configured" : "",
        is_for_want_of_rights(reason) ? " for this user; as root, this shows what the service gets"
                                      : "");
}

static void print_cost_of_bpf(const struct resolution *resolution, const struct pmu_share *share)
{
    const size_t n_events = resolution_charged_events(resolution, share);

    if (n_events > 0)
        (void)printf("  that adds about %.1f us to each switch between two of them (events: %zu)\n",
                     bpf_switch_cost_ns(n_events) / 1000.0, n_events);
}

static void note_cost_of_direct(const char *path, const struct resolution *resolution)
{
    const struct switch_cost cost = direct_switch_cost(resolution);

    if (cost.ns == 0)
        return;
    check_begin_note(path, (struct config_place){0, 0}, "note");
    (void)printf(DIRECT_SWITCH_COST " (%zu events a cgroup, %zu system-wide)\n", cost.ns / 1000.0,
                 cost.of_a_cgroup, cost.of_the_system);
}

void check_print_counting(const char *path, const struct resolution *resolution,
                          const struct mechanism_choice *choice, const struct pmu_share *share)
{
    const struct config *config = resolution->config;
    const bool has_cgroups = config->n_cgroups > 0, has_processes = config->n_processes > 0;
    const bool by_bpf = choice->bpf != NULL;
    const bool leaves_processes = has_processes && by_bpf && !choice->bpf->counts_processes;

    if (has_cgroups && (leaves_processes || !has_processes))
        print_mechanism(config, "cgroups", by_bpf, choice->reason);
    else if (has_processes && !leaves_processes)
        print_mechanism(config, has_cgroups ? "cgroups and processes" : "processes", by_bpf,
                        choice->reason);
    if (leaves_processes)
        print_mechanism(config, "processes", false,
                        "their numbers are those of another PID namespace than the initial one");
    if (by_bpf)
        print_cost_of_bpf(resolution, share);
    else
        note_cost_of_direct(path, resolution);
}
