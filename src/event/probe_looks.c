/* SPDX-License-Identifier: Apache-2.0 */
#include "event/probe_looks.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "event/nearest.h"
#include "event/probe_message.h"
#include "reader/reader_question.h"
#include "sys/kernel_functions.h"

/* What is wrong with a file, or with a place in it, behind the name of the file. */
static const char *const outcomes[] = {
    [ELF_FOREIGN_LINK] = "is reached by a symbolic link of another user",
    [ELF_PROCESS_LINK] = "is reached through /proc of another process; expected another path",
    [ELF_NO_FILE] = "is no regular file",
    [ELF_NO_PROGRAM] = "is no program or library of this machine, or is damaged",
    [ELF_TOO_LARGE] = "has larger tables than are read: 128 MiB of symbols, 16 MiB of notes",
    [ELF_MISSING] = "does not have it",
    [ELF_AMBIGUOUS] = "has several of this name",
    [ELF_INDIRECT] = "has it as an indirect function (IFUNC): its variants have other names",
    [ELF_BEYOND] = "has it, but it ends before this offset",
    [ELF_NOT_EXECUTABLE] = "has it where nothing is executed",
};

static void append_place(struct text *text, const struct probe_place *place)
{
    if (place->provider)
        text_append_format(text, "%s:", place->provider);
    text_append_string(text, place->symbol);
}

static void append_nearest(struct text *text, const struct nearest *nearest)
{
    if (nearest->best[0])
        text_append_format(text, "; did you mean %s?", nearest->best);
}

static int take_text(struct text *text, char **ret_text)
{
    *ret_text = text_take(text);
    return *ret_text ? 0 : -ENOMEM;
}

static int explain_place(const struct probe_place *place, const struct probe_answer *answer,
                         char **ret_why)
{
    AUTO_TEXT struct text text = {0};

    append_place(&text, place);
    text_append_format(&text, ": %s %s", place->file, outcomes[answer->outcome]);
    if (answer->n > 0)
        text_append_format(&text, ": there are %u, expected #1 to #%u behind the name", answer->n,
                           answer->n);
    else if (answer->nearest[0])
        text_append_format(&text, "; did you mean %s?", answer->nearest);
    return take_text(&text, ret_why);
}

static int explain_file(const struct probe_place *place, int outcome,
                        const struct path_doubt *doubt, char **ret_why)
{
    AUTO_TEXT struct text text = {0};

    text_append_format(&text, "%s %s%s", place->file, outcome < 0 ? "cannot be read: " : "",
                       outcome < 0 ? strerror(-outcome) : outcomes[outcome]);
    if (outcome == ELF_FOREIGN_LINK)
        text_append_format(&text, ", %s", doubt->path);
    return take_text(&text, ret_why);
}

static int explain_unread(const struct probe_place *place, const char *reason, char **ret_why)
{
    AUTO_TEXT struct text text = {0};

    text_append_format(&text, "%s cannot be read: %s", place->file, reason);
    return take_text(&text, ret_why);
}

static struct probe_question make_question(enum probe_kind kind, const struct probe_place *place)
{
    struct probe_question question = {
        .kind = kind, .number = place->number, .offset = place->offset};

    (void)snprintf(question.provider, sizeof(question.provider), "%s",
                   place->provider ? place->provider : "");
    (void)snprintf(question.symbol, sizeof(question.symbol), "%s", place->symbol);
    return question;
}

/* Has a worker look. NULL: it has answered; else why it has not. */
static const char *ask(struct object_reader *reader, int file,
                       const struct probe_question *question, struct probe_answer *ret_answer)
{
    const struct iovec part = {(void *)question, sizeof(*question)};
    AUTO_CLOSE int fd = reader_question_write(&part, 1);
    const struct object_job job = {.kind = OBJECT_JOB_PROBE, .fd = fd, .debug_fd = file};
    struct object_result result = {.outcome = OBJECT_FAILED};
    int r = fd < 0 ? fd : object_reader_ask(reader, &job, &result);

    if (r == -EPIPE)
        return "the process that reads such files has ended";
    if (r == 0 && result.outcome == OBJECT_READ &&
        probe_answer_parse(result.bytes, result.n, question, ret_answer) == 0)
        return NULL;
    return object_outcome_reason(result.outcome);
}

int probe_look_into_file(struct object_reader *reader, enum probe_kind kind,
                         const struct probe_place *place, struct probe_found *ret_found,
                         char **ret_why)
{
    const struct probe_question question = make_question(kind, place);
    struct elf_identity identity = {0};
    struct probe_answer answer = {0};
    AUTO_CLOSE int fd = -1;
    struct path_doubt doubt;
    const char *reason;
    int r = elf_file_open(place->file, &fd, &identity, &doubt);

    *ret_why = NULL;
    if (r == -ENOMEM)
        return r;
    if (r != ELF_FOUND)
        return explain_file(place, r, &doubt, ret_why);
    reason = ask(reader, fd, &question, &answer);
    if (reason)
        return explain_unread(place, reason, ret_why);
    if (answer.outcome == ELF_NO_PROGRAM)
        return explain_file(place, ELF_NO_PROGRAM, &doubt, ret_why);
    if (answer.outcome != ELF_FOUND)
        return explain_place(place, &answer, ret_why);
    *ret_found = (struct probe_found){.position = answer.position,
                                      .semaphore = answer.semaphore,
                                      .identity = identity,
                                      .fd = TAKE_FD(fd)};
    return 0;
}

/*
 * The kernel finds the functions of modules without the name of the module, too. What the compiler
 * has split off has a name of its own ("f.constprop.0").
 */
static bool is_meant(const char *function, const char *symbol)
{
    const char *colon = strchr(function, ':');

    return strcmp(function, symbol) == 0 || (colon && strcmp(colon + 1, symbol) == 0);
}

int probe_look_into_kernel(const struct probe_place *place, struct probe_found *ret_found,
                           char **ret_why)
{
    AUTO_TEXT struct text text = {0};
    char name[KERNEL_FUNCTION_SIZE];
    struct nearest nearest = {0};
    FILE *list = kernel_functions_open();
    bool is_readable = false, is_there = false, is_near = nearest_init(&nearest, place->symbol);

    while (list && !is_there && kernel_functions_next(list, name)) {
        is_readable = true;
        is_there = is_meant(name, place->symbol);
        if (is_near)
            nearest_offer(&nearest, name);
    }
    if (list)
        (void)fclose(list);
    *ret_found = (struct probe_found){.position = place->offset, .fd = -1};
    *ret_why = NULL;
    if (is_there || !is_readable)
        return 0;
    text_append_format(&text, "the kernel has no function %s", place->symbol);
    append_nearest(&text, &nearest);
    return take_text(&text, ret_why);
}
