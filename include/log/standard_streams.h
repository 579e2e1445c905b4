/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Standard input, output and error, as whoever started us left them: closed, full, a pipe that
 * nobody reads. None of it may end us, hold us up, or have a line of the log go where it does not
 * belong.
 */

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/*
 * First of all in a program: opens those that are closed on /dev/null, since the next file or
 * connection would take their numbers, and ignores the signals by which a write that fails would
 * end or stop us (SIGPIPE, SIGXFSZ, SIGTTOU).
 */
void standard_streams_prepare(void);

/*
 * Writes to a stream what fits, without waiting: the number of bytes; -EAGAIN: nobody reads, or
 * not fast enough; -EPIPE: nobody will; -ENOSPC, -EFBIG and their kin. At most PIPE_BUF bytes go
 * into a pipe whole or not at all.
 */
ssize_t stream_write_at_once(int fd, const char *bytes, size_t length);

/*
 * Writes what a stream still holds back. 0, also where the reader has gone; -errno: what was
 * printed is not complete.
 */
int stream_flush(FILE *stream);
