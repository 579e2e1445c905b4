/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <sys/uio.h>

/*
 * Memory that has these parts, one behind the other, to be handed to a worker. The descriptor,
 * which the caller closes, or -errno.
 */
int reader_question_write(const struct iovec *parts, int n);
