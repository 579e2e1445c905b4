/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "count/event_group.h"

/* What can be done about an event that is absent for this reason; empty: nothing. Static. */
const char *absence_advice(enum absence absence);

/*
 * The same of targets of a kind that are absent although their events can be counted:
 * what the kernel was asked at the start, it was asked of the root of the tree. NULL: nothing.
 */
const char *absence_target_advice(enum scope_kind kind, enum absence absence);

/*
 * Logs which events cannot be counted, one line for each reason, with what can be
 * done about it. told: groups whose report was made; what they lack for the same
 * reason is no news. Some of them may be NULL.
 */
void absence_report(const struct event_groups *groups, const struct event_groups *const *told,
                    size_t n_told);
