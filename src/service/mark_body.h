/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The body of a request that sets a mark: {"text": "release 1.2", "time": 1700000000.5}. */

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* The most bytes of a body: each byte of the text may be written as six. */
#define MARK_BODY_MAX 8192

struct mark_body {
    char *text;       /* UTF-8, of 1 to HISTORY_MARK_TEXT_MAX bytes; the caller frees it */
    uint64_t time_ns; /* 0: it is not given */
};

/* Returns 0; -EINVAL, and `why` tells people what is wrong; -ENOMEM. */
int mark_body_parse(const char *body, size_t length, struct text *why, struct mark_body *ret_mark);
