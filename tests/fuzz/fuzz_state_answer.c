/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What the process without rights answers. Any bytes, taken as an answer: they are refused and tell
 * nothing, or each of them is one of a clean name. And what a worker answers to a text, whatever it
 * is, is taken: the first byte says whose text it is.
 */

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "fuzz/fuzz_names.h"
#include "target/state_message.h"
#include "target/state_work.h"

/* Names of the kinds of a virtual machine are never told of a container, nor the other way round.
 */
static void check_kinds(enum state_kind kind, const struct names *names)
{
    const bool is_of_machines = kind == STATE_OF_DOMAIN || kind == STATE_OF_MACHINE;

    for (size_t i = NAME_VM; i <= NAME_VM_USER; i++)
        FUZZ_CHECK(!names->values[i] || is_of_machines);
    FUZZ_CHECK(!names->values[NAME_POD] || !is_of_machines);
    for (size_t i = NAME_SLURM_JOB; i < NAMES_; i++)
        FUZZ_CHECK(!names->values[i]); /* no state file tells these */
}

/* The names are the bytes behind the head, one behind the other. */
static void check_taken(const uint8_t *data, size_t size, const struct names *names)
{
    size_t at = sizeof(struct state_answer);

    for (size_t i = 0; i < NAMES_; i++) {
        const size_t n = names->values[i] ? strlen(names->values[i]) : 0;

        FUZZ_CHECK(n <= size - at && (n == 0 || memcmp(names->values[i], data + at, n) == 0));
        at += n;
    }
    FUZZ_CHECK(at == size);
}

static void take_answer(const uint8_t *data, size_t size, enum state_kind kind)
{
    AUTO_NAMES struct names names = {0};
    const int r = state_answer_parse(data, size, kind, &names);
    struct label labels[NAMES_];

    fuzz_check_names(&names);
    check_kinds(kind, &names);
    if (r == 0)
        check_taken(data, size, &names);
    else
        FUZZ_CHECK(names_to_labels(&names, labels) == 0);
}

/* Memory that is written anew for each input. */
static int memory(int *fd, const void *bytes, size_t n)
{
    if (*fd < 0)
        *fd = memfd_create("fuzz", MFD_CLOEXEC);
    FUZZ_CHECK(*fd >= 0 && ftruncate(*fd, 0) == 0 && lseek(*fd, 0, SEEK_SET) == 0);
    FUZZ_CHECK(write(*fd, bytes, n) == (ssize_t)n);
    return *fd;
}

/* Has a worker answer. The bytes are the caller's; NULL: it has refused the job. */
static uint8_t *ask(const struct state_question *question, const void *text, size_t n,
                    size_t *ret_n)
{
    static int input = -1, output = -1;
    struct worker_job job = {.kind = OBJECT_JOB_STATE, .debug_fd = -1};
    struct stat status;
    uint8_t *answer;

    job.fd = memory(&input, question, sizeof(*question));
    job.output = memory(&output, "", 0);
    FUZZ_CHECK(write(job.fd, text, n) == (ssize_t)n);
    if (state_work(&job) != OBJECT_READ)
        return NULL;
    FUZZ_CHECK(fstat(job.output, &status) == 0);
    *ret_n = (size_t)status.st_size;
    answer = malloc(*ret_n + 1);
    FUZZ_CHECK(answer && pread(job.output, answer, *ret_n, 0) == (ssize_t)*ret_n);
    return answer;
}

static void ask_and_take(const uint8_t *text, size_t size, enum state_kind kind)
{
    const struct state_question question = {.kind = kind, .number = 7, .word = "id"};
    AUTO_NAMES struct names names = {0};
    AUTO_FREE uint8_t *answer = NULL;
    size_t n = 0;
    int r;

    state_work_prepare(OBJECT_JOB_STATE); /* as before the walls are there */
    answer = ask(&question, text, size, &n);
    FUZZ_CHECK(answer);
    r = state_answer_parse(answer, n, kind, &names);
    FUZZ_CHECK(r == 0 || r == 1);
    for (size_t i = 0; i < STATE_KINDS_; i++)
        take_answer(answer, n, (enum state_kind)i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < STATE_KINDS_; i++)
        take_answer(data, size, (enum state_kind)i);
    if (size > 0 && size < STATE_TEXT_MOST)
        ask_and_take(data + 1, size - 1, (enum state_kind)(data[0] % STATE_KINDS_));
    return 0;
}
