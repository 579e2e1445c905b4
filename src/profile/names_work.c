/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/names_work.h"

#include <errno.h>

#include "base/cleanup.h"
#include "profile/object_message.h"
#include "profile/symbol_names.h"
#include "reader/worker_output.h"

/* Writes the lengths and the names, in the order of the question. */
static int write_names(const struct worker_job *job, const struct symbol_question *question)
{
    const struct object_names_head head = {OBJECT_NAMES_MARK, question->n};
    AUTO_FREE uint16_t *lengths = calloc(question->n + 1, sizeof(*lengths));
    AUTO_TEXT struct text text = {0};
    int r;

    if (!lengths)
        return -ENOMEM;
    for (size_t i = 0; i < question->n; i++) {
        const size_t before = text.length;

        lengths[i] = OBJECT_NAME_MISSING;
        if (!wanted_symbol_append_name(&question->wanted[i], &text))
            continue;
        lengths[i] = (uint16_t)(text.length - before);
        text_append_char(&text, '\0');
    }
    if (text_error(&text) < 0)
        return -ENOMEM;
    r = worker_output_write(job->output, &head, sizeof(head));
    if (r == OBJECT_READ)
        r = worker_output_write(job->output, lengths, question->n * sizeof(*lengths));
    return r == OBJECT_READ ? worker_output_write(job->output, text.data, text.length) : r;
}

int names_work(const struct worker_job *job)
{
    AUTO_OBJECT_FILE struct object_file file = {0};
    AUTO_SYMBOL_QUESTION struct symbol_question question = {0};
    int r = object_file_open(job->fd, &file);

    if (r == OBJECT_READ)
        r = object_file_read_segments(&file);
    if (r != OBJECT_READ)
        return r;
    r = symbol_question_init(&question, &file, job->starts, job->n_starts);
    if (r == 0)
        r = symbol_question_answer(&question, job->debug_fd);
    return r == 0 ? write_names(job, &question) : r;
}
