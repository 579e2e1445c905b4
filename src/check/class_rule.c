/* SPDX-License-Identifier: Apache-2.0 */
#include "check/class_rule.h"

struct class_rule class_rule_of(const struct resolution *resolution, size_t class_index)
{
    const struct config *config = resolution->config;
    size_t index = class_index - CLASS_CGROUP;

    if (class_index < resolution->first_process)
        return (struct class_rule){"cgroups", index, &config->cgroups[index].groups};
    index = class_index - resolution->first_process;
    return (struct class_rule){"processes", index, &config->processes[index].groups};
}
