/* SPDX-License-Identifier: Apache-2.0 */
#include "target/state_work.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "base/cleanup.h"
#include "reader/worker_output.h"
#include "target/names_machine.h"
#include "target/names_runtime.h"
#include "target/state_message.h"

static bool parse(const struct state_question *question, const char *text, size_t n,
                  struct names *names)
{
    switch ((enum state_kind)question->kind) {
    case STATE_OF_CONTAINERD:
        return names_parse_oci_config(text, n, "containerd", names);
    case STATE_OF_BUNDLE:
        return names_parse_oci_config(text, n, NULL, names);
    case STATE_OF_DOCKER:
        return names_parse_docker_config(text, n, names);
    case STATE_OF_STORAGE:
        return names_parse_storage_list(text, n, question->word, names);
    case STATE_OF_MACHINE:
        names_parse_machine(text, n, question->word, names);
        return true;
    case STATE_OF_DOMAIN:
        return names_parse_domain(text, n, question->number, names);
    default:
        return false;
    }
}

static int write_answer(int fd, bool is_good, const struct names *names)
{
    struct state_answer answer = {.mark = STATE_ANSWER_MARK, .is_good = is_good};
    int r;

    for (size_t i = 0; is_good && i < NAMES_; i++)
        answer.lengths[i] = (uint16_t)(names->values[i] ? strlen(names->values[i]) : 0);
    r = worker_output_write(fd, &answer, sizeof(answer));
    for (size_t i = 0; r == OBJECT_READ && i < NAMES_; i++)
        if (answer.lengths[i] > 0)
            r = worker_output_write(fd, names->values[i], answer.lengths[i]);
    return r;
}

/* Reads all that is there; -EFBIG: it is more than the service sends. */
static ssize_t read_all(int fd, char *bytes, size_t most)
{
    size_t n = 0;

    while (n < most) {
        const ssize_t more = TEMP_FAILURE_RETRY(pread(fd, bytes + n, most - n, (off_t)n));

        if (more < 0)
            return -errno;
        if (more == 0)
            return (ssize_t)n;
        n += (size_t)more;
    }
    return -EFBIG;
}

void state_work_prepare(enum object_job_kind kind)
{
    (void)kind;
    json_object_seed(0);
}

int state_work(const struct worker_job *job)
{
    const size_t most = sizeof(struct state_question) + STATE_TEXT_MOST + 1;
    AUTO_FREE char *bytes = malloc(most);
    AUTO_NAMES struct names names = {0};
    struct state_question question;
    ssize_t n;
    bool is_good;

    if (job->kind != OBJECT_JOB_STATE)
        return OBJECT_FAILED;
    if (!bytes)
        return -ENOMEM;
    n = read_all(job->fd, bytes, most);
    if (n < (ssize_t)sizeof(question))
        return n < 0 ? (int)n : OBJECT_FAILED;
    memcpy(&question, bytes, sizeof(question));
    is_good = parse(&question, bytes + sizeof(question), (size_t)n - sizeof(question), &names);
    return names.failed ? -ENOMEM : write_answer(job->output, is_good, &names);
}
