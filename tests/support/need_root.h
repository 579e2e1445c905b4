/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Skips a test with the reason, where it is not run as root. After support/check.h. */

#include <unistd.h>

static inline void need_root(const char *why)
{
    if (geteuid() == 0)
        return;
    print_message("skipped: %s\n", why);
    skip();
}
