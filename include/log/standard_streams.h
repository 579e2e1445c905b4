/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Standard input, output and error. Whoever started us may have left them closed or full, or as a
 * pipe that nobody reads. None of this may end the program, hold it up, or let a line of the log go
 * into a file where it does not belong.
 */

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/*
 * To be called before all else in a program. Opens /dev/null for each of the three that is closed,
 * since the next file or connection would take its number. Ignores the signals by which a write
 * that fails would end or stop the program (SIGPIPE, SIGXFSZ, SIGTTOU).
 */
void standard_streams_prepare(void);

/*
 * Writes to a stream what fits, without waiting. Up to PIPE_BUF bytes go into a pipe whole or not
 * at all. Returns how many bytes were written; -EAGAIN: there is no room, since nobody reads or not
 * fast enough; -EPIPE: the reader has gone; or another -errno of write(2), as -ENOSPC.
 */
ssize_t stream_write_at_once(int fd, const char *bytes, size_t length);

/*
 * Writes what a stream still buffers. 0, also where the reader has gone, which may have read
 * enough; -errno: what was printed is not complete.
 */
int stream_flush(FILE *stream);
