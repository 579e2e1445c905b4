/* SPDX-License-Identifier: Apache-2.0 */

/*
 * libyaml does the scanning, in a process without rights where the text is a file's (yaml_scan.c).
 * Texts that it handles badly never reach it: counting the brackets before makes an error that says
 * what is wrong. The count knows comments but not quotes, because a plain word may hold a quote: so
 * more than 32 brackets that stay open in a quoted text are refused too.
 *
 * A NUL byte silently ends the input for libyaml, and it would convert UTF-16. Both are refused
 * before. Other text that is not UTF-8 libyaml refuses itself, with an offset in bytes.
 */
#include "config/yaml_reader.h"

#include <errno.h>
#include <string.h>

#include "config/config_error.h"
#include "config/yaml_scan.h"
#include "reader/reader_question.h"

static const struct config_place whole_text = {0, 0};

static int refuse_offset(struct yaml_reader *reader, size_t offset, const char *what)
{
    return config_error_set(reader->error, yaml_place_of(reader->text, offset), "%s", what);
}

/* The offset of the bracket that opens one level too many; the length: there is none. */
static size_t find_too_deep(const char *text, size_t length)
{
    size_t depth = 0;
    bool comment = false;

    for (size_t i = 0; i < length; i++) {
        char c = text[i];

        if (c == '\n' || c == '\r')
            comment = false;
        else if (c == '#' && (i == 0 || strchr(" \t\r\n", text[i - 1])))
            comment = true;
        if (comment)
            continue;
        if ((c == '[' || c == '{') && ++depth > YAML_READER_DEEPEST)
            return i;
        if ((c == ']' || c == '}') && depth > 0)
            depth--;
    }
    return length;
}

static int check_bytes(struct yaml_reader *reader)
{
    const char *text = reader->text;
    size_t length = reader->length, too_deep;
    const char *nul = memchr(text, '\0', length);

    if (length > YAML_READER_LARGEST)
        return refuse_offset(reader, YAML_READER_LARGEST,
                             "the configuration does not end here; expected at most 1 MiB");
    if (length >= 2 && (memcmp(text, "\xfe\xff", 2) == 0 || memcmp(text, "\xff\xfe", 2) == 0))
        return refuse_offset(reader, 0, "the text is UTF-16; expected UTF-8");
    if (nul)
        return refuse_offset(
            reader, (size_t)(nul - text),
            "there is a NUL byte; expected text in UTF-8 (this may be UTF-16 or UTF-32)");
    too_deep = find_too_deep(text, length);
    if (too_deep < length)
        return refuse_offset(reader, too_deep,
                             "brackets nest too deep; expected at most 32 levels");
    return 0;
}

struct config_place yaml_reader_place(const struct yaml_reader *reader)
{
    return reader->event.place;
}

int yaml_reader_next(struct yaml_reader *reader)
{
    struct yaml_event *event = &reader->event;

    if (yaml_answer_next(&reader->answer, event) < 0)
        return config_error_set(reader->error, whole_text, "the text cannot be read: %s",
                                object_outcome_reason(OBJECT_READ));
    if (event->kind == YAML_AT_ERROR)
        return config_error_set(reader->error, event->place, "%s", event->text);
    return 0;
}

/* The text is one of our own. */
static int scan_here(struct yaml_reader *reader)
{
    int r = yaml_scan(reader->text, reader->length, &reader->own);

    reader->answer = (struct yaml_answer){reader->own.data, reader->own.length};
    return r;
}

static int have_it_scanned(struct yaml_reader *reader)
{
    const struct iovec part = {(void *)reader->text, reader->length};
    AUTO_CLOSE int fd = reader_question_write(&part, 1);
    const struct object_job job = {.kind = OBJECT_JOB_YAML, .fd = fd, .debug_fd = -1};
    struct object_result result = {.outcome = OBJECT_FAILED};
    int r;

    if (fd < 0)
        return config_error_set(reader->error, whole_text,
                                "the text cannot be handed to its reader: %s", strerror(-fd));
    r = object_reader_ask(reader->walls, &job, &result);
    if (r == -EPIPE)
        return config_error_set(reader->error, whole_text,
                                "the process that reads configurations has ended; expected a "
                                "restart");
    if (r < 0 || result.outcome != OBJECT_READ)
        return config_error_set(reader->error, whole_text, "the text cannot be read: %s",
                                object_outcome_reason(result.outcome));
    reader->answer = (struct yaml_answer){result.bytes, result.n};
    return 0;
}

int yaml_reader_init(struct yaml_reader *reader, struct object_reader *walls, const char *text,
                     size_t length, struct config_error *ret_error)
{
    int r;

    *reader =
        (struct yaml_reader){.walls = walls, .text = text, .length = length, .error = ret_error};
    r = check_bytes(reader);
    if (r == 0)
        r = walls ? have_it_scanned(reader) : scan_here(reader);
    if (r < 0)
        return r;
    do
        r = yaml_reader_next(reader);
    while (r == 0 && reader->event.kind == YAML_AT_DOCUMENT);
    return r;
}

int yaml_reader_finish(struct yaml_reader *reader)
{
    int r;

    do
        r = yaml_reader_next(reader);
    while (r == 0 && reader->event.kind == YAML_AT_DOCUMENT_END);
    if (r == 0 && reader->event.kind != YAML_AT_END)
        return config_error_set(reader->error, yaml_reader_place(reader),
                                "a second YAML document begins here; expected one");
    return r;
}

void yaml_reader_done(struct yaml_reader *reader)
{
    text_done(&reader->own);
    object_reader_forget(reader->walls);
}
