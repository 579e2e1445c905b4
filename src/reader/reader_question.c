/* SPDX-License-Identifier: Apache-2.0 */
#include "reader/reader_question.h"

#include <errno.h>
#include <sys/mman.h>

#include "base/cleanup.h"

int reader_question_write(const struct iovec *parts, int n)
{
    AUTO_CLOSE int fd = memfd_create("question", MFD_CLOEXEC);
    size_t size = 0;
    ssize_t written;

    if (fd < 0)
        return -errno;
    for (int i = 0; i < n; i++)
        size += parts[i].iov_len;
    written = writev(fd, parts, n);
    if (written < 0)
        return -errno; /* -EFBIG: RLIMIT_FSIZE is for memory, too */
    return (size_t)written == size ? TAKE_FD(fd) : -EFBIG;
}
