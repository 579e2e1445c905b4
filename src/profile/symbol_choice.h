/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Which of the symbols that cover an address gives it its name. */

#include "profile/object_symbols.h"

/* The symbol that was chosen so far. A struct of zeros: none. */
struct symbol_choice {
    struct object_symbol symbol;
    char *name; /* owned; NULL: none */
};

void symbol_choice_done(struct symbol_choice *choice);

/*
 * Takes the symbol if it is better than what was chosen. One that begins at the address is better
 * than one that only covers it; then come functions before what has no kind, symbols that other
 * files see, names without an underscore in front, strong before weak symbols, short names. So the
 * choice does not depend on the order of the symbols. 0 or -ENOMEM.
 */
int symbol_choice_consider(struct symbol_choice *choice, uint64_t address,
                           struct object_symbols *symbols, const struct object_symbol *symbol);
