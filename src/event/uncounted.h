/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "event/source.h"

/*
 * What a name is of that no source knows, where this machine has it and perf would count it:
 * "tracepoints", "events of sysfs PMUs". NULL: the machine has nothing of this name. Static.
 */
const char *uncounted_on_this_machine(const struct source_context *context, const char *name);
