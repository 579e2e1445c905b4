/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Every key of the configuration: the table behind pmu_exporter.yml(5). */

#include "config/config.h"
#include "config/schema.h"

/* Bounds that several tables share. */
#define LONGEST_NAME 64
#define MOST_GROUPS  64

extern const struct schema config_schema;         /* of a struct config */
extern const struct schema config_targets_schema; /* of the same, for what stands in `targets` */
