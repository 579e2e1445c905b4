/* SPDX-License-Identifier: Apache-2.0 */
#include "reader/reader_question.h"

#include <errno.h>
#include <sys/mman.h>

#include "base/cleanup.h"

int reader_question_write(const struct iovec *parts, int n)
{
    AUTO_CLOSE int fd = memfd_create("question", MFD_CLOEXEC);
    size_t size = 0;

    if (fd < 0)
        return -errno;
    for (int i = 0; i < n; i++)
        size += parts[i].iov_len;
    if (writev(fd, parts, n) != (ssize_t)size)
        return -EIO;
    return TAKE_FD(fd);
}
