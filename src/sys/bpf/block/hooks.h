/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The tracepoints that a request to a block device passes. */

#include <stdbool.h>

/*
 * Whether they are there, with the arguments that they have since Linux 5.11 and 5.10.137: before,
 * the queue stood before the request.
 */
bool block_has_hooks(void);
