/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What goes between the service and the process that reads for it, one packet each way. */

#include <stdint.h>

/* The number that the socket has in the process: the first behind standard streams. */
#define READER_SOCKET 3

/* With it go descriptors, in the order of enum reader_descriptor; the last two may be left out. */
struct reader_request {
    uint32_t kind; /* enum object_job_kind */
    uint32_t n_starts;
    uint32_t has_debug;
    uint32_t unused;
};

enum reader_descriptor {
    READER_FILE,
    READER_OUTPUT,
    READER_STARTS, /* memory that has them; only with n_starts > 0 */
    READER_DEBUG,  /* only with has_debug */
    READER_DESCRIPTORS_MOST,
};

struct reader_reply {
    uint32_t outcome; /* enum object_outcome */
    uint32_t unused;
    uint64_t cpu_ns;
};
