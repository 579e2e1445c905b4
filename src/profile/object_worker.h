/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "reader/worker_job.h"

/* Does what the service asks for, by the kind of the job. */
int object_worker_run(const struct worker_job *job);
