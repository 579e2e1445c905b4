/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Who has files read says how a worker does it, and what it may take. Tests let workers do what no
 * file can make them do, and do not wait as long.
 */

#include "reader/reader_worker.h"

/*
 * Forks the process. Call it at the start of the program, while there is one thread: what the
 * caller has in memory by then is in the memory of the process, too. The process ends with the
 * reader, or with us. 0 or -errno.
 */
int object_reader_new_for(const struct reader_work *wanted, struct object_reader **ret_reader);
