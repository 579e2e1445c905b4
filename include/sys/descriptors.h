/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The limit of open files. */

#include <stdint.h>

/* Raises the soft limit to the hard one; tells what it is then. 0 or -errno. */
int descriptors_raise_limit(uint64_t *ret_limit);
