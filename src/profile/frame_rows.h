/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "profile/frame_section.h"
#include "profile/row_list.h"

/*
 * Adds the rows of each function of a section. Between functions there is none, and neither where
 * libdw does not understand what is said. OBJECT_READ; OBJECT_TOO_LARGE; -ENOMEM.
 */
int frame_rows_add(const struct frame_section *section, const struct code_ranges *functions,
                   struct row_list *list);
