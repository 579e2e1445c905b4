/* SPDX-License-Identifier: Apache-2.0 */
#include "check/match_list.h"

#include <stdio.h>
#include <string.h>

#include "check/notes.h"
#include "config/config_error.h"

#define MOST_SHOWN 5

void match_list_add(struct match_list *list, const char *name)
{
    const size_t used = strlen(list->shown);
    const char *shown = SHOWN(name); /* strangers choose names */

    list->n++;
    if (strstr(list->shown, shown))
        return;
    if (list->n_shown == MOST_SHOWN || used + strlen(shown) + 3 > sizeof(list->shown)) {
        list->has_more = true;
        return;
    }
    (void)snprintf(list->shown + used, sizeof(list->shown) - used, "%s%s",
                   list->n_shown ? ", " : "", shown);
    list->n_shown++;
}

void match_list_print(const struct match_list *list, const char *what, size_t rule)
{
    (void)printf("  %s, rule %zu: ", what, rule + 1);
    if (list->n)
        (void)printf("%zu now, %s%s", list->n, list->shown, list->has_more ? " and others" : "");
    else
        (void)printf("none now");
    if (list->n_lost)
        (void)printf("; %zu that it matches belong to rules before it", list->n_lost);
    (void)printf("\n");
}

static void print_failure(const char *what, int r)
{
    if (r < 0)
        (void)printf("  %s: cannot be looked at: %s\n", what, strerror(-r));
}

void config_print_matches(const char *path, const struct config *config,
                          const struct cgroup_root *root, int procfs_fd)
{
    (void)printf("what is there to be counted now\n");
    (void)printf("  the machine: %s\n",
                 config->system.enabled ? "yes" : "not counted, targets has no system");
    if (config->n_cgroups == 0)
        (void)printf("  cgroups: not counted, targets has no cgroups\n");
    else if (root->fd < 0)
        (void)printf("  cgroups: none, no cgroup file system is found here\n");
    else
        print_failure("cgroups", config_print_cgroup_matches(path, config, root));
    if (config->n_processes > 0)
        print_failure("processes", config_print_process_matches(path, config, procfs_fd));
}
