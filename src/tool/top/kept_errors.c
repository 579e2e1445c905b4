/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/top/kept_errors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"

int kept_errors_begin(struct kept_errors *errors)
{
    int ends[2];

    *errors = (struct kept_errors){-1, -1};
    /* It does not block: who writes to a full pipe loses the text, as the log expects. */
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
        return -errno;
    errors->before = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    if (errors->before < 0 || dup2(ends[1], STDERR_FILENO) < 0) {
        (void)close(ends[0]);
        (void)close(ends[1]);
        cleanup_close(&errors->before);
        errors->before = -1;
        return -errno;
    }
    (void)close(ends[1]);
    errors->kept = ends[0];
    return 0;
}

void kept_errors_end(struct kept_errors *errors)
{
    char bytes[4096];
    ssize_t n;

    if (errors->before < 0)
        return;
    (void)fflush(stderr);
    (void)dup2(errors->before, STDERR_FILENO);
    while ((n = read(errors->kept, bytes, sizeof(bytes))) > 0)
        if (write(STDERR_FILENO, bytes, (size_t)n) < n)
            break;
    cleanup_close(&errors->before);
    cleanup_close(&errors->kept);
    *errors = (struct kept_errors){-1, -1};
}
