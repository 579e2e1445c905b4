/* SPDX-License-Identifier: Apache-2.0 */
#include "target/state_files.h"

#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "reader/object_reader_parts.h"
#include "reader/reader_question.h"
#include "target/state_reader.h"
#include "target/state_work.h"

#define MIB ((uint64_t)1 << 20)

int state_reader_new(struct object_reader **ret_reader)
{
    const struct reader_work work = {
        .name = "state",
        .work = state_work,
        .prepare = state_work_prepare,
        .limits = {.memory = 64 * MIB, .output = MIB, .cpu_seconds = 2, .wall_ms = 10000},
    };

    return object_reader_new_for(&work, ret_reader);
}

static void refuse(struct state_refusal *refusal, const char *file, const char *why)
{
    refusal->why = why;
    (void)snprintf(refusal->file, sizeof(refusal->file), "%s", file);
}

bool state_file_names(struct object_reader *reader, const struct state_question *question,
                      const char *text, size_t n, const char *file, struct state_refusal *refusal,
                      struct names *names)
{
    const struct iovec parts[] = {{(void *)question, sizeof(*question)}, {(void *)text, n}};
    AUTO_CLOSE int fd = reader_question_write(parts, ARRAY_SIZE(parts));
    const struct object_job job = {.kind = OBJECT_JOB_STATE, .fd = fd, .debug_fd = -1};
    struct object_result result = {.outcome = OBJECT_FAILED};
    int r = fd < 0 ? fd : object_reader_ask(reader, &job, &result);

    if (r == -EPIPE) {
        if (reader && !refusal->has_ended)
            refuse(refusal, file, "the process that reads such files has ended");
        refusal->has_ended = true;
        return false;
    }
    if (r == 0 && result.outcome == OBJECT_READ) {
        r = state_answer_parse(result.bytes, result.n, (enum state_kind)question->kind, names);
        if (r >= 0)
            return r == 0;
    }
    refuse(refusal, file, object_outcome_reason(result.outcome));
    return false;
}
