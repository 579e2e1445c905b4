/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Names that strangers have chosen, as labels of the text formats, in JSON and in CSV. What is
 * written is one value, which reads back as it was.
 */

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "expose/format.h"
#include "expose/history_json.h"
#include "expose/json_text.h"
#include "fuzz/fuzz.h"

/* As the formats of Prometheus and OpenMetrics take a value, up to its closing quote. */
static void check_label(const char *name)
{
    const struct label labels[] = {{"a", name}, {"b", name}};
    AUTO_TEXT struct text text = {0}, all = {0};
    AUTO_FREE char *written = NULL;
    const char *at = name, *next;

    format_append_label(&text, "a", name);
    written = text_take(&text);
    FUZZ_CHECK(written && strncmp(written, "a=\"", 3) == 0);
    for (next = written + 3; *next != '"'; next++) {
        char c = *next;

        FUZZ_CHECK(c != '\0' && c != '\n');
        if (c == '\\')
            c = *++next == 'n' ? '\n' : *next;
        FUZZ_CHECK(*at++ == c);
    }
    FUZZ_CHECK(*at == '\0' && next[1] == '\0');
    format_append_labels(&all, labels, 2);
    FUZZ_CHECK(all.length == 2 * strlen(written) + 2);
}

/* The help of a family: whatever it is, each line of the head begins so. */
static void check_head(const char *help)
{
    static const struct family_name names[] = {{"pmu_a_seconds_total", FAMILY_COUNTER},
                                               {"pmu_a_info", FAMILY_INFO},
                                               {"pmu_a_bytes", FAMILY_GAUGE}};

    for (size_t i = 0; i < 2 * ARRAY_SIZE(names); i++) {
        AUTO_TEXT struct text text = {0};
        size_t n_lines = 0;

        format_append_head(&text, i % 2 ? EXPOSITION_TEXT : EXPOSITION_OPENMETRICS, names[i / 2],
                           help);
        for (size_t j = 0; j < text.length; j++) {
            n_lines += text.data[j] == '\n';
            FUZZ_CHECK(j == 0 || text.data[j - 1] != '\n' || text.data[j] == '#');
        }
        FUZZ_CHECK(n_lines == 2 || (n_lines == 3 && i % 2 == 0));
    }
}

/* What is UTF-8 comes back; other bytes come as U+FFFD. */
static void check_json(const char *name)
{
    AUTO_TEXT struct text text = {0};
    json_t *value, *const direct = json_string(name);

    text_append_char(&text, '{');
    json_append_pair(&text, "a", name);
    text_append_string(&text, ",\"b\":");
    json_append_string(&text, NULL);
    text_append_char(&text, '}');
    value = json_loadb(text.data, text.length, 0, NULL);
    FUZZ_CHECK(value && json_is_string(json_object_get(value, "a")));
    FUZZ_CHECK(!direct || json_equal(direct, json_object_get(value, "a")));
    json_decref(direct);
    json_decref(value);
    FUZZ_CHECK(json_label_name(name)[0] || !*name);
}

/* A number of the first bytes keeps six digits, or ten decimals. */
static void check_number(const uint8_t *data, size_t size)
{
    AUTO_TEXT struct text text = {0};
    double number, read;
    uint64_t ns;
    char *end;

    if (size < sizeof(number))
        return;
    memcpy(&number, data, sizeof(number));
    memcpy(&ns, data, sizeof(ns));
    json_append_measured(&text, number);
    text_append_char(&text, '\0');
    read = strtod(text.data, &end);
    FUZZ_CHECK(isfinite(number)
                   ? *end == '\0' && fabs(read - number) <= 1e-6 * fabs(number) + 5.1e-11
                   : strcmp(text.data, "null") == 0);
    text_clear(&text);
    json_append_seconds(&text, ns);
    text_append_char(&text, '\0');
    FUZZ_CHECK(fabs(strtod(text.data, &end) - (double)ns / 1e9) <= (double)ns * 1e-15 && !*end);
}

/* Reads the next field of a line (RFC 4180), and returns what stands behind it. */
static const char *read_field(const char *at, struct text *field)
{
    const bool is_quoted = *at == '"';

    text_clear(field);
    for (at += is_quoted; *at; at++) {
        if (is_quoted ? *at == '"' && *++at != '"' : *at == ',' || *at == '\r')
            break;
        text_append_char(field, *at);
    }
    text_append_char(field, '\0');
    return at;
}

/* A history of a target and a label of this name. */
static void check_csv(char *name)
{
    double values[] = {1.5, NAN};
    uint64_t times[] = {1, 2};
    char family[] = "a", label_name[] = "label";
    struct history_series series[] = {
        {family, "", {{NULL, NULL}}, values},
        {family, "", {{label_name, name}}, values},
    };
    struct history_answer answer = {
        .times_ns = times, .n_times = 2, .series = series, .n_series = 2};
    const struct history_part parts[] = {{name, &answer}, {"gone", NULL}, {name, &answer}};
    const struct history_page page = {.parts = parts, .n_parts = 3};
    AUTO_TEXT struct text text = {0}, field = {0}, label = {0};
    AUTO_FREE char *csv = NULL;
    const char *at;

    FUZZ_CHECK(history_csv_write(&page, &text) == 0);
    csv = text_take(&text);
    FUZZ_CHECK(csv && strncmp(csv, "time,target,a,", 14) == 0);
    at = read_field(csv + 14, &field);
    text_append_format(&label, "a{label=\"%s\"}", name);
    FUZZ_CHECK(label.length + 1 == field.length &&
               memcmp(label.data, field.data, label.length) == 0);
    for (size_t i = 0; i < 4; i++) {
        FUZZ_CHECK(strncmp(at, "\r\n", 2) == 0);
        at = strchr(at, ',');
        FUZZ_CHECK(at);
        at = read_field(at + 1, &field);
        FUZZ_CHECK(strcmp(field.data, name) == 0);
        FUZZ_CHECK(strncmp(at, i % 2 ? ",,\r\n" : ",1.5,1.5\r\n", i % 2 ? 4 : 10) == 0);
        at = strchr(at, '\r');
    }
    FUZZ_CHECK(strcmp(at, "\r\n") == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_FREE char *name = strndup((const char *)data, size);

    FUZZ_CHECK(name);
    check_label(name);
    check_head(name);
    check_json(name);
    check_number(data, size);
    check_csv(name);
    return 0;
}
