/* SPDX-License-Identifier: Apache-2.0 */
#include "target/state_files.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "reader/object_reader_parts.h"
#include "target/state_reader.h"
#include "target/state_work.h"

#define MIB     ((uint64_t)1 << 20)
#define WALL_MS 10000
#define WAIT_MS (2 * WALL_MS) /* beyond what the reader takes to kill a worker that is late */

static const char *const reasons[OBJECT_OUTCOME_COUNT_] = {
    [OBJECT_NO_PROGRAM] = "its reader gave no answer",
    [OBJECT_TOO_LARGE] = "it takes more memory than there is for it",
    [OBJECT_TOO_SLOW] = "it takes longer than there is time for it",
    [OBJECT_KILLED] = "its reader crashed, or did what it may not",
    [OBJECT_FAILED] = "there is no process, memory or descriptor for its reader",
};

int state_reader_new(struct object_reader **ret_reader)
{
    const struct reader_work work = {
        .name = "state",
        .work = state_work,
        .prepare = state_work_prepare,
        .limits = {.memory = 64 * MIB, .output = MIB, .cpu_seconds = 2, .wall_ms = WALL_MS},
    };

    return object_reader_new_for(&work, ret_reader);
}

static void refuse(struct state_refusal *refusal, const char *file, const char *why)
{
    refusal->why = why;
    (void)snprintf(refusal->file, sizeof(refusal->file), "%s", file);
}

/* Memory that has the question and the text. The descriptor or -errno. */
static int write_question(const struct state_question *question, const char *text, size_t n)
{
    AUTO_CLOSE int fd = memfd_create("state_file", MFD_CLOEXEC);
    const struct iovec parts[] = {{(void *)question, sizeof(*question)}, {(void *)text, n}};

    if (fd < 0)
        return -errno;
    if (writev(fd, parts, ARRAY_SIZE(parts)) != (ssize_t)(sizeof(*question) + n))
        return -EIO;
    return TAKE_FD(fd);
}

/* 0 or -errno; -EPIPE: the reader has ended. */
static int ask(struct object_reader *reader, int fd, struct object_result *ret_result)
{
    const struct object_job job = {.kind = OBJECT_JOB_STATE, .fd = fd, .debug_fd = -1};
    struct pollfd end = {.fd = object_reader_fd(reader), .events = POLLIN};
    int r = object_reader_begin(reader, &job);

    if (r < 0)
        return r;
    (void)TEMP_FAILURE_RETRY(poll(&end, 1, WAIT_MS));
    return object_reader_finish(reader, ret_result);
}

bool state_file_names(struct object_reader *reader, const struct state_question *question,
                      const char *text, size_t n, const char *file, struct state_refusal *refusal,
                      struct names *names)
{
    AUTO_CLOSE int fd = reader ? write_question(question, text, n) : -EPIPE;
    struct object_result result = {.outcome = OBJECT_FAILED};
    int r = fd < 0 ? fd : ask(reader, fd, &result);

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
        result.outcome = OBJECT_NO_PROGRAM;
    }
    refuse(refusal, file, reasons[result.outcome]);
    return false;
}
