/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a worker does to make a perf map (perf_map_parse()). */

#include "profile/object_worker.h"

int map_work(const struct worker_job *job);
