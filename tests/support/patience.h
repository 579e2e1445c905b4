/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How long a test waits for what comes soon on any machine, and would else never come. */

#include "base/clock.h"

#define PATIENCE_NS (60 * NS_PER_SECOND)
