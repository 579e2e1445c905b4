/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How much memory this process holds, and whether that is its own: a sanitizer keeps what is freed,
 * and has pages beside those of the program.
 */

#include <stdio.h>
#include <unistd.h>

#include "support/check.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED true
#elif defined(__has_feature)
#define IS_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define IS_SANITIZED false
#endif

static inline size_t resident_bytes(void)
{
    unsigned long total, resident;
    FILE *const file = fopen("/proc/self/statm", "re");

    assert_non_null(file);
    assert_int_equal(2, fscanf(file, "%lu %lu", &total, &resident));
    (void)fclose(file);
    return resident * (size_t)sysconf(_SC_PAGESIZE);
}
