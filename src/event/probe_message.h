/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What goes to a worker that looks for a place of a probe in a program, and what comes back. */

#include "event/nearest.h"
#include "event/probe.h"
#include "sys/elf_file.h"

#define PROBE_ANSWER_MARK UINT32_C(0x626f7270)

struct probe_question {
    uint32_t kind; /* PROBE_USER or PROBE_USDT */
    uint32_t number;
    uint64_t offset;
    char provider[PROBE_SYMBOL_SIZE];
    char symbol[PROBE_SYMBOL_SIZE];
};

struct probe_answer {
    uint32_t mark;
    uint32_t outcome; /* enum elf_outcome, of those that are about what is in the file */
    uint64_t position, semaphore; /* of ELF_FOUND, as struct elf_marker has them */
    uint32_t n;                   /* how many markers have this name; 0 for a function */
    uint32_t unused;
    char nearest[NEAREST_WORD_SIZE]; /* of ELF_MISSING: what the file has; empty: nothing near */
};

/* Whether a name may be shown: nothing in it steers a terminal or breaks a line. */
bool probe_name_shown(const char *name, size_t size);

/* Begins to look for what is nearest to the place. False: nothing will be. */
bool probe_question_nearest(const struct probe_question *question, struct nearest *ret_nearest);

/*
 * Takes an answer to a question. 0; -EBADMSG: these bytes are none. It passes if it is one that
 * some file would be answered by: a worker that a file has taken over can say nothing that another
 * file of the same owner could not say.
 */
int probe_answer_parse(const void *bytes, size_t n, const struct probe_question *question,
                       struct probe_answer *ret_answer);
