/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What the rules of a configuration match on this machine now, for `pmutool check config`: how
 * many each takes and the first few, and a warning for a rule that takes nothing but would with a
 * small change, or takes nothing since others come first.
 */

#include <stdbool.h>
#include <stddef.h>

#include "config/config.h"
#include "sys/cgroup_root.h"

/* Prints it all. root->fd is -1 where there are no cgroups, procfs_fd where there is no /proc. */
void config_print_matches(const char *path, const struct config *config,
                          const struct cgroup_root *root, int procfs_fd);

/* Of the cgroups, and of the processes. 0 or -errno: they cannot be looked at. */
int config_print_cgroup_matches(const char *path, const struct config *config,
                                const struct cgroup_root *root);
int config_print_process_matches(const char *path, const struct config *config, int procfs_fd);

/* One line of the list: the first few of those that one rule takes. */
struct match_list {
    char shown[512]; /* the first few names, each once */
    size_t n_shown;
    bool has_more; /* names */
    size_t n;      /* that it takes */
    size_t n_lost; /* that it would take, did not rules before it */
};

/* Adds one that the rule takes. */
void match_list_add(struct match_list *list, const char *name);
void match_list_print(const struct match_list *list, const char *what, size_t rule);
