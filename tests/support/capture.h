/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a test has written to standard output or standard error meanwhile. */
#include "support/check.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

struct capture {
    int fd;    /* STDOUT_FILENO or STDERR_FILENO */
    int saved; /* what stands there when nothing is captured */
    char text[32768];
};

/* From now on what is written there goes into a file in memory. */
static inline void capture_begin(struct capture *capture, int fd)
{
    const int file = memfd_create("capture", MFD_CLOEXEC);

    (void)fflush(stdout);
    capture->fd = fd;
    capture->saved = dup(fd);
    assert_true(file >= 0 && capture->saved >= 0);
    assert_true(dup2(file, fd) >= 0);
    assert_int_equal(close(file), 0);
}

/* Returns what was written, which holds until the next capture. */
static inline const char *capture_end(struct capture *capture)
{
    ssize_t n;

    (void)fflush(stdout);
    n = pread(capture->fd, capture->text, sizeof(capture->text) - 1, 0);
    assert_true(n >= 0);
    capture->text[n] = '\0';
    assert_true(dup2(capture->saved, capture->fd) >= 0);
    assert_int_equal(close(capture->saved), 0);
    return capture->text;
}
