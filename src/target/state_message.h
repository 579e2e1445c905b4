/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What goes to a worker that reads a state file of a program of the host, and what comes back: a
 * question with the text of the file behind it, and an answer with names behind it, of those kinds
 * that have a length, in their order, without a NUL.
 */

#include <stdint.h>

#include "target/names_machine.h"

#define STATE_TEXT_MOST   ((size_t)1024 * 1024) /* bytes */
#define STATE_WORD_SIZE   MACHINE_NAME_SIZE
#define STATE_ANSWER_MARK UINT32_C(0x656d616e)

/* Whose text it is, and what is asked of it. */
enum state_kind {
    STATE_OF_CONTAINERD, /* the config.json of a bundle */
    STATE_OF_BUNDLE,     /* one of CRI-O or podman */
    STATE_OF_DOCKER,
    STATE_OF_STORAGE, /* word: the id of the container that is looked for */
    STATE_OF_MACHINE, /* word: its name */
    STATE_OF_DOMAIN,  /* number: the domain's */
    STATE_KINDS_,
};

struct state_question {
    uint32_t kind; /* enum state_kind */
    uint32_t number;
    char word[STATE_WORD_SIZE];
};

struct state_answer {
    uint32_t mark;
    uint16_t is_good; /* the text has the form that was asked for */
    uint16_t lengths[NAMES_];
};

/* Adds what an answer tells. `kind`: what was asked. 0; 1: the text has another form; -EBADMSG:
 * these bytes are no answer to it. */
int state_answer_parse(const void *bytes, size_t n, enum state_kind kind, struct names *names);
