/* SPDX-License-Identifier: Apache-2.0 */
#include "web/negotiation.h"

#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "web/request_target.h"

const char *const escaping_parameters[N_ESCAPINGS] = {
    [ESCAPING_NONE] = "",
    [ESCAPING_ALLOW_UTF_8] = "; escaping=allow-utf-8",
    [ESCAPING_UNDERSCORES] = "; escaping=underscores",
    [ESCAPING_DOTS] = "; escaping=dots",
    [ESCAPING_VALUES] = "; escaping=values",
};

/* A quality is counted in thousandths, of which RFC 9110 allows no parts. */
#define FULL_QUALITY 1000U

/* How exactly a range names what it allows. */
enum exactness { NAMES_NOTHING, NAMES_ANYTHING, NAMES_TYPE, NAMES_SUBTYPE, NAMES_VERSION };

/* One part of a header between commas: a word, such as text/plain or gzip, and its parameters. */
struct range {
    struct piece word;
    struct piece version;
    struct piece escaping;
    unsigned quality;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static struct piece trimmed(struct piece piece)
{
    while (piece.length > 0 && is_blank(piece.at[0])) {
        piece.at++;
        piece.length--;
    }
    while (piece.length > 0 && is_blank(piece.at[piece.length - 1]))
        piece.length--;
    return piece;
}

/* Takes what stands before the separator or the end; one between quotation marks is none. */
static struct piece take_part(struct piece *rest, char separator)
{
    bool quoted = false;
    size_t n = 0;
    struct piece part;

    for (; n < rest->length && (quoted || rest->at[n] != separator); n++)
        if (rest->at[n] == '"')
            quoted = !quoted;
    part = (struct piece){rest->at, n};
    n += n < rest->length ? 1 : 0;
    rest->at += n;
    rest->length -= n;
    return trimmed(part);
}

static bool equals(struct piece piece, const char *text, size_t length)
{
    return piece.length == length && strncasecmp(piece.at, text, length) == 0;
}

static bool is(struct piece piece, const char *text)
{
    return equals(piece, text, strlen(text));
}

static struct piece unquoted(struct piece value)
{
    if (value.length >= 2 && value.at[0] == '"' && value.at[value.length - 1] == '"')
        return (struct piece){value.at + 1, value.length - 2};
    return value;
}

/* Reads 0, 0.5, .5 or 1.000. What is no such number counts as 1, as with Go's libraries. */
static unsigned parse_quality(struct piece value)
{
    unsigned quality = 0, digit_weight = FULL_QUALITY;
    bool fraction = false;

    for (size_t i = 0; i < value.length; i++) {
        const char c = value.at[i];

        if (c == '.' && !fraction) {
            fraction = true;
            continue;
        }
        if (c < '0' || c > '9' || (!fraction && quality > 0))
            return FULL_QUALITY;
        digit_weight /= fraction ? 10 : 1;
        quality += (unsigned)(c - '0') * digit_weight;
    }
    return value.length > 0 && quality < FULL_QUALITY ? quality : FULL_QUALITY;
}

static void parse_parameter(struct piece text, struct range *range)
{
    const struct piece name = take_part(&text, '=');
    const struct piece value = unquoted(trimmed(text));

    if (is(name, "q"))
        range->quality = parse_quality(value);
    else if (is(name, "version"))
        range->version = value;
    else if (is(name, "escaping"))
        range->escaping = value;
}

/* Takes the next part of a header. Returns false at its end. */
static bool take_range(struct piece *header, struct range *ret_range)
{
    struct piece part;

    while (header->length > 0) {
        part = take_part(header, ',');
        *ret_range = (struct range){.word = take_part(&part, ';'), .quality = FULL_QUALITY};
        while (part.length > 0)
            parse_parameter(take_part(&part, ';'), ret_range);
        if (ret_range->word.length > 0)
            return true;
    }
    return false;
}

/* A Content-Type is written like a range. */
static struct range range_of(const char *content_type)
{
    struct piece text = {content_type, strlen(content_type)};
    struct range range = {0};

