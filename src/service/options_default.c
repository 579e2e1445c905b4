/* SPDX-License-Identifier: Apache-2.0 */

/* In a file of its own: who has no command line, as pmutool, is not linked with what that needs. */
#include "service/options.h"

const struct options options_default = {
    .telemetry_path = "/metrics",
    .control_socket = DEFAULT_CONTROL_SOCKET,
    .config_file = DEFAULT_CONFIG_FILE,
    .log_level = LOG_LEVEL_INFO,
    .log_format = LOG_FORMAT_LOGFMT,
    .procfs = "/proc",
    .sysfs = "/sys",
    .rootfs = "/",
};
