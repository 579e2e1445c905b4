/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What one rule takes, as a line of the list that `check config` prints. */

#include <stdbool.h>
#include <stddef.h>

struct match_list {
    char shown[512]; /* the first few names, each once */
    size_t n_shown;
    bool has_more;    /* some names are not among those that are shown */
    size_t n;         /* how many cgroups or processes the rule takes */
    size_t n_targets; /* a cgroup is one, and so are the processes that have one name */
    size_t n_lost;    /* how many it matches that belong to rules before it */
};

/* Adds the name of something that the rule takes. */
void match_list_add(struct match_list *list, const char *name);

/* what: "cgroups", "processes"; rule: its index, which is printed as counted from 1. */
void match_list_print(const struct match_list *list, const char *what, size_t rule);
