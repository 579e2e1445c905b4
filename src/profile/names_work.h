/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a worker does to make names (object_names_parse()). */

#include "profile/object_worker.h"

int names_work(const struct worker_job *job);
