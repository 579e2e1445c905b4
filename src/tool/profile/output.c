/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/profile/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/config_error.h"
#include "tool/command.h"
#include "tool/control_client.h"
#include "tool/safe_text.h"

static int complain(const char *file)
{
    (void)fprintf(stderr, PROGRAM ": %s: %s\n", SHOWN(file), strerror(errno));
    return EXIT_REFUSED;
}

static int write_file(const char *file, const char *bytes, size_t n)
{
    FILE *stream = fopen(file, "we");
    bool is_written;

    if (!stream)
        return complain(file);
    is_written = fwrite(bytes, 1, n, stream) == n;
    if (fclose(stream) != 0 || !is_written)
        return complain(file);
    return EXIT_SUCCESS;
}

/* Line by line, so that line feeds stay. */
static int write_safely(const char *bytes, size_t n)
{
    AUTO_TEXT struct text safe = {0};

    for (size_t i = 0; i < n;) {
        const char *end = memchr(bytes + i, '\n', n - i);
        const size_t length = end ? (size_t)(end - (bytes + i)) : n - i;

        safe_text_append(&safe, bytes + i, length);
        if (end)
            text_append_char(&safe, '\n');
        i += length + 1;
    }
    if (text_error(&safe) < 0)
        return command_fail(-ENOMEM);
    (void)fwrite(safe.data ? safe.data : "", 1, safe.length, stdout);
    return EXIT_SUCCESS;
}

/* Whether a file of this name can be made: only who has made it knows. */
static int try_to_make(const char *file)
{
    const int fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (fd < 0 && errno == EEXIST) /* a link to where there is nothing yet */
        return EXIT_SUCCESS;
    if (fd < 0)
        return complain(file);
    (void)close(fd);
    (void)unlink(file);
    return EXIT_SUCCESS;
}

/* What is there is not opened: the reader of a pipe would take that for all that comes. */
int profile_output_try(const char *file)
{
    struct stat status;

    if (!file)
        return EXIT_SUCCESS;
    if (stat(file, &status) < 0)
        return errno == ENOENT ? try_to_make(file) : complain(file);
    if (S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return complain(file);
    }
    return faccessat(AT_FDCWD, file, W_OK, AT_EACCESS) < 0 ? complain(file) : EXIT_SUCCESS;
}

bool profile_output_is_terminal(const char *file)
{
    return !file && isatty(STDOUT_FILENO) == 1;
}

int profile_output(const char *file, const char *bytes, size_t n)
{
    if (file)
        return write_file(file, bytes, n);
    if (profile_output_is_terminal(file))
        return write_safely(bytes, n);
    (void)fwrite(bytes, 1, n, stdout); /* what went wrong is found at the end of the program */
    return EXIT_SUCCESS;
}
