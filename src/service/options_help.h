/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The flags as a table: what --help prints and what a mistyped one is compared with. */

#include <stdbool.h>
#include <stddef.h>

struct flag {
    const char *name;        /* without dashes */
    const char *placeholder; /* as --help shows its value; NULL: it takes none */
    bool repeatable;
    const char *help;
};

enum flag_number {
    FLAG_HELP,
    FLAG_LISTEN_ADDRESS,
    FLAG_SYSTEMD_SOCKET,
    FLAG_TELEMETRY_PATH,
    FLAG_ENABLE_LIFECYCLE,
    FLAG_CONTROL_SOCKET,
    FLAG_CONFIG_FILE,
    FLAG_CONFIG_CHECK,
    FLAG_PROCFS,
    FLAG_SYSFS,
    FLAG_CGROUPFS,
    FLAG_LOG_LEVEL,
    FLAG_LOG_FORMAT,
    FLAG_VERSION,
    FLAG_COUNT_,
};

extern const struct flag flags[FLAG_COUNT_];

/* To stdout. */
void options_print_help(void);
