/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The starts are sorted, and each table of symbols is gone through once. A symbol looks up the
 * starts that it covers, so names are read of these symbols only.
 */
#include "profile/symbol_names.h"

#include <errno.h>
#include <string.h>

#include "profile/function_name.h"
#include "reader/object_reader.h"

void symbol_question_done(struct symbol_question *question)
{
    for (size_t i = 0; i < question->n; i++)
        symbol_choice_done(&question->wanted[i].choice);
    free(question->wanted);
}

static int compare_starts(const void *left, const void *right)
{
    const struct wanted_symbol *a = left, *b = right;

    return (a->start > b->start) - (a->start < b->start);
}

static int compare_places(const void *left, const void *right)
{
    const struct wanted_symbol *a = left, *b = right;

    return (a->place > b->place) - (a->place < b->place);
}

int symbol_question_init(struct symbol_question *question, const struct object_file *file,
                         const uint32_t *starts, size_t n)
{
    *question = (struct symbol_question){.file = file};
    question->wanted = calloc(n + 1, sizeof(*question->wanted));
    if (!question->wanted)
        return -ENOMEM;
    question->n = n;
    for (size_t i = 0; i < n; i++)
        question->wanted[i] = (struct wanted_symbol){.start = starts[i], .place = i};
    qsort(question->wanted, n, sizeof(*question->wanted), compare_starts);
    return 0;
}

/* The first of the wanted that does not begin before this place. */
static size_t find_first(const struct symbol_question *question, uint64_t from_base)
{
    size_t low = 0, high = question->n;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (question->wanted[middle].start < from_base)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void settle_plt(const struct symbol_question *question)
{
    struct code_range plt[OBJECT_PLT_MOST];
    const size_t n = object_file_find_plt(question->file, plt);

    for (size_t k = 0; k < n; k++)
        for (size_t i = find_first(question, plt[k].start);
             i < question->n && question->wanted[i].start < plt[k].end; i++)
            question->wanted[i].is_settled = question->wanted[i].is_plt = true;
}

/*
 * Signal handlers return to the first instruction of such a function, so what unwinds it begins
 * before it (function_starts.c; the FDE in the C library).
 */
static void widen_signal_return(struct object_symbols *symbols, struct object_symbol *symbol,
                                uint16_t machine)
{
    const char *wanted = machine == EM_AARCH64 ? "__kernel_rt_sigreturn" : "__restore_rt";
    const uint64_t before = machine == EM_AARCH64 ? 4 : 1;
    size_t n;
    const char *name = object_symbols_name(symbols, symbol, &n);

    if (!name || n != strlen(wanted) || memcmp(name, wanted, n) != 0 || symbol->address < before)
        return;
    symbol->address -= before;
    symbol->size += symbol->size > 0 ? before : 0;
}

/* Offers a symbol to each of the wanted that it covers; one without a size covers its start. */
static int offer(const struct symbol_question *question, struct object_symbols *symbols,
                 const struct object_symbol *symbol)
{
    const uint64_t base = question->file->base;
    const uint64_t size = symbol->size > 0 ? symbol->size : 1;
    const uint64_t from_base = symbol->address - base;
    int r = 0;

    if (symbol->address < base)
        return 0;
    for (size_t i = find_first(question, from_base);
         r == 0 && i < question->n && question->wanted[i].start - from_base < size; i++)
        if (!question->wanted[i].is_settled)
            r = symbol_choice_consider(&question->wanted[i].choice,
                                       base + question->wanted[i].start, symbols, symbol);
    return r;
}

/* Goes through a table of symbols of this file. 0 or -ENOMEM. */
static int go_through(const struct symbol_question *question, const struct object_file *file,
                      uint32_t type)
{
    AUTO_OBJECT_SYMBOLS struct object_symbols symbols = {0};
    int r = object_symbols_open(file, type, &symbols);

    for (uint64_t i = 0; r == 0 && i < symbols.n; i++) {
        struct object_symbol symbol;

        if (!object_symbols_get(&symbols, i, &symbol))
            continue;
        if (symbol.size < 32 && (symbol.size == 0 || !symbol.is_function))
            widen_signal_return(&symbols, &symbol, file->machine);
        r = offer(question, &symbols, &symbol);
    }
    for (size_t i = 0; i < question->n; i++)
        question->wanted[i].is_settled |= question->wanted[i].choice.name != NULL;
    return r;
}

/* Goes through the symbols of a debug file, unless it is that of another build. */
static int go_through_debug(const struct symbol_question *question, int fd)
{
    AUTO_OBJECT_FILE struct object_file file = {0};

    if (fd < 0 || object_file_open(fd, &file) != OBJECT_READ ||
        !object_file_is_same_build(&file, question->file))
        return 0;
    return go_through(question, &file, SHT_SYMTAB);
}

int symbol_question_answer(struct symbol_question *question, int debug_fd)
{
    int r;

    settle_plt(question);
    r = go_through_debug(question, debug_fd);
    if (r == 0)
        r = go_through(question, question->file, SHT_SYMTAB);
    if (r == 0)
        r = go_through(question, question->file, SHT_DYNSYM);
    qsort(question->wanted, question->n, sizeof(*question->wanted), compare_places);
    return r;
}

bool wanted_symbol_append_name(const struct wanted_symbol *wanted, struct text *text)
{
    if (wanted->is_plt)
        text_append_string(text, "[plt]");
    else if (wanted->choice.name)
        function_name_append(text, wanted->choice.name, strlen(wanted->choice.name));
    return wanted->is_plt || wanted->choice.name;
}
