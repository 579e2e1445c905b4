/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The section of a file that says how frames are unwound: .eh_frame, or else .debug_frame. */

#include <elfutils/libdw.h>

#include "profile/code_ranges.h"
#include "profile/object_file.h"

struct frame_section {
    const struct object_file *file; /* borrowed */
    Dwarf_CFI *cfi;                 /* NULL: there is no such section */
    Elf_Data *data;
    uint64_t address; /* of its first byte */
    bool is_eh;       /* .eh_frame */
    Dwarf *dwarf;     /* owns cfi, if it is a .debug_frame */
    Elf *copy;        /* a file in memory that has nothing else */
    char *bytes;      /* of that file */
};

/* Both open a section; whether it was there is told by `cfi`. 0 or -ENOMEM. */
int frame_section_open_eh(const struct object_file *file, struct frame_section *ret_section);
int frame_section_open_debug(const struct object_file *file, struct frame_section *ret_section);
void frame_section_done(struct frame_section *section);

#define AUTO_FRAME_SECTION __attribute__((cleanup(frame_section_done)))
