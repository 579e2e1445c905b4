/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A seam: tests let workers do what no file can make them do, and do not wait as long. */

#include "profile/reader_worker.h"

/* As object_reader_new(), with other work. */
int object_reader_new_for(const struct reader_work *work, struct object_reader **ret_reader);
