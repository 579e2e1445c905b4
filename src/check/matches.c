/* SPDX-License-Identifier: Apache-2.0 */
#include "check/matches.h"

#include <string.h>

#include "check/cgroup_matches.h"
#include "check/process_matches.h"

static void print_failure(const struct check_output *output, const char *what, int r)
{
    if (r < 0)
        check_say(output, "  %s: cannot be looked at: %s\n", what, strerror(-r));
}

void check_print_matches(struct check_output *output, const struct config *config,
                         const struct cgroup_root *root, int procfs_fd)
{
    check_say(output, "what there is to be counted now\n");
    check_say(output, "  the machine: %s\n",
              config->system.enabled ? "yes" : "not counted, targets has no system");
    if (config->n_cgroups == 0)
        check_say(output, "  cgroups: not counted, targets has no cgroups\n");
    else if (root->fd < 0)
        check_say(output, "  cgroups: none, no cgroup file system is found here\n");
    else
        print_failure(output, "cgroups", check_print_cgroup_matches(output, config, root));
    if (config->n_processes > 0)
        print_failure(output, "processes", check_print_process_matches(output, config, procfs_fd));
}
