/* SPDX-License-Identifier: Apache-2.0 */
#include "check/counting.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "check/notes.h"
#include "resolve/mechanism_cost.h"
#include "resolve/mechanism_size.h"

bool check_is_for_want_of_rights(const char *reason)
{
    return strcmp(reason, bpf_refusal_text(BPF_REFUSAL_NO_CAPABILITY)) == 0 ||
           strcmp(reason, bpf_refusal_text(BPF_REFUSAL_SECCOMP)) == 0 ||
           strcmp(reason, bpf_refusal_text(BPF_REFUSAL_FORBIDDEN)) == 0;
}

static struct check_mechanism make(const struct config *config, const char *counted, bool by_bpf,
                                   const char *reason)
{
    return (struct check_mechanism){
        .counted = counted,
        .by_bpf = by_bpf,
        .reason = reason,
        .is_against_wish = !by_bpf && config->counting == CONFIG_COUNTING_BPF,
        .is_for_want_of_rights = check_is_for_want_of_rights(reason),
    };
}

size_t check_mechanisms(const struct config *config, const struct mechanism_choice *choice,
                        struct check_mechanism ret_mechanisms[CHECK_MOST_MECHANISMS])
{
    const bool has_cgroups = config->n_cgroups > 0, has_processes = config->n_processes > 0;
    const bool by_bpf = choice->bpf != NULL;
    const bool leaves_processes = has_processes && by_bpf && !choice->bpf->counts_processes;
    size_t n = 0;

    if (has_cgroups && (leaves_processes || !has_processes))
        ret_mechanisms[n++] = make(config, "cgroups", by_bpf, choice->reason);
    else if (has_processes && !leaves_processes)
        ret_mechanisms[n++] = make(config, has_cgroups ? "cgroups and processes" : "processes",
                                   by_bpf, choice->reason);
    if (leaves_processes)
        ret_mechanisms[n++] =
            make(config, "processes", false,
                 "their numbers are those of another PID namespace than the initial one");
    return n;
}

static void print_mechanism(const struct check_mechanism *mechanism)
{
    (void)printf("counting: %s %s: %s%s%s\n", mechanism->counted,
                 mechanism->by_bpf ? "by bpf" : "direct", mechanism->reason,
                 mechanism->is_against_wish ? ", although bpf is configured" : "",
                 mechanism->is_for_want_of_rights ? CHECK_OF_THIS_USER : "");
}

double check_switch_cost_of_bpf(const struct resolution *resolution, const struct pmu_share *share,
                                size_t *ret_events)
{
    *ret_events = resolution_charged_events(resolution, share);
    return bpf_switch_cost_ns(*ret_events) / 1000.0;
}

void check_print_counting(const struct resolution *resolution,
                          const struct mechanism_choice *choice, const struct pmu_share *share)
{
    struct check_mechanism mechanisms[CHECK_MOST_MECHANISMS];
    const size_t n = check_mechanisms(resolution->config, choice, mechanisms);
    size_t n_events;
    double cost;

    for (size_t i = 0; i < n; i++)
        print_mechanism(&mechanisms[i]);
    if (!choice->bpf)
        return;
    cost = check_switch_cost_of_bpf(resolution, share, &n_events);
    if (n_events > 0)
        (void)printf("  that adds about %.1f us to each switch between two of them (events: %zu)\n",
                     cost, n_events);
}

static double mebibytes(uint64_t bytes)
{
    return (double)bytes / 0x1p20;
}

/* When what is wanted is counted. Whatever it is, the program at each switch runs beside it. */
static void print_moments(unsigned wanted)
{
    static const struct {
        unsigned kinds;
        const char *moment;
    } all[] = {
        {LATENCY_SCHEDULER, "switch"},
        {LATENCY_KIND_BLOCK_IO, "request to a block device"},
        {LATENCY_KIND_INTERRUPTS, "interrupt"},
        {LATENCY_KIND_KVM, "exit of a guest"},
        {LATENCY_KIND_TCP, "connection of TCP"},
        {LATENCY_KIND_SPANS, "event of a span"},
        {LATENCY_KIND_SYSTEM_CALLS, "system call"},
    };
    const char *before = "latency: counted by bpf at each ";

    for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
        if (!(wanted & all[i].kinds))
            continue;
        (void)printf("%s%s", before, all[i].moment);
        before = ", at each ";
    }
    if (!(wanted & LATENCY_SCHEDULER))
        (void)printf(", beside a program at each switch");
}

void check_print_latency(const struct config *config, const struct latency_choice *choice)
{
    if (choice->mechanism) {
        print_moments(latency_wanted(config));
        (void)printf("%s; distributions of the scheduler take %.1f MiB of the kernel's memory, "
                     "threads that are away %.1f MiB\n",
                     choice->is_own ? "; it counts no events" : "",
                     mebibytes(switch_program_latency_bytes(&choice->size)),
                     mebibytes(switch_program_away_bytes(&choice->size)));
    } else if (latency_wanted(config)) {
        (void)printf("latency: not counted: %s%s\n", choice->reason,
                     check_is_for_want_of_rights(choice->reason) ? CHECK_OF_THIS_USER : "");
    }
}

void check_note_cost_of_direct(struct check_output *output, const struct resolution *resolution)
{
    const struct switch_cost cost = direct_switch_cost(resolution);

    if (cost.ns == 0)
        return;
    check_note(output, (struct config_place){0, 0}, "note",
               DIRECT_SWITCH_COST " (%zu events a cgroup, %zu system-wide)", cost.ns / 1000.0,
               cost.of_a_cgroup, cost.of_the_system);
}
