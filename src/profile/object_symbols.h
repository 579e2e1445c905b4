/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The symbols of a table that stand for code. Their table and their names are read piece by piece,
 * however large they are.
 */

#include "profile/object_file.h"
#include "sys/elf_pieces.h"

struct object_symbols {
    uint64_t n;
    struct elf_pieces entries;
    struct elf_pieces strings;
};

struct object_symbol {
    uint64_t address; /* p_vaddr */
    uint64_t size;
    uint64_t name;         /* its place among the names */
    unsigned char binding; /* STB_… */
    bool is_function;      /* else its kind is not told, as that of assembler's */
};

/*
 * Begins to read the table of this kind: SHT_SYMTAB, SHT_DYNSYM. OBJECT_READ or -ENOMEM; one that
 * cannot be read, or is not there, has no symbols.
 */
int object_symbols_open(const struct object_file *file, uint32_t type,
                        struct object_symbols *ret_symbols);
void object_symbols_done(struct object_symbols *symbols);

#define AUTO_OBJECT_SYMBOLS __attribute__((cleanup(object_symbols_done)))

/* Reads a symbol. False: it stands for no code of this file, or cannot be read. */
bool object_symbols_get(struct object_symbols *symbols, uint64_t index,
                        struct object_symbol *ret_symbol);

/* Its name, cut to OBJECT_SYMBOL_MOST bytes, until the next call. NULL: it cannot be read. */
#define OBJECT_SYMBOL_MOST 4096
const char *object_symbols_name(struct object_symbols *symbols, const struct object_symbol *symbol,
                                size_t *ret_length);
