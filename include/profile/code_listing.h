/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The instructions of a function, as text, with the lines of source code that they were made of. A
 * listing is made by a process without rights (reader/object_reader.h), and is checked here.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "profile/object_table.h"

/* No more code of a function is listed than this. */
#define CODE_BYTES_MOST ((size_t)256 * 1024)

#define CODE_NO_FILE UINT32_MAX

struct code_row {
    uint32_t address; /* from the base */
    uint32_t line;    /* 0: not known */
    uint32_t file;    /* its place in `files`; CODE_NO_FILE: not known */
};

struct code_listing {
    uint64_t base;
    uint8_t build_id[OBJECT_BUILD_ID_MOST]; /* of the file */
    size_t n_build_id;
    bool can_disassemble;  /* false: libcapstone is not there, and so there are no rows */
    struct code_row *rows; /* sorted by address, no two alike */
    size_t n;
    char **texts; /* [n]: "addq %rax, %rbx"; clean UTF-8 */
    char **files; /* paths of source files, as the compiler was told them; clean UTF-8 */
    size_t n_files;
    char *bytes; /* in which texts and files stand */
};

struct code_listing *code_listing_free(struct code_listing *listing);
DEFINE_AUTO(code_listing, struct code_listing *, code_listing_free)

/*
 * Takes what a worker has written of the code from `start` to `end`, which is not included, both
 * from the base. 0; -EBADMSG: something does not hold; -ENOMEM.
 */
int code_listing_parse(const void *bytes, size_t n, uint32_t start, uint32_t end,
                       struct code_listing **ret_listing);
