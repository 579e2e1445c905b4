/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What one worker may take. */

#include <stdint.h>

struct reader_limits {
    uint64_t memory; /* bytes of addresses, beyond what the process has at its start */
    uint64_t output; /* bytes */
    unsigned cpu_seconds;
    unsigned wall_ms;
};
