/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/function_starts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/object_symbols.h"
#include "profile/row_list.h"
#include "reader/object_reader.h"

#define ADDRESS_LIMIT UINT32_C(0x80000000)

void function_starts_done(struct function_starts *starts)
{
    free(starts->starts);
    *starts = (struct function_starts){0};
}

int function_starts_symbols(const struct object_file *file, struct code_ranges *symbols)
{
    AUTO_OBJECT_SYMBOLS struct object_symbols table = {0};
    GElf_Shdr header;
    const uint32_t type =
        object_file_find_table(file, SHT_SYMTAB, &header) ? SHT_SYMTAB : SHT_DYNSYM;
    int r = object_symbols_open(file, type, &table);

    for (uint64_t i = 0; r == OBJECT_READ && i < table.n; i++) {
        struct object_symbol symbol;
        struct code_range range;

        if (object_symbols_get(&table, i, &symbol) && symbol.is_function &&
            object_file_locate(file, symbol.address, symbol.size, &range))
            r = code_ranges_add(symbols, &range);
    }
    return r;
}

/*
 * The frame of a handler returns to the first instruction, so that who looks for the call before it
 * looks in front of the function, where kernels have a NOP for that.
 */
static int add_signal(const struct object_file *file, const struct object_symbol *symbol,
                      struct code_ranges *functions)
{
    const uint64_t instruction = 4;
    struct code_range range;

    if (!object_file_locate(file, symbol->address - instruction, symbol->size + instruction,
                            &range))
        return 0;
    range.is_signal = true;
    return code_ranges_add(functions, &range);
}

int function_starts_signal(const struct object_file *file, struct code_ranges *functions)
{
    static const char name[] = "__kernel_rt_sigreturn";
    AUTO_OBJECT_SYMBOLS struct object_symbols table = {0};
    int r = object_symbols_open(file, SHT_DYNSYM, &table);

    for (uint64_t i = 0; file->machine == EM_AARCH64 && r == OBJECT_READ && i < table.n; i++) {
        struct object_symbol symbol;
        const char *found;
        size_t length;

        if (!object_symbols_get(&table, i, &symbol) || symbol.size == 0)
            continue;
        found = object_symbols_name(&table, &symbol, &length);
        if (found && length == strlen(name) && memcmp(found, name, length) == 0)
            return add_signal(file, &symbol, functions);
    }
    return r;
}

/* Adds the ranges that begin in none of those that are there. All are settled. */
static int add_outside(const struct code_ranges *there, const struct code_ranges *more,
                       struct code_ranges *ranges)
{
    size_t next = 0;
    int r = 0;

    for (size_t i = 0; r == 0 && i < more->n; i++) {
        const struct code_range *range = &more->items[i];

        while (next < there->n && there->items[next].end <= range->start)
            next++;
        if (next == there->n || range->start < there->items[next].start)
            r = code_ranges_add(ranges, range);
    }
    return r;
}

static int add_all(const struct code_ranges *more, struct code_ranges *ranges)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < more->n; i++)
        r = code_ranges_add(ranges, &more->items[i]);
    return r;
}

static int find_plt(const struct object_file *file, struct code_ranges *plt)
{
    struct code_range ranges[OBJECT_PLT_MOST];
    const size_t n = object_file_find_plt(file, ranges);
    int r = 0;

    for (size_t i = 0; r == 0 && i < n; i++)
        r = code_ranges_add(plt, &ranges[i]);
    code_ranges_settle(plt);
    return r;
}

/* Writes where ranges begin, and where one ends and none begins. */
static int write_starts(const struct code_ranges *ranges, struct function_starts *ret_starts)
{
    uint32_t *starts;
    size_t n = 0;

    if (ranges->n > OBJECT_STARTS_MOST / 2)
        return OBJECT_TOO_LARGE;
    starts = calloc(2 * ranges->n + 1, sizeof(*starts));
    if (!starts)
        return -ENOMEM;
    for (size_t i = 0; i < ranges->n; i++) {
        const uint32_t end = ranges->items[i].end;
        const bool is_last = i + 1 == ranges->n;

        starts[n++] = ranges->items[i].start;
        if (end < ADDRESS_LIMIT && (is_last || ranges->items[i + 1].start - end > PADDING_MOST))
            starts[n++] = end | OBJECT_START_GAP;
    }
    *ret_starts = (struct function_starts){starts, n};
    return OBJECT_READ;
}

int function_starts_make(const struct object_file *file, const struct code_ranges *functions,
                         struct code_ranges *symbols, struct function_starts *ret_starts)
{
    AUTO_CODE_RANGES struct code_ranges plt = {0}, ranges = {0}, outside = {0};
    int r = find_plt(file, &plt);

    if (r == 0)
        r = add_all(&plt, &ranges);
    if (r == 0)
        r = add_outside(&plt, functions, &ranges);
    code_ranges_settle(&ranges);
    code_ranges_settle(symbols);
    if (r == 0)
        r = add_outside(&ranges, symbols, &outside);
    if (r == 0)
        r = add_all(&outside, &ranges);
    code_ranges_settle(&ranges);
    return r == 0 ? write_starts(&ranges, ret_starts) : r;
}
