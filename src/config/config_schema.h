/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Every key of the configuration: the table behind pmu_exporter.yml(5). */

#include "config/config.h"
#include "config/schema.h"

extern const struct schema config_schema; /* of a struct config */
