/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "event/probe_message.h"

#define LAST_POSITION ((uint64_t)INT64_MAX) /* of a file */

bool probe_question_nearest(const struct probe_question *question, struct nearest *ret_nearest)
{
    char word[2 * PROBE_SYMBOL_SIZE];

    (void)snprintf(word, sizeof(word), "%s%s%s", question->provider,
                   question->provider[0] ? ":" : "", question->symbol);
    return nearest_init(ret_nearest, word);
}

bool probe_name_shown(const char *name, size_t size)
{
    size_t length = strnlen(name, size);

    for (size_t i = 0; i < length; i++)
        if (name[i] <= ' ' || name[i] > '~')
            return false;
    return length < size;
}

/* Whether a name is near to what was asked for. */
static bool is_near(const struct probe_answer *answer, const struct probe_question *question)
{
    struct nearest nearest;

    if (!probe_question_nearest(question, &nearest))
        return false;
    nearest_offer(&nearest, answer->nearest);
    return strcmp(nearest.best, answer->nearest) == 0;
}

static bool number_holds(const struct probe_answer *answer, const struct probe_question *question)
{
    if (question->kind != PROBE_USDT)
        return answer->n == 0;
    switch (answer->outcome) {
    case ELF_MISSING:
        return answer->n == 0 || answer->n < question->number;
    case ELF_AMBIGUOUS:
        return answer->n > 1 && question->number == 0;
    default:
        return true;
    }
}

static bool outcome_holds(const struct probe_answer *answer, const struct probe_question *question)
{
    switch (answer->outcome) {
    case ELF_FOUND:
        return answer->position <= LAST_POSITION && answer->semaphore <= LAST_POSITION &&
               (answer->semaphore == 0 || question->kind == PROBE_USDT);
    case ELF_NO_PROGRAM:
    case ELF_TOO_LARGE:
    case ELF_MISSING:
    case ELF_AMBIGUOUS:
    case ELF_INDIRECT:
    case ELF_BEYOND:
    case ELF_NOT_EXECUTABLE:
        return answer->position == 0 && answer->semaphore == 0;
    default: /* what is known of a file before it is looked into */
        return false;
    }
}

int probe_answer_parse(const void *bytes, size_t n, const struct probe_question *question,
                       struct probe_answer *ret_answer)
{
    struct probe_answer answer;

    if (n != sizeof(answer))
        return -EBADMSG;
    memcpy(&answer, bytes, sizeof(answer));
    if (answer.mark != PROBE_ANSWER_MARK || !outcome_holds(&answer, question) ||
        !number_holds(&answer, question) ||
        !probe_name_shown(answer.nearest, sizeof(answer.nearest)))
        return -EBADMSG;
    if (answer.nearest[0] &&
        (answer.outcome != ELF_MISSING || answer.n > 0 || !is_near(&answer, question)))
        return -EBADMSG;
    *ret_answer = answer;
    return 0;
}
