/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "reader/worker_job.h"

/* What a worker does: it reads a text of YAML, scans it, and writes what it has found. */
int yaml_work(const struct worker_job *job);
