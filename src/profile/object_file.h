/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A program or library in the hands of a worker. The file is read by pread and is never mapped:
 * whoever owns it may cut it off meanwhile.
 */

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

#include "profile/code_ranges.h"
#include "profile/object_table.h"

struct object_file {
    int fd; /* borrowed */
    Elf *elf;
    uint16_t machine; /* EM_X86_64 or EM_AARCH64 */
    uint64_t base;    /* as of a table */
    struct object_segment segments[OBJECT_SEGMENTS_MOST];
    size_t n_segments;
};

/*
 * Looks at the head of a file. OBJECT_READ or another enum object_outcome; object_file_done() may
 * be called after any of them.
 */
int object_file_open(int fd, struct object_file *ret_file);

/* Finds the base and the executable segments, of which a file of debug symbols has none. */
int object_file_read_segments(struct object_file *file);

/* Copies the build-id, which has OBJECT_BUILD_ID_MOST bytes at most. Its bytes; 0: none. */
size_t object_file_build_id(const struct object_file *file, uint8_t *ret_id);

/* Whether two files are told to be of the same build. */
bool object_file_is_same_build(const struct object_file *a, const struct object_file *b);
void object_file_done(struct object_file *file);

#define AUTO_OBJECT_FILE __attribute__((cleanup(object_file_done)))

/*
 * Where `size` bytes at this address (p_vaddr) are, cut at the end of their segment. False: the
 * address is in no executable segment, or the range is empty.
 */
bool object_file_locate(const struct object_file *file, uint64_t address, uint64_t size,
                        struct code_range *ret_range);

/* The section of this name. NULL: there is none. */
Elf_Scn *object_file_find_section(const struct object_file *file, const char *name,
                                  GElf_Shdr *ret_header);

/* The section of this kind (SHT_…). */
Elf_Scn *object_file_find_table(const struct object_file *file, uint32_t type,
                                GElf_Shdr *ret_header);

/*
 * The sections in which calls to other files stand, as ranges. n: of OBJECT_PLT_MOST. Returns how
 * many there are.
 */
#define OBJECT_PLT_MOST 3
size_t object_file_find_plt(const struct object_file *file, struct code_range ret_ranges[]);
