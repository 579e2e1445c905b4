/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/text.h"

/*
 * Appends the bytes of a path that the label of a cgroup stands for: a label that begins with %/ is
 * percent-encoded (target/cgroup_path.h).
 */
void top_name_append_raw(struct text *text, const char *label);
