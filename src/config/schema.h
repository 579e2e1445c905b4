/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Tables that say which keys a mapping takes, where their values go in a structure, and what is
 * said of a value that is wrong. By such a table a structure is read, and freed again: a new key is
 * one entry in a table (config_schema.c) and one field in the structure.
 */

#include <stddef.h>

#include "config/yaml_reader.h"

/* A word that the user has chosen as a key, and what stands there. */
struct config_pair {
    struct config_word name;
    struct config_word value;
};

struct config_pairs {
    struct config_pair *pairs;
    size_t n;
};

#define SCHEMA_MOST_KEYS 16 /* of one mapping */

enum schema_type {
    SCHEMA_BOOL,     /* bool */
    SCHEMA_NUMBER,   /* uint64_t */
    SCHEMA_DURATION, /* uint64_t, nanoseconds */
    SCHEMA_BYTES,    /* uint64_t */
    SCHEMA_CHOICE,   /* an enum; the choices in its order, from 0 */
    SCHEMA_SET,      /* unsigned: a list of choices, of which each stands for some of its bits */
    SCHEMA_WORD,     /* struct config_word */
    SCHEMA_WORDS,    /* struct config_words: a list of words */
    SCHEMA_NUMBERS,  /* struct config_numbers: a list of numbers */
    SCHEMA_MAPPING,  /* a structure that stands at `offset` and has the schema `inner` */
    SCHEMA_LIST,     /* an array of structures with the schema `inner`; a pointer and a length */
    SCHEMA_PAIRS,    /* struct config_pairs: a mapping whose keys are words of the user */
    SCHEMA_TYPES_,   /* how many there are */
};

struct schema_key {
    const char *name;
    enum schema_type type;
    /*
     * What an error says was expected. It goes on by the table: with the keys of `inner`. NULL: the
     * table says it all, the choices, or the least and the largest number.
     */
    const char *expected;
    size_t offset; /* where the value stands in the structure */
    bool required;
    bool selects; /* where some keys of a mapping have this, one of them at least must be there */
    bool takes_auto;     /* the word `auto` is a value: 0, or a word whose text is NULL */
    bool takes_all;      /* the word `all` is a value: UINT64_MAX */
    bool takes_words;    /* an entry of a list of mappings may be a single word instead: the value
                            of the first key of `inner`, which is a SCHEMA_WORD */
    bool takes_nothing;  /* no value, `~` or `null`, is one too: the default stays */
    bool takes_lines;    /* the text may have several lines */
    size_t given_offset; /* where a bool stands that becomes true if the key is there; 0: nowhere */
    /*
     * The bounds of a number, and of each number of a list. Of a list of words or of mappings the
     * minimum is the fewest entries; of a list of mappings the maximum is the most entries. Of a
     * word, and of each word of a list, the maximum is the most bytes.
     */
    uint64_t minimum;
    uint64_t maximum;
    size_t most;                /* how many words or numbers a list of them may have */
    const char *const *choices; /* the names of the choices, and NULL */
    const unsigned *bits;       /* for a set: what each of the choices stands for */
    const struct schema *inner;
    size_t count_offset; /* where the length of a list of mappings stands */
    size_t element_size; /* the size of one of its structures */
};

/* The length of a table of keys. One that is too long is not compiled. */
#define SCHEMA_N_KEYS(keys)                                                                        \
    (ARRAY_SIZE(keys) + 0 * sizeof(char[ARRAY_SIZE(keys) <= SCHEMA_MOST_KEYS ? 1 : -1]))

struct schema {
    const char *what; /* what such a mapping is, for errors: "a group" */
    const struct schema_key *keys;
    size_t n_keys;
};

/*
 * Reads the mapping that begins at the present event into `object`, a structure that has the
 * schema and holds the defaults. The caller calls schema_done() for it, also where this fails. 0,
 * -EINVAL with the reader's error filled, -ENOMEM.
 */
int schema_read(struct yaml_reader *reader, const struct schema *schema, void *object);

/* Frees what a structure of this schema holds, and leaves it empty. */
void schema_done(const struct schema *schema, void *object);

/* Forgets where each word of the structure stood: it has come from no file. */
void schema_forget_places(const struct schema *schema, void *object);
