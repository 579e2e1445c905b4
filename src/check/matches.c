/* SPDX-License-Identifier: Apache-2.0 */
#include "check/matches.h"

#include <stdio.h>
#include <string.h>

#include "check/cgroup_matches.h"
#include "check/process_matches.h"

static void print_failure(const char *what, int r)
{
    if (r < 0)
        (void)printf("  %s: cannot be looked at: %s\n", what, strerror(-r));
}

void check_print_matches(const char *path, const struct config *config,
                         const struct cgroup_root *root, int procfs_fd)
{
    (void)printf("what there is to be counted now\n");
    (void)printf("  the machine: %s\n",
                 config->system.enabled ? "yes" : "not counted, targets has no system");
    if (config->n_cgroups == 0)
        (void)printf("  cgroups: not counted, targets has no cgroups\n");
    else if (root->fd < 0)
        (void)printf("  cgroups: none, no cgroup file system is found here\n");
    else
        print_failure("cgroups", check_print_cgroup_matches(path, config, root));
    if (config->n_processes > 0)
        print_failure("processes", check_print_process_matches(path, config, procfs_fd));
}