    (void)take_range(&text, &range);
    return range;
}

static enum exactness exactness_of(const struct range *range, const struct range *form)
{
    const char *const slash = memchr(form->word.at, '/', form->word.length);
    const size_t type_length = slash ? (size_t)(slash - form->word.at) + 1 : 0;

    if (is(range->word, "*/*") || is(range->word, "*"))
        return NAMES_ANYTHING;
    if (range->word.length == type_length + 1 && range->word.at[type_length] == '*' &&
        strncasecmp(range->word.at, form->word.at, type_length) == 0)
        return NAMES_TYPE;
    if (!equals(range->word, form->word.at, form->word.length))
        return NAMES_NOTHING;
    if (range->version.length == 0)
        return NAMES_SUBTYPE;
    return equals(range->version, form->version.at, form->version.length) ? NAMES_VERSION
                                                                          : NAMES_NOTHING;
}

/* The range of a header that names a form most exactly. */
struct match {
    enum exactness exactness;
    unsigned quality;
    size_t place; /* It is the range with this number. */
    struct piece escaping;
};

static struct match best_match(const char *accept, const char *content_type)
{
    const struct range form = range_of(content_type);
    struct piece header = {accept, strlen(accept)};
    struct match match = {0};
    struct range range;

    for (size_t i = 0; take_range(&header, &range); i++) {
        const enum exactness exactness = exactness_of(&range, &form);

        if (exactness > match.exactness)
            match = (struct match){exactness, range.quality, i, range.escaping};
    }
    return match;
}

static bool is_better(const struct match *a, const struct match *b)
{
    if (a->quality != b->quality)
        return a->quality > b->quality;
    if (a->exactness != b->exactness)
        return a->exactness > b->exactness;
    return a->place < b->place;
}

static enum escaping escaping_of(struct piece name)
{
    for (enum escaping i = ESCAPING_NONE + 1; i < N_ESCAPINGS; i++)
        if (is(name, strchr(escaping_parameters[i], '=') + 1))
            return i;
    return ESCAPING_NONE;
}

void negotiate_form(const char *accept, const struct route_form *forms, size_t n_forms,
                    struct negotiated *ret_negotiated)
{
    struct match best = {0};

    *ret_negotiated = (struct negotiated){0};
    for (size_t i = 0; accept && i < n_forms; i++) {
        const struct match match = best_match(accept, forms[i].content_type);

        if (!is_better(&match, &best) || match.quality == 0)
            continue;
        best = match;
        ret_negotiated->form = i;
        ret_negotiated->escaping =
            forms[i].can_escape ? escaping_of(match.escaping) : ESCAPING_NONE;
    }
}

void negotiate_form_again(struct negotiation_memory *memory, const char *accept,
                          const struct route_form *forms, size_t n_forms,
                          struct negotiated *ret_negotiated)
{
    const size_t length = accept ? strlen(accept) : 0;
    const unsigned next = memory->next;

    for (size_t i = 0; accept && i < REMEMBERED_ACCEPTS; i++)
        if (memory->entries[i].forms == forms && strcmp(memory->entries[i].accept, accept) == 0) {
            *ret_negotiated = memory->entries[i].negotiated;
            return;
        }
    negotiate_form(accept, forms, n_forms, ret_negotiated);
    if (!accept || length > LONGEST_REMEMBERED)
        return;
    (void)memcpy(memory->entries[next].accept, accept, length + 1);
    memory->entries[next].forms = forms;
    memory->entries[next].negotiated = *ret_negotiated;
    memory->next = (next + 1) % REMEMBERED_ACCEPTS;
}

bool negotiate_gzip(const char *accept_encoding)
{
    struct piece header = {accept_encoding, accept_encoding ? strlen(accept_encoding) : 0};
    unsigned gzip = 0, identity = 0;
    bool named = false;
    struct range range;

    while (take_range(&header, &range)) {
        if (is(range.word, "gzip") || is(range.word, "x-gzip")) {
            gzip = range.quality;
            named = true;
        } else if (is(range.word, "*") && !named) {
            gzip = range.quality;
        } else if (is(range.word, "identity")) {
            identity = range.quality;
        }
    }
    return gzip > 0 && gzip >= identity;
}
