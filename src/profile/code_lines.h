/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Lines of source code, where a file, or its debug file, has debugging information (DWARF). */

#include <elfutils/libdw.h>
#include <stdint.h>

#include "profile/object_file.h"

struct code_lines {
    struct object_file debug; /* the debug file, if it is used */
    Dwarf *dwarf;             /* NULL: there is no such information */
    Dwarf_Die unit;           /* that has the function */
};

/*
 * Looks for the lines of a function that has this address (p_vaddr). debug_fd: a debug file, which
 * comes first if it is of the same build; or -1. Nothing is found where there is nothing, or no
 * memory for it.
 */
void code_lines_open(const struct object_file *file, int debug_fd, uint64_t address,
                     struct code_lines *ret_lines);
void code_lines_done(struct code_lines *lines);

#define AUTO_CODE_LINES __attribute__((cleanup(code_lines_done)))

/* The line of an address, and its file, which is borrowed. 0: it is not known. */
uint32_t code_lines_find(struct code_lines *lines, uint64_t address, const char **ret_file);
