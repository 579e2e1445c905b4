/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Every key of the configuration: the table behind pmu_exporter.yml(5). */

#include "app/config.h"
#include "app/schema.h"

/* What a file gives. Where it leaves out the groups or the targets, the built-in ones stand. */
struct config_file {
    struct config config;
    bool has_groups;
    bool has_targets;
};

extern const struct schema config_schema; /* of a struct config_file */
