/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/reading_walls.h"

const bool reading_is_walled = true;
