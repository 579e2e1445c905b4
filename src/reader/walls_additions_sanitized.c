/* SPDX-License-Identifier: Apache-2.0 */

/* What the run-time libraries of sanitizers call, also while they tell what they have found. */
#include <seccomp.h>

#include "base/cleanup.h"
#include "reader/walls_additions.h"

const int wall_additions[] = {
    SCMP_SYS(futex),       SCMP_SYS(getpid),         SCMP_SYS(gettid),      SCMP_SYS(getrusage),
    SCMP_SYS(openat),      SCMP_SYS(prctl),          SCMP_SYS(prlimit64),   SCMP_SYS(rt_sigaction),
    SCMP_SYS(sched_yield), SCMP_SYS(rt_sigprocmask), SCMP_SYS(sigaltstack), SCMP_SYS(tgkill),
};
const size_t n_wall_additions = ARRAY_SIZE(wall_additions);
const bool walls_limit_addresses = false;
const bool walls_keep_errors = true;
