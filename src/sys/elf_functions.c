/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Functions of a program by their symbols. A stripped program has .dynsym only, where the functions
 * are that it offers to others.
 */
#include <string.h>

#include "sys/elf_image_parts.h"

#define LONGEST_SHOWN 255 /* a name that is longer is nothing that somebody mistyped */
#define VERSION_IS_HIDDEN                                                                          \
    0x8000 /* of an entry of .gnu.version: not the version that links take                         \
            */

/* The symbols of one table. */
struct symbols {
    Elf_Data *data;
    Elf_Data *versions; /* one of each symbol of .dynsym; NULL: it has none */
    size_t n;
    struct elf_strings strings;
};

/* How well a symbol answers to a name: the greater, the better. */
enum rank { RANK_NONE, RANK_LOCAL, RANK_OLD_VERSION, RANK_GLOBAL };

static int read_symbols(const struct elf_image *image, uint32_t type, struct symbols *ret_symbols)
{
    struct symbols symbols = {0};
    GElf_Shdr header, versions;
    int r = elf_image_read_table(image, type, NULL, &symbols.data, &header);

    if (r != ELF_FOUND)
        return r;
    r = elf_image_read_strings(image, header.sh_link, &symbols.strings);
    if (r != ELF_FOUND)
        return r;
    symbols.n = symbols.data->d_size / gelf_fsize(image->elf, ELF_T_SYM, 1, EV_CURRENT);
    if (type == SHT_DYNSYM && elf_image_read_table(image, SHT_GNU_versym, NULL, &symbols.versions,
                                                   &versions) != ELF_FOUND)
        symbols.versions = NULL;
    *ret_symbols = symbols;
    return ELF_FOUND;
}

/* Reads a symbol. False: it is no function that the program has. */
static bool get_function(const struct symbols *symbols, size_t index, GElf_Sym *ret_symbol)
{
    unsigned char type;

    if (!gelf_getsym(symbols->data, (int)index, ret_symbol) || ret_symbol->st_shndx == SHN_UNDEF)
        return false;
    type = GELF_ST_TYPE(ret_symbol->st_info);
    return type == STT_FUNC || type == STT_NOTYPE || type == STT_GNU_IFUNC;
}

static enum rank rank_of(const struct symbols *symbols, size_t index, const GElf_Sym *symbol)
{
    GElf_Versym version;

    if (GELF_ST_BIND(symbol->st_info) == STB_LOCAL)
        return RANK_LOCAL;
    if (symbols->versions && gelf_getversym(symbols->versions, (int)index, &version) &&
        (version & VERSION_IS_HIDDEN))
        return RANK_OLD_VERSION;
    return RANK_GLOBAL;
}

/* In .symtab the default version of a symbol has its version behind it ("memcpy@@GLIBC_2.14"). */
static bool has_name(const char *symbol, const char *name)
{
    const size_t length = strlen(name);

    return strncmp(symbol, name, length) == 0 &&
           (symbol[length] == '\0' || strncmp(symbol + length, "@@", 2) == 0);
}

struct search {
    const char *name;
    GElf_Sym best;
    enum rank rank;
    bool is_ambiguous; /* another function of the same rank begins elsewhere */
};

static void search_table(const struct symbols *symbols, struct search *search)
{
    for (size_t i = 0; i < symbols->n; i++) {
        GElf_Sym symbol;
        enum rank rank;

        if (!get_function(symbols, i, &symbol) ||
            !has_name(elf_string(&symbols->strings, symbol.st_name), search->name))
            continue;
        rank = rank_of(symbols, i, &symbol);
        if (rank > search->rank) {
            search->best = symbol;
            search->rank = rank;
            search->is_ambiguous = false;
        } else if (rank == search->rank && symbol.st_value != search->best.st_value) {
            search->is_ambiguous = true;
        }
    }
}

static int judge(const struct elf_image *image, const struct search *search, uint64_t offset,
                 uint64_t *ret_position)
{
    const GElf_Sym *symbol = &search->best;

    if (search->rank == RANK_NONE)
        return ELF_MISSING;
    if (search->is_ambiguous)
        return ELF_AMBIGUOUS;
    if (GELF_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC)
        return ELF_INDIRECT;
    if (offset > 0 &&
        (symbol->st_size > 0 ? offset >= symbol->st_size : offset > UINT64_MAX - symbol->st_value))
        return ELF_BEYOND;
    if (!elf_image_locate(image, symbol->st_value + offset, PF_X, ret_position))
        return ELF_NOT_EXECUTABLE;
    return ELF_FOUND;
}

int elf_image_find_function(const struct elf_image *image, const char *name, uint64_t offset,
                            uint64_t *ret_position)
{
    static const uint32_t types[] = {SHT_SYMTAB, SHT_DYNSYM};
    struct search search = {.name = name};

    for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
        struct symbols symbols;
        int r = read_symbols(image, types[i], &symbols);

        if (r == ELF_FOUND)
            search_table(&symbols, &search);
        else if (r != ELF_MISSING)
            return r;
    }
    return judge(image, &search, offset, ret_position);
}

void elf_image_list_functions(const struct elf_image *image, const struct elf_visitor *visitor)
{
    static const uint32_t types[] = {SHT_SYMTAB, SHT_DYNSYM};
    size_t n_shown = 0;

    for (size_t t = 0; t < ARRAY_SIZE(types); t++) {
        struct symbols symbols;

        if (read_symbols(image, types[t], &symbols) != ELF_FOUND)
            continue;
        for (size_t i = 0; i < symbols.n && n_shown < ELF_MOST_LISTED; i++) {
            GElf_Sym symbol;
            const char *name;

            if (!get_function(&symbols, i, &symbol))
                continue;
            name = elf_string(&symbols.strings, symbol.st_name);
            if (*name && strnlen(name, LONGEST_SHOWN + 1) <= LONGEST_SHOWN)
                visitor->visit(visitor->object, name);
            n_shown++;
        }
    }
}
