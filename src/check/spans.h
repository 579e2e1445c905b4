/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What is said of spans. */

#include "check/output.h"
#include "resolve/resolution.h"

/* Prints each span; warns of those that cannot be followed, and where no rule asks for any. */
void check_print_spans(struct check_output *output, const struct resolution *resolution);
