/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/program_reader.h"

#include "profile/disassembler.h"
#include "profile/object_worker.h"
#include "reader/object_reader_parts.h"

#define MIB ((uint64_t)1 << 20)

static void prepare(enum object_job_kind kind)
{
    if (kind == OBJECT_JOB_CODE)
        (void)disassembler_load();
}

int program_reader_new(struct object_reader **ret_reader)
{
    const struct reader_work work = {
        .name = "object",
        .work = object_worker_run,
        .prepare = prepare,
        .limits = {.memory = 256 * MIB, .output = 64 * MIB, .cpu_seconds = 10, .wall_ms = 20000},
    };

    return object_reader_new_for(&work, ret_reader);
}
