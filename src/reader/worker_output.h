/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stddef.h>

/* Writes all of it to a descriptor. OBJECT_READ or -errno. */
int worker_output_write(int fd, const void *bytes, size_t n);
