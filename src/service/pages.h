/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* All that the service shows over HTTP, and what may be asked of it: the routes of all groups. */

#include <stdbool.h>

#include "service/page_group.h"

/* Returns 0 or -ENOMEM. The pages are ended with pages_done(), after the server that shows them. */
int pages_init(struct pages *pages, const struct pages_sources *sources);
void pages_done(struct pages *pages);

/* Returns the table for the server; it is valid as long as the pages stay where they are. */
struct route_table pages_table(struct pages *pages);

/* Tells whether a path belongs to a route other than that of the metrics, whose path is free. */
bool pages_has_path(const char *path);
