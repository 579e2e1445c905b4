/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "profile/frame_section.h"

/* Adds the range of each entry (FDE). 0 or -ENOMEM; entries that are damaged are left out. */
int frame_list_read(const struct frame_section *section, struct code_ranges *ranges);
