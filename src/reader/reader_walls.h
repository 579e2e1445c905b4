/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What keeps a worker from doing anything but reading its file and writing its result. */

#include "reader/reader_limits.h"

/*
 * Puts limits on this process and allows it a few system calls; any other one kills it. There is no
 * way back. 0 or -errno.
 */
int reader_walls_raise(const struct reader_limits *limits);
