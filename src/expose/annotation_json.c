/* SPDX-License-Identifier: Apache-2.0 */
#include "expose/annotation_json.h"

#include <inttypes.h>

#include "base/clock.h"
#include "expose/json_text.h"
#include "expose/profile_columns.h"
#include "profile/share.h"

/* An instruction, as its columns are written. */
struct item {
    const struct annotation *annotation;
    size_t row;
};

static const struct code_row *row_of(const struct item *item)
{
    return &item->annotation->listing->rows[item->row];
}

static double share_of(const struct item *item)
{
    const struct annotation *annotation = item->annotation;

    return annotation->placed > 0
               ? (double)annotation->samples[item->row] / (double)annotation->placed
               : 0;
}

static double sigma_of(const struct item *item)
{
    return profile_share_sigma((double)item->annotation->samples[item->row],
                               (double)item->annotation->placed);
}

#define ITEM_COLUMN(name, of)                                                                      \
    static void append_##name(struct text *text, const void *items, size_t i)                      \
    {                                                                                              \
        const struct item *item = (const struct item *)items + i;                                  \
                                                                                                   \
        of;                                                                                        \
    }

ITEM_COLUMN(address, text_append_format(text, "\"0x%" PRIx64 "\"",
                                        item->annotation->listing->base + row_of(item)->address))
ITEM_COLUMN(samples, text_append_u64(text, item->annotation->samples[item->row]))
ITEM_COLUMN(share, text_append_double(text, share_of(item)))
ITEM_COLUMN(sigma, text_append_double(text, sigma_of(item)))
ITEM_COLUMN(text, json_append_string(text, item->annotation->listing->texts[item->row]))
ITEM_COLUMN(file, profile_column_append_place(text, row_of(item)->file))
ITEM_COLUMN(line, text_append_u64(text, row_of(item)->line))

static void append_number(struct text *text, const char *key, uint64_t number)
{
    text_append_format(text, "\"%s\":%" PRIu64 ",", key, number);
}

static void append_head(struct text *text, const struct profile_places *places, uint64_t placed)
{
    text_append_char(text, '{');
    profile_append_time(text, "from", places->from_ns);
    profile_append_time(text, "to", places->to_ns);
    append_number(text, "rate", places->rate_hz);
    append_number(text, "all", places->all);
    append_number(text, "samples", places->samples);
    append_number(text, "placed", placed);
    append_number(text, "elsewhere", places->elsewhere);
    text_append_string(text, "\"kind\":");
    profile_column_append_kind(text, places->kind);
    text_append_string(text, ",\"owner\":");
    json_append_string(text, places->owner);
    text_append_string(text, ",\"name\":");
    json_append_string(text, places->name);
}

int annotation_json_write(const struct profile_places *places, const struct annotation *annotation,
                          struct text *text)
{
    static const struct profile_column columns[] = {
        {"address", append_address}, {"samples", append_samples}, {"share", append_share},
        {"sigma", append_sigma},     {"text", append_text},       {"file", append_file},
        {"line", append_line}};
    const struct code_listing *listing = annotation->listing;
    AUTO_FREE struct item *items = calloc(listing->n + 1, sizeof(*items));

    text->failed |= !items;
    for (size_t i = 0; items && i < listing->n; i++)
        items[i] = (struct item){annotation, i};
    append_head(text, places, annotation->placed);
    text_append_string(text, ",\n\"instructions\":");
    profile_columns_append(text, columns, ARRAY_SIZE(columns), items, items ? listing->n : 0);
    text_append_string(text, ",\n\"files\":[");
    for (size_t i = 0; i < listing->n_files; i++) {
        text_append_string(text, i > 0 ? "," : "");
        json_append_string(text, listing->files[i]);
    }
    text_append_string(text, "]}\n");
    return text_error(text);
}
