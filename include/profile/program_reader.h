/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "reader/object_reader.h"

/* A reader of programs, libraries and perf maps, as object_reader_new_for() says. 0 or -errno. */
int program_reader_new(struct object_reader **ret_reader);
