/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What the path of a cgroup tells of a job of Slurm. Slurm's cgroups are
 * slurmstepd.scope/job_N/step_N below a slice of systemd (version 2; NODE_slurmstepd.scope where a
 * machine plays several nodes), or slurm/uid_N/job_N/step_N (version 1; slurm_NODE). A step is a
 * number, or "batch", "extern" or "interactive".
 */

#include <sys/types.h>

#include "target/names.h"

struct slurm_place {
    bool has_user;
    uid_t user;
};

/* Whether this is the cgroup of a job, or is below one; then adds what the path tells. */
bool names_parse_slurm(const char *path, struct slurm_place *ret_place, struct names *names);
