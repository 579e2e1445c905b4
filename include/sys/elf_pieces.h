/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A section of an ELF file, read piece by piece: whoever owns a program chooses how large its
 * tables are, and is not to choose how much memory we take.
 */

#include <errno.h>
#include <gelf.h>
#include <stdint.h>

#include "sys/elf_image.h"

#define ELF_LARGEST_TABLE ((uint64_t)128 << 20) /* bytes of a section that is read in pieces */

struct elf_pieces {
    int fd;            /* borrowed */
    uint64_t position; /* where the section begins in the file, in bytes */
    uint64_t size;     /* of the section, in bytes */
    size_t piece;      /* how many bytes are read at once */
    char *bytes;       /* has room for a piece, which was read last */
    uint64_t offset;   /* where that piece begins in the section */
    size_t n;          /* how many bytes it has */
};

/*
 * Begins to read a section, of which `piece` bytes are read at once. ELF_FOUND; another
 * enum elf_outcome; -ENOMEM. elf_pieces_done() may be called after any of them.
 */
int elf_pieces_init(struct elf_pieces *pieces, int fd, const GElf_Shdr *header, size_t piece);
void elf_pieces_done(struct elf_pieces *pieces);

/*
 * n bytes, at most a piece, from this offset of the section. They are there until the next call.
 * NULL: the section or the file has no such bytes, or they cannot be read.
 */
const char *elf_pieces_get(struct elf_pieces *pieces, uint64_t offset, size_t n);
