/* SPDX-License-Identifier: Apache-2.0 */
#include "expose/profile_columns.h"

#include "expose/json_text.h"

void profile_columns_append(struct text *text, const struct profile_column *columns,
                            size_t n_columns, const void *items, size_t n)
{
    for (size_t i = 0; i < n_columns; i++) {
        text_append_string(text, i > 0 ? ",\n" : "{");
        text_append_format(text, "\"%s\":[", columns[i].key);
        for (size_t j = 0; j < n; j++) {
            if (j > 0)
                text_append_char(text, ',');
            columns[i].append(text, items, j);
        }
        text_append_char(text, ']');
    }
    text_append_char(text, '}');
}

void profile_column_append_kind(struct text *text, enum profile_kind kind)
{
    static const char *const words[] = {[PROFILE_USER] = "user",
                                        [PROFILE_KERNEL] = "kernel",
                                        [PROFILE_JIT] = "jit",
                                        [PROFILE_NOTE] = "note"};

    json_append_string(text, words[kind]);
}

void profile_column_append_place(struct text *text, uint32_t place)
{
    if (place == PROFILE_NO_NODE)
        text_append_string(text, "-1");
    else
        text_append_u64(text, place);
}

static void append_kind(struct text *text, const void *items, size_t i)
{
    profile_column_append_kind(text, ((const struct profile_function_name *)items)[i].kind);
}

static void append_owner(struct text *text, const void *items, size_t i)
{
    json_append_string(text, ((const struct profile_function_name *)items)[i].owner);
}

static void append_name(struct text *text, const void *items, size_t i)
{
    json_append_string(text, ((const struct profile_function_name *)items)[i].name);
}

void profile_columns_append_functions(struct text *text,
                                      const struct profile_function_name *functions, size_t n)
{
    static const struct profile_column columns[] = {
        {"kind", append_kind}, {"owner", append_owner}, {"name", append_name}};

    profile_columns_append(text, columns, ARRAY_SIZE(columns), functions, n);
}

void profile_append_time(struct text *text, const char *key, uint64_t ns)
{
    text_append_format(text, "\"%s\":", key);
    json_append_seconds(text, ns);
    text_append_char(text, ',');
}

void profile_append_value(struct text *text, const char *event, uint64_t value)
{
    text_append_string(text, "\"event\":");
    if (event) {
        json_append_string(text, event);
        text_append_string(text, ",\"events\":");
        text_append_u64(text, value);
    } else {
        text_append_string(text, "null,\"cpu_seconds\":");
        json_append_seconds(text, value);
    }
}
