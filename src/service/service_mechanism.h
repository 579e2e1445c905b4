/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The service's bpf mechanism: taken, watched, and left again. */

#include "service/service_state.h"

/*
 * mechanism_choose() for the running service, told in the log. The caller passes the choice to
 * service_take_mechanism() when a collector counts by it, or to service_reject_mechanism().
 */
struct mechanism_choice service_choose_mechanism(struct service *service,
                                                 const struct config *config);

/*
 * After each cycle: where a kernel keeps so many switches to itself that too much is in doubt
 * (doubt_watch.h), a successor counts direct, and after a while bpf is tried again; the log says
 * so. What was configured by name stays.
 */
void service_check_mechanism(struct service *service);

/* A collector counts by this choice now: what counted before, if it is another one, ends. */
void service_take_mechanism(struct service *service, const struct mechanism_choice *choice);
/* No collector counts by this choice: a mechanism that was made for it ends. */
void service_reject_mechanism(const struct service *service, const struct mechanism_choice *choice);
