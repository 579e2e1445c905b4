/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Logs which events cannot be counted, one line for each reason, with what can be done about it. */

#include "count/event_group.h"

void absence_report(const struct event_groups *groups);
