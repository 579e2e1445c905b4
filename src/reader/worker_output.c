/* SPDX-License-Identifier: Apache-2.0 */
#include "reader/worker_output.h"

#include <errno.h>
#include <unistd.h>

#include "reader/object_reader.h"

int worker_output_write(int fd, const void *bytes, size_t n)
{
    const char *rest = bytes;

    while (n > 0) {
        const ssize_t written = TEMP_FAILURE_RETRY(write(fd, rest, n));

        if (written < 0)
            return -errno;
        rest += written;
        n -= (size_t)written;
    }
    return OBJECT_READ;
}
