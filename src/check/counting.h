/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What is printed of how cgroups and processes are counted. */

#include "check/output.h"
#include "resolve/latency_choice.h"
#include "resolve/resolution_budget.h"

/* By which mechanism one kind of targets, or two, is counted, and why. */
struct check_mechanism {
    const char *counted; /* "cgroups", "processes", "cgroups and processes" */
    bool by_bpf;         /* else by direct */
    const char *reason;
    bool is_against_wish;       /* The configuration asks for bpf. */
    bool is_for_want_of_rights; /* The service may have rights that this user has not. */
};

/* Whether the service, which may have more rights than this user, may get another answer. */
bool check_is_for_want_of_rights(const char *reason);

/* What is printed behind such a reason. */
#define CHECK_OF_THIS_USER " for this user; as root, this shows what the service gets"

#define CHECK_MOST_MECHANISMS 2

/* Returns how many there are: none where neither cgroups nor processes are wanted. */
size_t check_mechanisms(const struct config *config, const struct mechanism_choice *choice,
                        struct check_mechanism ret_mechanisms[CHECK_MOST_MECHANISMS]);

/* What bpf adds to each switch, in microseconds, and for how many events. */
double check_switch_cost_of_bpf(const struct resolution *resolution, const struct pmu_share *share,
                                size_t *ret_events);

/*
 * Prints by which mechanism cgroups and processes are counted, why, and what bpf adds to a switch
 * between two tasks; nothing where neither is wanted. share: as resolution_decide() gave it.
 */
void check_print_counting(const struct resolution *resolution,
                          const struct mechanism_choice *choice, const struct pmu_share *share);

/* Prints whether latencies are counted, and why not; nothing where none are wanted. */
void check_print_latency(const struct config *config, const struct latency_choice *choice);

/* Notes what direct counting adds to a switch, where that is something. */
void check_note_cost_of_direct(struct check_output *output, const struct resolution *resolution);
