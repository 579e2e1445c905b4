/* SPDX-License-Identifier: Apache-2.0 */
#include "event/probe_reader.h"

#include "event/probe_work.h"
#include "reader/object_reader_parts.h"

#define MIB ((uint64_t)1 << 20)

int probe_reader_new(struct object_reader **ret_reader)
{
    const struct reader_work work = {
        .name = "probe",
        .work = probe_work,
        .limits = {.memory = 128 * MIB, .output = MIB, .cpu_seconds = 5, .wall_ms = 10000},
    };

    return object_reader_new_for(&work, ret_reader);
}
