/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Functions of a program by their symbols. A stripped program has .dynsym only, where the functions
 * are that it offers to others.
 */
#include <string.h>

#include "sys/elf_image_parts.h"
#include "sys/elf_pieces.h"

#define PIECE         ((size_t)64 << 10) /* bytes that are read at once */
#define LONGEST_SHOWN 255 /* a name that is longer is nothing that somebody mistyped */
#define VERSION_IS_HIDDEN                                                                          \
    0x8000 /* of an entry of .gnu.version: not the version that links take                         \
            */

/* The symbols of one table. */
struct symbols {
    bool is_narrow; /* of a program of 32 bits */
    uint64_t n;
    struct elf_pieces entries;
    struct elf_pieces strings;
    struct elf_pieces versions; /* one of each symbol of .dynsym; empty: it has none */
};

/* How well a symbol answers to a name: the greater, the better. */
enum rank { RANK_NONE, RANK_LOCAL, RANK_OLD_VERSION, RANK_GLOBAL };

static void symbols_done(struct symbols *symbols)
{
    elf_pieces_done(&symbols->entries);
    elf_pieces_done(&symbols->strings);
    elf_pieces_done(&symbols->versions);
}

#define AUTO_SYMBOLS __attribute__((cleanup(symbols_done)))

static int begin_strings(const struct elf_image *image, size_t index, size_t piece,
                         struct elf_pieces *strings)
{
    Elf_Scn *section = elf_getscn(image->elf, index);
    GElf_Shdr header;

    if (!section || !gelf_getshdr(section, &header) || header.sh_type != SHT_STRTAB)
        return ELF_NO_PROGRAM;
    return elf_pieces_init(strings, image->fd, &header, piece);
}

/* Begins to read a table of symbols, whose strings are read in pieces of string_piece bytes. */
static int begin(const struct elf_image *image, uint32_t type, size_t string_piece,
                 struct symbols *symbols)
{
    GElf_Shdr header, versions;
    int r;

    if (!elf_image_find_section(image, type, NULL, &header))
        return ELF_MISSING;
    symbols->is_narrow = gelf_getclass(image->elf) == ELFCLASS32;
    symbols->n = header.sh_size / (symbols->is_narrow ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym));
    r = elf_pieces_init(&symbols->entries, image->fd, &header, PIECE);
    if (r == ELF_FOUND)
        r = begin_strings(image, header.sh_link, string_piece, &symbols->strings);
    if (r == ELF_FOUND && type == SHT_DYNSYM &&
        elf_image_find_section(image, SHT_GNU_versym, NULL, &versions))
        r = elf_pieces_init(&symbols->versions, image->fd, &versions, PIECE);
    return r;
}

/* Reads a symbol. False: the file has it no more. */
static bool read_symbol(struct symbols *symbols, uint64_t index, GElf_Sym *ret_symbol)
{
    const size_t size = symbols->is_narrow ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym);
    const char *bytes = elf_pieces_get(&symbols->entries, index * size, size);
    Elf32_Sym narrow;

    if (!bytes)
        return false;
    if (symbols->is_narrow) {
        memcpy(&narrow, bytes, sizeof(narrow));
        *ret_symbol = (GElf_Sym){.st_name = narrow.st_name,
                                 .st_info = narrow.st_info,
                                 .st_other = narrow.st_other,
                                 .st_shndx = narrow.st_shndx,
                                 .st_value = narrow.st_value,
                                 .st_size = narrow.st_size};
    } else {
        memcpy(ret_symbol, bytes, sizeof(*ret_symbol));
    }
    return true;
}

/* Whether a symbol is a function that the program has. */
static bool is_function(const GElf_Sym *symbol)
{
    const unsigned char type = GELF_ST_TYPE(symbol->st_info);

    return symbol->st_shndx != SHN_UNDEF &&
           (type == STT_FUNC || type == STT_NOTYPE || type == STT_GNU_IFUNC);
}

static enum rank rank_of(struct symbols *symbols, uint64_t index, const GElf_Sym *symbol)
{
    const char *bytes;
    GElf_Versym version;

    if (GELF_ST_BIND(symbol->st_info) == STB_LOCAL)
        return RANK_LOCAL;
    bytes = elf_pieces_get(&symbols->versions, index * sizeof(version), sizeof(version));
    if (!bytes)
        return RANK_GLOBAL;
    memcpy(&version, bytes, sizeof(version));
    return version & VERSION_IS_HIDDEN ? RANK_OLD_VERSION : RANK_GLOBAL;
}

/*
 * Where in a table of strings a name stands: a bit for each byte. Symbols may stand in any order,
 * so their names are looked up here instead of being read one by one.
 */
struct name_places {
    unsigned char *bits;
    uint64_t n; /* bytes of the table of strings */
};

static void name_places_done(struct name_places *places)
{
    free(places->bits);
}

