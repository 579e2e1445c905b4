/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "count/event_group.h"

/*
 * Logs which events cannot be counted, one line for each reason, with what can be
 * done about it. known: groups whose report was made; what they lack for the same
 * reason is no news. Some of them may be NULL.
 */
void absence_report(const struct event_groups *groups, const struct event_groups *const *known,
                    size_t n_known);
