/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "reader/worker_job.h"

/* What a worker does: it reads a question, looks into the program, and writes the answer. */
int probe_work(const struct worker_job *job);
