/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Anybody may have written the file. Of one that is longer than we read, the end counts: it tells
 * of the code that was made last.
 */
#include "profile/map_work.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "profile/clean_name.h"
#include "profile/map_pieces.h"
#include "profile/object_message.h"
#include "reader/worker_output.h"

#define MOST_BYTES ((size_t)4 << 20)

/* The first line of the end of a file may have lost its begin, which would give it another address.
 */
static size_t without_cut_line(char *bytes, size_t n)
{
    const char *newline = memchr(bytes, '\n', n);
    const size_t cut = newline ? (size_t)(newline + 1 - bytes) : n;

    memmove(bytes, bytes + cut, n - cut);
    return n - cut;
}

/* Reads the end of a file. OBJECT_READ, OBJECT_NO_PROGRAM or -ENOMEM. */
static int read_end(int fd, char **ret_bytes, size_t *ret_n)
{
    AUTO_FREE char *bytes = NULL;
    struct stat status;
    size_t n = 0, wanted;
    off_t offset;

    if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))
        return OBJECT_NO_PROGRAM;
    wanted = status.st_size < (off_t)MOST_BYTES ? (size_t)status.st_size : MOST_BYTES;
    offset = status.st_size - (off_t)wanted;
    bytes = malloc(wanted + 1);
    if (!bytes)
        return -ENOMEM;
    while (n < wanted) {
        const ssize_t got = TEMP_FAILURE_RETRY(pread(fd, bytes + n, wanted - n, offset + (off_t)n));

        if (got <= 0)
            break;
        n += (size_t)got;
    }
    *ret_n = offset > 0 ? without_cut_line(bytes, n) : n;
    *ret_bytes = TAKE(bytes);
    return OBJECT_READ;
}

static int write_rows(const struct worker_job *job, const struct map_pieces *pieces)
{
    AUTO_FREE struct perf_map_message_row *rows = calloc(pieces->n + 1, sizeof(*rows));

    if (!rows)
        return -ENOMEM;
    for (size_t i = 0; i < pieces->n; i++)
        rows[i] = (struct perf_map_message_row){pieces->pieces[i].start, pieces->pieces[i].end,
                                                pieces->pieces[i].line};
    return worker_output_write(job->output, rows, pieces->n * sizeof(*rows));
}

static int write_names(const struct worker_job *job, const struct map_lines *lines)
{
    AUTO_FREE uint16_t *lengths = calloc(lines->n + 1, sizeof(*lengths));
    AUTO_TEXT struct text text = {0};
    int r;

    if (!lengths)
        return -ENOMEM;
    for (size_t i = 0; i < lines->n; i++) {
        const size_t before = text.length;

        clean_name_append(&text, lines->lines[i].name, lines->lines[i].length);
        lengths[i] = (uint16_t)(text.length - before);
        text_append_char(&text, '\0');
    }
    if (text_error(&text) < 0)
        return -ENOMEM;
    r = worker_output_write(job->output, lengths, lines->n * sizeof(*lengths));
    return r == OBJECT_READ ? worker_output_write(job->output, text.data, text.length) : r;
}

int map_work(const struct worker_job *job)
{
    AUTO_MAP_LINES struct map_lines lines = {0};
    AUTO_MAP_PIECES struct map_pieces pieces = {0};
    AUTO_FREE char *text = NULL;
    struct perf_map_head head;
    size_t n;
    int r = read_end(job->fd, &text, &n);

    if (r == OBJECT_READ)
        r = map_lines_parse(text, n, PERF_MAP_LINES_MOST, &lines);
    if (r == OBJECT_READ && n > 0 && lines.n == 0)
        r = OBJECT_NO_PROGRAM;
    if (r == OBJECT_READ)
        r = map_pieces_make(&lines, &pieces);
    if (r != OBJECT_READ)
        return r;
    head = (struct perf_map_head){PERF_MAP_MARK, pieces.n, lines.n};
    r = worker_output_write(job->output, &head, sizeof(head));
    if (r == OBJECT_READ)
        r = write_rows(job, &pieces);
    return r == OBJECT_READ ? write_names(job, &lines) : r;
}
