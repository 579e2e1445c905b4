/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Tables that say which keys a mapping takes and where their values go, and the
 * reader that fills a structure by them. A new key is a new line in a table
 * (config_schema.c).
 */

#include <stddef.h>

#include "config/yaml_reader.h"

#define SCHEMA_MOST_KEYS 16 /* of one mapping */

enum schema_type {
    SCHEMA_BOOL,     /* bool */
    SCHEMA_NUMBER,   /* uint64_t */
    SCHEMA_DURATION, /* uint64_t, nanoseconds */
    SCHEMA_BYTES,    /* uint64_t */
    SCHEMA_CHOICE,   /* an enum; the choices in its order, from 0 */
    SCHEMA_WORD,     /* struct config_word */
    SCHEMA_WORDS,    /* struct config_words: a list of words */
    SCHEMA_NUMBERS,  /* struct config_numbers: a list of numbers */
    SCHEMA_MAPPING,  /* the structure at `offset`, by `inner` */
    SCHEMA_LIST,     /* a pointer to an array, and its length: mappings by `inner` */
    SCHEMA_TYPES_,   /* how many there are */
};

struct schema_key {
    const char *name;
    enum schema_type type;
    const char *expected; /* what stands behind "expected" in an error */
    size_t offset;        /* of the value in the structure */
    bool required;
    bool selects;        /* at least one of the keys that do must be there, if there are any */
    bool takes_auto;     /* the word `auto` is a value: 0, or a word whose text is NULL */
    bool takes_all;      /* the word `all` is a value: UINT64_MAX */
    size_t given_offset; /* of a bool that becomes true where the key is there; 0: none */
    uint64_t minimum;    /* of a number (and of each of a list); of how many words there are
                            in a list, or mappings */
    uint64_t maximum;    /* the same; of the bytes of a word (and of each word of a list) */
    size_t most;         /* words or numbers in a list of them */
    const char *const *choices; /* ends with NULL */
    const struct schema *inner;
    size_t count_offset; /* of the length of a list */
    size_t element_size;
};

struct schema {
    const char *what; /* "a group" */
    const struct schema_key *keys;
    size_t n_keys;
};

/*
 * Reads the mapping that begins at the present event into `object`, which holds
 * the defaults, and is the caller's to free also where this fails. 0, -EINVAL
 * with the reader's error filled, -ENOMEM.
 */
int schema_read(struct yaml_reader *reader, const struct schema *schema, void *object);
