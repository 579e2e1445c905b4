/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Logs which events cannot be counted, one line for each reason, with what can be
 * done about it. told: groups of another scope whose report was made; what they
 * lack for the same reason is no news. NULL: none.
 */

#include "count/event_group.h"

void absence_report(const struct event_groups *groups, const struct event_groups *told);
