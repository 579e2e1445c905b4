/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/small_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

static int read_to_end(int fd, char *ret_text, size_t size)
{
    size_t length = 0;

    while (length < size) {
        ssize_t n = TEMP_FAILURE_RETRY(read(fd, ret_text + length, size - length));

        if (n < 0)
            return -errno;
        if (n == 0) {
            ret_text[length] = '\0';
            return strlen(ret_text) == length ? 0 : -EINVAL;
        }
        length += (size_t)n;
    }
    return -EFBIG;
}

/*
 * The kernel's file systems have plain files here. A link could lead anywhere, and a pipe would
 * make us wait for its writer.
 */
#define PLAIN_FILE (O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)

int small_file_read(int directory_fd, const char *path, char *ret_text, size_t size)
{
    AUTO_CLOSE int fd = (int)TEMP_FAILURE_RETRY(openat(directory_fd, path, PLAIN_FILE));

    if (fd < 0)
        return -errno;
    return read_to_end(fd, ret_text, size);
}

DIR *small_file_list(int directory_fd, const char *path)
{
    AUTO_CLOSE int fd =
        (int)TEMP_FAILURE_RETRY(openat(directory_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    DIR *directory;

    if (fd < 0)
        return NULL;
    directory = fdopendir(fd);
    if (directory)
        (void)TAKE_FD(fd);
    return directory;
}
