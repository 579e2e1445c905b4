/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What is said of system calls that are timed. */

#include "check/output.h"

/* Prints which are, and which of them wait; notes where no rule asks for system calls. */
void check_print_system_calls(struct check_output *output, const struct config *config);
