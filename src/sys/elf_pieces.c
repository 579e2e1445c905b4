/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/elf_pieces.h"

#include <string.h>
#include <unistd.h>

void elf_pieces_done(struct elf_pieces *pieces)
{
    free(pieces->bytes);
    *pieces = (struct elf_pieces){.fd = -1};
}

int elf_pieces_init(struct elf_pieces *pieces, int fd, const GElf_Shdr *header, size_t piece)
{
    *pieces = (struct elf_pieces){.fd = -1};
    if (header->sh_type == SHT_NOBITS || (header->sh_flags & SHF_COMPRESSED))
        return ELF_NO_PROGRAM;
    if (header->sh_size > ELF_LARGEST_TABLE)
        return ELF_TOO_LARGE;
    if (header->sh_offset > INT64_MAX - ELF_LARGEST_TABLE)
        return ELF_NO_PROGRAM;
    pieces->bytes = malloc(piece);
    if (!pieces->bytes)
        return -ENOMEM;
    pieces->fd = fd;
    pieces->position = header->sh_offset;
    pieces->size = header->sh_size;
    pieces->piece = piece;
    return ELF_FOUND;
}

/* Reads the piece that begins there. False: the file ends before `n` bytes of it, or an error. */
static bool read_piece(struct elf_pieces *pieces, uint64_t offset, size_t n)
{
    const uint64_t left = pieces->size - offset;
    const size_t wanted = left < pieces->piece ? (size_t)left : pieces->piece;

    pieces->offset = offset;
    pieces->n = 0;
    while (pieces->n < n) {
        const ssize_t got =
            TEMP_FAILURE_RETRY(pread(pieces->fd, pieces->bytes + pieces->n, wanted - pieces->n,
                                     (off_t)(pieces->position + offset + pieces->n)));

        if (got <= 0)
            return false;
        pieces->n += (size_t)got;
    }
    return true;
}

const char *elf_pieces_get(struct elf_pieces *pieces, uint64_t offset, size_t n)
{
    if (n > pieces->piece || n > pieces->size || offset > pieces->size - n)
        return NULL;
    if ((offset < pieces->offset || offset + n > pieces->offset + pieces->n) &&
        !read_piece(pieces, offset, n))
        return NULL;
    return pieces->bytes + (offset - pieces->offset);
}
