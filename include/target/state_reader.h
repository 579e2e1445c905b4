/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "reader/object_reader.h"

/*
 * A reader of the state files that programs of the host keep of their containers and machines: who
 * names a pod or a machine chooses what stands in them. As object_reader_new_for() says; 0 or
 * -errno.
 */
int state_reader_new(struct object_reader **ret_reader);
