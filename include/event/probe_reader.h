/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "reader/object_reader.h"

/*
 * A reader of the programs that probes are on, whose owners choose what stands in them. As
 * object_reader_new_for() says; 0 or -errno.
 */
int probe_reader_new(struct object_reader **ret_reader);
