/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What comes back from who scans a text of YAML: its events, one behind the other. Each is a record
 * with its text and a NUL behind it. The last one is the end of the text, or says what is wrong.
 */

#include "config/config.h"

#define YAML_READER_LARGEST UINT64_C(1048576) /* bytes of a text */
#define YAML_READER_DEEPEST 32                /* levels of [ and { */
#define YAML_MOST_EVENTS    262144

enum yaml_kind {
    YAML_AT_ERROR, /* the text says what is wrong */
    YAML_AT_VALUE,
    YAML_AT_MAPPING,
    YAML_AT_MAPPING_END,
    YAML_AT_LIST,
    YAML_AT_LIST_END,
    YAML_AT_DOCUMENT,
    YAML_AT_DOCUMENT_END,
    YAML_AT_END,
    YAML_KINDS_,
};

struct yaml_record {
    uint16_t kind;
    uint16_t is_plain;
    uint32_t line, column;
    uint32_t length; /* of the text, without its NUL; only a value and an error have one */
};

struct yaml_event {
    enum yaml_kind kind;
    struct config_place place; /* where it begins */
    bool is_plain;             /* a value without quotes, on one line or several */
    const char *text;          /* of a value or an error, with a NUL behind it; else empty */
    size_t length;             /* a value may hold a NUL */
};

/* What is left of an answer; borrowed. */
struct yaml_answer {
    const char *bytes;
    size_t n;
};

/*
 * Takes the next event, whose text is borrowed from the answer. 0; -EBADMSG: what is left is no
 * answer, and nothing of it was taken. Values and errors are UTF-8 then, and errors one line.
 */
int yaml_answer_next(struct yaml_answer *answer, struct yaml_event *ret_event);
