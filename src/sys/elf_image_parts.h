/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the files share that look into a program: elf_image.c opens it, others find things in it. */

#include <gelf.h>

#include "sys/elf_image.h"

#define ELF_MOST_LISTED 100000 /* names that are shown to a visitor */

struct elf_image {
    int fd; /* borrowed */
    Elf *elf;
    size_t n_segments;
};

/* A table of strings; the last byte is NUL. */
struct elf_strings {
    const char *text;
    size_t size;
};

/* The string at an offset; empty where the offset lies outside. */
static inline const char *elf_string(const struct elf_strings *strings, uint64_t offset)
{
    return offset < strings->size ? strings->text + offset : "";
}

/*
 * Where in the file an address is, in a segment that is loaded with all of these flags (PF_X).
 * False: in none.
 */
bool elf_image_locate(const struct elf_image *image, uint64_t address, uint32_t flags,
                      uint64_t *ret_position);

/* The first section of a type (0: of any) and a name (NULL: of any). NULL: there is none. */
Elf_Scn *elf_image_find_section(const struct elf_image *image, uint32_t type, const char *name,
                                GElf_Shdr *ret_header);

/* Reads the content of that section. ELF_MISSING: there is none; another enum elf_outcome. */
int elf_image_read_table(const struct elf_image *image, uint32_t type, const char *name,
                         Elf_Data **ret_data, GElf_Shdr *ret_header);

/* Reads the section of this index, which has to be a table of strings. */
int elf_image_read_strings(const struct elf_image *image, size_t index, struct elf_strings *ret);
