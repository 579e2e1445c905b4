/* SPDX-License-Identifier: Apache-2.0 */
#include "check/match_list.h"

#include <stdio.h>
#include <string.h>

#include "config/config_error.h"

#define MOST_SHOWN 5

void match_list_add(struct match_list *list, const char *name)
{
    const size_t used = strlen(list->shown);
    const char *shown = SHOWN(name); /* strangers choose names: they are escaped */

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
