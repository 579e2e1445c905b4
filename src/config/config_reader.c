/* SPDX-License-Identifier: Apache-2.0 */
#include "config/config_reader.h"

#include "config/yaml_work.h"
#include "reader/object_reader_parts.h"

#define MIB ((uint64_t)1 << 20)

int config_reader_new(const char *name, struct object_reader **ret_reader)
{
    const struct reader_work work = {
        .name = name,
        .work = yaml_work,
        .limits = {.memory = 64 * MIB, .output = 8 * MIB, .cpu_seconds = 5, .wall_ms = 10000},
    };

    return object_reader_new_for(&work, ret_reader);
}
