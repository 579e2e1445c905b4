/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The names of functions of a file, by its symbols and by those of its debug file. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "profile/object_file.h"
#include "profile/symbol_choice.h"

/* A function whose name is asked for, by an address of it from the base. */
struct wanted_symbol {
    uint32_t start;
    bool is_settled; /* by a table that was gone through before */
    bool is_plt;
    size_t place; /* in the order of the question */
    struct symbol_choice choice;
};

struct symbol_question {
    const struct object_file *file;
    struct wanted_symbol *wanted; /* sorted by start; after the answer, by place */
    size_t n;
};

/* Asks for these. 0 or -ENOMEM; symbol_question_done() is right after both. */
int symbol_question_init(struct symbol_question *question, const struct object_file *file,
                         const uint32_t *starts, size_t n);

/* Finds the names. debug_fd: a file that is looked at first, if it is of the same build; or -1. 0
 * or -ENOMEM. */
int symbol_question_answer(struct symbol_question *question, int debug_fd);

/* Appends the name of one, as it may be shown. False: it has none. */
bool wanted_symbol_append_name(const struct wanted_symbol *wanted, struct text *text);

void symbol_question_done(struct symbol_question *question);
#define AUTO_SYMBOL_QUESTION __attribute__((cleanup(symbol_question_done)))
