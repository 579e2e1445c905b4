/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/object_worker.h"

#include "profile/code_work.h"
#include "profile/map_work.h"
#include "profile/names_work.h"
#include "profile/table_work.h"

int object_worker_run(const struct worker_job *job)
{
    switch (job->kind) {
    case OBJECT_JOB_TABLE:
        return table_work(job);
    case OBJECT_JOB_NAMES:
        return names_work(job);
    case OBJECT_JOB_MAP:
        return map_work(job);
    case OBJECT_JOB_CODE:
        return code_work(job);
    default:
        return OBJECT_FAILED;
    }
}
