/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the labels of cgroups say of who contains whom (target/cgroup_path.h: their two forms). */

#include <stdbool.h>
#include <stddef.h>

/* Whether the cgroup of label `part` is that of label `whole`, or below it. */
bool cgroup_label_contains(const char *whole, const char *part);

/* How many bytes at the beginning are the top-level cgroup: of "/a/b" 2. */
size_t cgroup_label_top(const char *label);

/* How many bytes at the beginning are the cgroup above it: of "/a/b" 2, of "/a" 0. */
size_t cgroup_label_parent(const char *label);
