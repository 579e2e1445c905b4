/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <string.h>

#include "log/log.h"

/* Logs a failure in the words of errno, and returns it for the caller to pass on. */
static inline int fail(int error, const char *message, const char *key, const char *value)
{
    log_error(message, key, value, "error", strerror(-error));
    return error;
}
