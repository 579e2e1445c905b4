/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/symbol_choice.h"

#include <errno.h>
#include <string.h>

#include "profile/function_name.h"

/* A bit for each virtue that shows without the name, the more important the higher. */
enum virtue {
    VIRTUE_FUNCTION = 1,
    VIRTUE_SIZED = 2,
    VIRTUE_EXACT = 4,
};

void symbol_choice_done(struct symbol_choice *choice)
{
    free(choice->name);
    *choice = (struct symbol_choice){0};
}

static unsigned virtues(const struct object_symbol *symbol, uint64_t address)
{
    return (symbol->address == address ? VIRTUE_EXACT : 0U) |
           (symbol->size > 0 ? VIRTUE_SIZED : 0U) | (symbol->is_function ? VIRTUE_FUNCTION : 0U);
}

/* Of those that only cover the address, the inner ones are better. */
static int compare_places(const struct object_symbol *a, const struct object_symbol *b,
                          uint64_t address)
{
    const unsigned of_a = virtues(a, address), of_b = virtues(b, address);

    if (of_a != of_b)
        return of_a > of_b ? 1 : -1;
    if (a->address != b->address)
        return a->address > b->address ? 1 : -1;
    return (a->size < b->size) - (a->size > b->size);
}

static int compare_bindings(const struct object_symbol *a, const struct object_symbol *b)
{
    return (a->binding != STB_LOCAL) - (b->binding != STB_LOCAL);
}

/* How many underscores a name of C begins with; those of C++ and Rust begin with one anyway. */
static size_t n_underscores(const char *name, size_t n)
{
    size_t i = 0;

    if (n > 1 && name[0] == '_' && (name[1] == 'Z' || name[1] == 'R'))
        return 0;
    while (i < n && name[i] == '_')
        i++;
    return i;
}

static int compare_names(const char *a, size_t n_a, const char *b, size_t n_b)
{
    const int order = memcmp(a, b, n_a < n_b ? n_a : n_b);

    if (n_a != n_b)
        return n_a < n_b ? 1 : -1;
    return (order < 0) - (order > 0);
}

/* Greater than 0: a is better. */
static int compare(const struct object_symbol *a, const char *name_a, size_t n_a,
                   const struct symbol_choice *choice)
{
    const size_t n_b = strlen(choice->name);
    const size_t of_a = n_underscores(name_a, n_a), of_b = n_underscores(choice->name, n_b);
    const int bindings = compare_bindings(a, &choice->symbol);

    if (bindings != 0)
        return bindings;
    if (of_a != of_b)
        return of_a < of_b ? 1 : -1;
    if ((a->binding == STB_WEAK) != (choice->symbol.binding == STB_WEAK))
        return a->binding == STB_WEAK ? -1 : 1;
    return compare_names(name_a, n_a, choice->name, n_b);
}

/* Marks of assembler that names no function: "$x" of AArch64, ".L12". */
static bool is_mark(const char *name, size_t n)
{
    return n == 0 || name[0] == '$' || (n > 1 && name[0] == '.' && name[1] == 'L');
}

int symbol_choice_consider(struct symbol_choice *choice, uint64_t address,
                           struct object_symbols *symbols, const struct object_symbol *symbol)
{
    const int places = choice->name ? compare_places(symbol, &choice->symbol, address) : 1;
    const char *name;
    char *copy;
    size_t n;

    if (places < 0)
        return 0;
    name = object_symbols_name(symbols, symbol, &n);
    if (!name)
        return 0;
    n = function_name_length(name, n);
    if (is_mark(name, n) || (places == 0 && compare(symbol, name, n, choice) <= 0))
        return 0;
    copy = strndup(name, n);
    if (!copy)
        return -ENOMEM;
    free(choice->name);
    *choice = (struct symbol_choice){*symbol, copy};
    return 0;
}
