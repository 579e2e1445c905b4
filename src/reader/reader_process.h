/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "reader/reader_worker.h"

/*
 * The life of the process that forks workers: it takes one request after the other from the socket,
 * and ends when nobody holds the other end.
 */
_Noreturn void reader_process_run(int socket, const struct reader_work *work);
