/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/object_symbols.h"

#include <string.h>

#include "reader/object_reader.h"

#define PIECE ((size_t)64 << 10)

void object_symbols_done(struct object_symbols *symbols)
{
    elf_pieces_done(&symbols->entries);
    elf_pieces_done(&symbols->strings);
}

/* ELF_FOUND, another enum elf_outcome, or -ENOMEM. */
static int begin(const struct object_file *file, const GElf_Shdr *header,
                 struct object_symbols *symbols)
{
    GElf_Shdr names;
    Elf_Scn *section = elf_getscn(file->elf, header->sh_link);
    int r;

    if (!section || !gelf_getshdr(section, &names) || names.sh_type != SHT_STRTAB)
        return ELF_NO_PROGRAM;
    r = elf_pieces_init(&symbols->strings, file->fd, &names, OBJECT_SYMBOL_MOST);
    if (r == ELF_FOUND)
        r = elf_pieces_init(&symbols->entries, file->fd, header, PIECE);
    return r;
}

int object_symbols_open(const struct object_file *file, uint32_t type,
                        struct object_symbols *ret_symbols)
{
    GElf_Shdr header;
    int r;

    *ret_symbols = (struct object_symbols){0};
    if (!object_file_find_table(file, type, &header))
        return OBJECT_READ;
    r = begin(file, &header, ret_symbols);
    if (r == ELF_FOUND)
        ret_symbols->n = header.sh_size / sizeof(Elf64_Sym);
    return r < 0 ? r : OBJECT_READ;
}

bool object_symbols_get(struct object_symbols *symbols, uint64_t index,
                        struct object_symbol *ret_symbol)
{
    const size_t size = sizeof(Elf64_Sym);
    const char *bytes = elf_pieces_get(&symbols->entries, index * size, size);
    unsigned char type;
    Elf64_Sym symbol;

    if (!bytes)
        return false;
    memcpy(&symbol, bytes, size);
    type = ELF64_ST_TYPE(symbol.st_info);
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_ABS ||
        (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE))
        return false;
    *ret_symbol = (struct object_symbol){
        .address = symbol.st_value,
        .size = symbol.st_size,
        .name = symbol.st_name,
        .binding = ELF64_ST_BIND(symbol.st_info),
        .is_function = type != STT_NOTYPE,
    };
    return true;
}

const char *object_symbols_name(struct object_symbols *symbols, const struct object_symbol *symbol,
                                size_t *ret_length)
{
    const uint64_t size = symbols->strings.size;
    const uint64_t left = symbol->name < size ? size - symbol->name : 0;
    const size_t n = left < OBJECT_SYMBOL_MOST ? (size_t)left : OBJECT_SYMBOL_MOST;
    const char *name = n > 0 ? elf_pieces_get(&symbols->strings, symbol->name, n) : NULL;

    if (name)
        *ret_length = strnlen(name, n);
    return name;
}
