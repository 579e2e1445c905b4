/* SPDX-License-Identifier: Apache-2.0 */
#include "expose/format.h"

/*
 * Names of cgroups and processes are chosen by strangers, and may contain quotes and newlines.
 * Without escapes one of them could end a line of the page and begin another with false numbers.
 */
static void append_escaped(struct text *text, const char *value, const char *special)
{
    for (;;) {
        size_t plain = strcspn(value, special);

        text_append(text, value, plain);
        value += plain;
        if (!*value)
            return;
        text_append_char(text, '\\');
        text_append_char(text, *value == '\n' ? 'n' : *value);
        value++;
    }
}

void format_append_head(struct text *text, const char *name, const char *help,
                        enum family_type type)
{
    text_append_string(text, "# HELP ");
    text_append_string(text, name);
    text_append_char(text, ' ');
    append_escaped(text, help, "\\\n");
    text_append_string(text, "\n# TYPE ");
    text_append_string(text, name);
    text_append_string(text, type == FAMILY_COUNTER ? " counter\n" : " gauge\n");
}

void format_append_label(struct text *text, const char *name, const char *value)
{
    text_append_string(text, name);
    text_append_string(text, "=\"");
    append_escaped(text, value, "\\\n\"");
    text_append_char(text, '"');
}

void format_append_labels(struct text *text, const struct label *labels, size_t n_labels)
{
    for (size_t i = 0; i < n_labels; i++) {
        text_append_char(text, i == 0 ? '{' : ',');
        format_append_label(text, labels[i].name, labels[i].value);
    }
}
