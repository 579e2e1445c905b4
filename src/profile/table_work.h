/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a worker does to make a table (object_table_parse()). */

#include "profile/object_worker.h"

int table_work(const struct worker_job *job);
