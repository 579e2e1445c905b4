/* SPDX-License-Identifier: Apache-2.0 */
#include "service/config_log.h"

#include <inttypes.h>
#include <stdio.h>

#include "log/log.h"

int config_log_load(struct object_reader *reader, const char *path, bool may_be_absent,
                    struct config **ret_config, struct config_error *ret_error)
{
    struct config_writers writers;
    int r = config_load(reader, path, may_be_absent, ret_config, &writers, ret_error);

    if (r == CONFIG_IS_DEFAULT)
        log_info("no configuration file, the built-in default runs", "path", path);
    else if (r >= 0 && *writers.phrase)
        log_warning("others than root and the service may change what is counted", "file", path,
                    "who", writers.phrase);
    return r;
}

void config_log_summary(const char *message, const char *path, const struct config *config)
{
    const struct config_profiles *profiles = &config->profiles;
    char cgroups[24], processes[24], rate[24];

    (void)snprintf(cgroups, sizeof(cgroups), "%zu", config->n_cgroups);
    (void)snprintf(processes, sizeof(processes), "%zu", config->n_processes);
    (void)snprintf(rate, sizeof(rate), "%" PRIu64 " Hz", profiles->rate_hz);
    log_info(message, "file", path, "system", config->system.enabled ? "yes" : "no",
             "rules_of_cgroups", cgroups, "rules_of_processes", processes, "profiles",
             profiles->enabled ? rate : "no");
}
