/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Whatever the name of a rule, and whatever a process calls itself: a template, or
 * an error that points into the text; and a label that is clean, has a bounded length,
 * and tells the name exactly. The template is the first line, a name the rest.
 */

#include <errno.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "support/label_decode.h"
#include "target/clean_text.h"
#include "target/label_value.h"
#include "target/process_name.h"

static const char *const captures[] = {"x", "config"};

static void check_label(const char *name)
{
    AUTO_TEXT struct text text = {0};
    AUTO_TEXT struct text decoded = {0};
    AUTO_FREE char *label = NULL, *back = NULL;
    const size_t n_mark = strlen(PROCESS_NAME_MARK);

    process_name_append_label(&text, name, strlen(name));
    label = text_take(&text);
    FUZZ_CHECK(label && label[0] && strlen(label) <= LABEL_VALUE_MAX);
    FUZZ_CHECK(text_is_clean(label, strlen(label)));
    if (strncmp(label, PROCESS_NAME_MARK, n_mark) != 0) {
        FUZZ_CHECK(strcmp(label, name) == 0);
        return;
    }
    if (label_value_is_cut(label, PROCESS_NAME_MARK))
        return;
    FUZZ_CHECK(label_value_decode(label + n_mark, &decoded) == 0);
    back = text_take(&decoded);
    FUZZ_CHECK(back && strcmp(back, name) == 0);
}

static void expand(const struct process_template *parsed, const char *value)
{
    const struct text_piece piece = {value, strlen(value)}, matches[] = {piece, piece};
    struct text_piece fields[PROCESS_FIELDS_];
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *name = NULL;

    for (int i = 0; i < PROCESS_FIELDS_; i++) {
        (void)process_template_uses(parsed, (enum process_field)i);
        fields[i] = piece;
    }
    process_template_expand(parsed, fields, matches, &text);
    name = text_take(&text);
    FUZZ_CHECK(name);
    check_label(name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_FREE char *text = strndup((const char *)data, size);
    AUTO(process_template) struct process_template *parsed = NULL;
    struct process_rule_error error = {.offset = SIZE_MAX};
    const char *value = "";
    char *newline;
    int r;

    FUZZ_CHECK(text);
    newline = strchr(text, '\n');
    if (newline) {
        *newline = '\0';
        value = newline + 1;
    }
    r = process_template_parse(text, captures, ARRAY_SIZE(captures), &parsed, &error);
    if (r == 0) {
        expand(parsed, value);
    } else {
        FUZZ_CHECK(r == -EINVAL && !parsed && error.offset <= strlen(text));
        FUZZ_CHECK(error.message[0]);
        FUZZ_CHECK(strnlen(error.message, sizeof(error.message)) < sizeof(error.message) - 1);
    }
    check_label(value);
    return 0;
}
