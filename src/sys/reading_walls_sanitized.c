/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/reading_walls.h"

/* A sanitizer reads the program and its mappings to name what it reports. */
const bool reading_is_walled = false;
