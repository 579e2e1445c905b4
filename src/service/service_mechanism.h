/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* By which mechanism cgroups are counted: what `counting` of the configuration comes to here. */

#include "service/service_state.h"

struct mechanism_choice {
    struct mechanism *bpf; /* NULL: direct */
    struct switch_program_size size;
    const char *reason; /* static */
};

/*
 * The one that runs, where it is large enough for this configuration; else another one beside
 * it, of which the first is preceded by the self-test. Where bpf cannot be had or is not to be
 * trusted, direct, and the log says why. To be taken or rejected.
 */
struct mechanism_choice service_choose_mechanism(struct service *service,
                                                 const struct config *config);

/*
 * After each cycle: where a kernel keeps so many switches to itself that too much is in doubt
 * (doubt_watch.h), a successor counts direct, and after a while bpf is tried again; the log says
 * so. What was configured by name stays.
 */
void service_check_mechanism(struct service *service);

/* What ran before, if it is another one, ends. */
void service_take_mechanism(struct service *service, const struct mechanism_choice *choice);
void service_reject_mechanism(const struct service *service, const struct mechanism_choice *choice);