#define AUTO_PLACES __attribute__((cleanup(name_places_done)))

static bool name_is_at(const struct name_places *places, uint64_t offset)
{
    return offset < places->n && (places->bits[offset / 8] >> offset % 8 & 1);
}

/*
 * Marks where the name stands in a piece of the table that begins at `offset`. It is looked for
 * from where strings end, so that a table which repeats the beginning of the name costs no more
 * time. In .symtab the default version of a symbol has its version behind it
 * ("memcpy@@GLIBC_2.14").
 */
static void mark_piece(struct name_places *places, const char *piece, size_t n, uint64_t offset,
                       const char *name)
{
    const size_t length = strlen(name);

    for (size_t end = length; end < n; end++) {
        const size_t begin = end - length;

        if (piece[end] != '\0' && !(piece[end] == '@' && end + 1 < n && piece[end + 1] == '@'))
            continue;
        if (memcmp(piece + begin, name, length) == 0)
            places->bits[(offset + begin) / 8] |= (unsigned char)(1 << (offset + begin) % 8);
    }
}

/* Finds where a name stands; pieces overlap, so that one that is cut is whole in the next. */
static int find_name(struct elf_pieces *strings, const char *name, struct name_places *places)
{
    const size_t overlap = strlen(name) + strlen("@@");
    uint64_t offset = 0;

    if (overlap >= PIECE)
        return ELF_MISSING;
    places->bits = calloc(1, (size_t)(strings->size / 8 + 1));
    if (!places->bits)
        return -ENOMEM;
    places->n = strings->size;
    while (offset < strings->size) {
        const uint64_t left = strings->size - offset;
        const size_t n = left < PIECE ? (size_t)left : PIECE;
        const char *piece = elf_pieces_get(strings, offset, n);

        if (!piece)
            return ELF_NO_PROGRAM;
        mark_piece(places, piece, n, offset, name);
        if (n == left)
            break;
        offset += n - overlap;
    }
    return ELF_FOUND;
}

struct search {
    const char *name;
    GElf_Sym best;
    enum rank rank;
    bool is_ambiguous; /* another function of the same rank begins elsewhere */
};

static void consider(struct search *search, enum rank rank, const GElf_Sym *symbol)
{
    if (rank > search->rank) {
        search->best = *symbol;
        search->rank = rank;
        search->is_ambiguous = false;
    } else if (rank == search->rank && symbol->st_value != search->best.st_value) {
        search->is_ambiguous = true;
    }
}

static int search_table(const struct elf_image *image, uint32_t type, struct search *search)
{
    AUTO_SYMBOLS struct symbols symbols = {0};
    AUTO_PLACES struct name_places places = {0};
    int r = begin(image, type, PIECE, &symbols);

    if (r == ELF_FOUND)
        r = find_name(&symbols.strings, search->name, &places);
    for (uint64_t i = 0; r == ELF_FOUND && i < symbols.n; i++) {
        GElf_Sym symbol;

        if (!read_symbol(&symbols, i, &symbol))
            r = ELF_NO_PROGRAM;
        else if (is_function(&symbol) && name_is_at(&places, symbol.st_name))
            consider(search, rank_of(&symbols, i, &symbol), &symbol);
    }
    return r;
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

    if (!*name)
        return ELF_MISSING;
    for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
        int r = search_table(image, types[i], &search);

        if (r != ELF_FOUND && r != ELF_MISSING)
            return r;
    }
    return judge(image, &search, offset, ret_position);
}

/* Shows the name of a symbol, if it is short. */
static void show(struct symbols *symbols, const GElf_Sym *symbol, const struct elf_visitor *visitor)
{
    const uint64_t size = symbols->strings.size;
    const uint64_t left = symbol->st_name < size ? size - symbol->st_name : 0;
    const size_t n = left < LONGEST_SHOWN + 1 ? (size_t)left : LONGEST_SHOWN + 1;
    const char *name = elf_pieces_get(&symbols->strings, symbol->st_name, n);

    if (name && memchr(name, '\0', n) && *name)
        visitor->visit(visitor->object, name);
}

void elf_image_list_functions(const struct elf_image *image, const struct elf_visitor *visitor)
{
    static const uint32_t types[] = {SHT_SYMTAB, SHT_DYNSYM};
    size_t n_shown = 0;

    for (size_t t = 0; t < ARRAY_SIZE(types); t++) {
        AUTO_SYMBOLS struct symbols symbols = {0};
        GElf_Sym symbol;

        if (begin(image, types[t], LONGEST_SHOWN + 1, &symbols) != ELF_FOUND)
            continue;
        for (uint64_t i = 0; i < symbols.n && n_shown < ELF_MOST_LISTED; i++) {
            if (!read_symbol(&symbols, i, &symbol))
                break;
            if (!is_function(&symbol))
                continue;
            show(&symbols, &symbol, visitor);
            n_shown++;
        }
    }
}
