/* SPDX-License-Identifier: Apache-2.0 */
#include "event/probe_work.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "event/probe_message.h"
#include "reader/worker_output.h"
#include "sys/elf_image.h"

static void offer(void *object, const char *name)
{
    nearest_offer(object, name);
}

static void find_nearest(const struct elf_image *image, const struct probe_question *question,
                         struct probe_answer *answer)
{
    struct nearest nearest;
    const struct elf_visitor visitor = {offer, &nearest};

    if (!probe_question_nearest(question, &nearest))
        return;
    if (question->kind == PROBE_USDT)
        elf_image_list_markers(image, &visitor);
    else
        elf_image_list_functions(image, &visitor);
    if (probe_name_shown(nearest.best, sizeof(nearest.best)))
        memcpy(answer->nearest, nearest.best, sizeof(answer->nearest));
}

static int find(const struct elf_image *image, const struct probe_question *question,
                struct probe_answer *answer)
{
    struct elf_marker marker = {0};
    int r;

    if (question->kind == PROBE_USDT)
        r = elf_image_find_marker(image, question->provider, question->symbol, question->number,
                                  &marker, &answer->n);
    else
        r = elf_image_find_function(image, question->symbol, question->offset, &marker.position);
    if (r != ELF_FOUND)
        return r;
    answer->position = marker.position;
    answer->semaphore = marker.semaphore;
    return ELF_FOUND;
}

int probe_work(const struct worker_job *job)
{
    AUTO(elf_image) struct elf_image *image = NULL;
    struct probe_answer answer = {.mark = PROBE_ANSWER_MARK};
    struct probe_question question;
    int r;

    if (pread(job->fd, &question, sizeof(question), 0) != (ssize_t)sizeof(question))
        return -EIO;
    r = elf_image_open(job->debug_fd, &image);
    if (r == ELF_FOUND)
        r = find(image, &question, &answer);
    if (r < 0)
        return r;
    if (r == ELF_MISSING && answer.n == 0)
        find_nearest(image, &question, &answer);
    answer.outcome = (uint32_t)r;
    return worker_output_write(job->output, &answer, sizeof(answer));
}
