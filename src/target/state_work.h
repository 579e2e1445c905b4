/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "reader/worker_job.h"

/* What the walls would keep it from: jansson draws the seed of its tables from a file. */
void state_work_prepare(enum object_job_kind kind);

/* What a worker does: it reads a question and the text behind it, and writes the answer. */
int state_work(const struct worker_job *job);
