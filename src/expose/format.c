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

/* What a type is called, and how the samples of a family end that has a shorter name itself. */
struct type_words {
    const char *text, *openmetrics;
    const char *ending;
};

static const struct type_words types[] = {
    [FAMILY_COUNTER] = {"counter", "counter", "_total"},
    [FAMILY_GAUGE] = {"gauge", "gauge", ""},
    [FAMILY_INFO] = {"gauge", "info", "_info"},
    [FAMILY_HISTOGRAM] = {"histogram", "histogram", ""},
};

/* The units of names that Prometheus and OpenMetrics know: the end of a name, behind "_". */
static const char *const units[] = {"seconds", "bytes", "joules", "ratio"};

/* Whether the first `length` bytes of the name end so. */
static bool ends_with(const char *name, size_t length, const char *ending)
{
    const size_t n = strlen(ending);

    return length > n && memcmp(name + length - n, ending, n) == 0;
}

size_t format_base_length(struct family_name name)
{
    const size_t length = strlen(name.text);
    const char *const ending = types[name.type].ending;

    return ends_with(name.text, length, ending) ? length - strlen(ending) : length;
}

static void append_line(struct text *text, const char *keyword, struct family_name name,
                        size_t name_length)
{
    text_append_string(text, keyword);
    text_append(text, name.text, name_length);
    text_append_char(text, ' ');
}

/* An info has labels only, and no unit. */
static void append_unit(struct text *text, struct family_name name, size_t length)
{
    for (size_t i = 0; i < ARRAY_SIZE(units) && name.type != FAMILY_INFO; i++)
        if (ends_with(name.text, length, units[i]) &&
            name.text[length - strlen(units[i]) - 1] == '_') {
            append_line(text, "# UNIT ", name, length);
            text_append_string(text, units[i]);
            text_append_char(text, '\n');
        }
}

void format_append_head(struct text *text, enum exposition_format format, struct family_name name,
                        const char *help)
{
    const bool is_text = format == EXPOSITION_TEXT;
    const size_t length = is_text ? strlen(name.text) : format_base_length(name);

    append_line(text, "# HELP ", name, length);
    append_escaped(text, help, is_text ? "\\\n" : "\\\n\"");
    text_append_char(text, '\n');
    append_line(text, "# TYPE ", name, length);
    text_append_string(text, is_text ? types[name.type].text : types[name.type].openmetrics);
    text_append_char(text, '\n');
    if (!is_text)
        append_unit(text, name, length);
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
