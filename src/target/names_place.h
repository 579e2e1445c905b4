/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Which part of a cgroup's path programs of the host have made. Below a unit or a container, who
 * runs in it may make cgroups of any name (a container with systemd, a service with Delegate=), and
 * would so take the names of another container, machine or job.
 */

#include <stdbool.h>
#include <stddef.h>

/* Whether cgroups below one of this name are made by who runs in it. */
bool names_begin_inner(const char *name, size_t n);

/* How long the part of the path is: to the end of the first unit or container. */
size_t names_host_part(const char *path);

/*
 * Whether the cgroup is in the slice of a user, who may make cgroups of any name there. A process
 * has a path that begins with "/.." where the exporter has a cgroup namespace.
 */
bool names_are_of_a_user(const char *path);
