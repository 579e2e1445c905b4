/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A line consists of a family's name, a target's labels, a suffix and digits. The first three
 * are ready as bytes: names stand in the catalogue, and labels are kept here, escaped, for as long
 * as the roster stays. So a line costs three short copies and the digits.
 */
#include "expose/exposition.h"

#include <errno.h>
#include <math.h>

#include "expose/format.h"
#include "expose/own_families.h"
#include "metric/catalogue.h"
#include "metric/roster.h"

/* Enough for the longest number, for what text_append_u64() copies, and for a newline. */
#define NUMBER_ROOM 80

struct label_block {
    size_t begin, end; /* offsets in exposition.bytes */
};

struct exposition {
    struct roster *roster;      /* a reference to the roster that the other fields are made of */
    struct text info;           /* the info families: with the same roster they stay the same */
    struct text bytes;          /* {cgroup="…" of each target, one behind the other */
    struct label_block *blocks; /* one for each target, in the order of parts and identities */
};

struct exposition *exposition_new(void)
{
    return calloc(1, sizeof(struct exposition));
}

static void forget_roster(struct exposition *exposition)
{
    exposition->roster = roster_unref(exposition->roster);
    text_done(&exposition->info);
    text_done(&exposition->bytes);
    free(TAKE(exposition->blocks));
}

struct exposition *exposition_free(struct exposition *exposition)
{
    if (!exposition)
        return NULL;
    forget_roster(exposition);
    free(exposition);
    return NULL;
}

static size_t count_targets(const struct roster *roster)
{
    size_t n = 0;

    for (size_t i = 0; i < roster->catalogue->n_plans; i++)
        n += roster->parts[i].n;
    return n;
}

/* Makes what stands behind the target's labels: those of the column, the brace, a space. */
static void make_suffix(struct text *suffix, const struct column *column, bool has_labels)
{
    text_clear(suffix);
    for (size_t i = 0; i < COLUMN_LABELS && column->labels[i].name; i++) {
        text_append_char(suffix, has_labels ? ',' : '{');
        format_append_label(suffix, column->labels[i].name, column->labels[i].value);
        has_labels = true;
    }
    text_append_string(suffix, has_labels ? "} " : " ");
}

/* Unknown is absent: such a number has no line. */
static bool is_absent(union number number, enum number_form form)
{
    return form == NUMBER_REAL ? isnan(number.real) : number.count == NUMBER_ABSENT_COUNT;
}

static void append_number(struct text *text, union number number, const struct column *column)
{
    switch (column->form) {
    case NUMBER_COUNT:
        text_append_u64(text, number.count);
        break;
    case NUMBER_SECONDS:
        text_append_seconds(text, number.count);
        break;
    case NUMBER_SCALED:
        text_append_double(text, (double)number.count * column->scale);
        break;
    case NUMBER_REAL:
        text_append_double(text, number.real);
        break;
    }
}

/* Writes the lines of one column of one plan. */
static void append_samples(struct exposition *exposition, const struct snapshot *snapshot,
                           const struct family *family, const struct family_use *use,
                           struct text *text)
{
    const struct roster *roster = snapshot->roster;
    const struct plan *plan = roster->catalogue->plans[use->plan];
    const struct column *column = &plan->columns[use->column];
    const struct roster_part *part = &roster->parts[use->plan];
    const union number *number = snapshot->numbers + part->first + use->column;
    const struct label_block *block = exposition->blocks;
    size_t name_length = strlen(family->name);
    AUTO_TEXT struct text suffix = {0};

    for (size_t i = 0; i < use->plan; i++)
        block += roster->parts[i].n;
    make_suffix(&suffix, column, part->n > 0 && block->end > block->begin);
    if (text_error(&suffix) < 0) {
        text->failed = true;
        return;
    }
    for (size_t i = 0; i < part->n; i++, block++, number += plan->n_columns) {
        size_t labels_length = block->end - block->begin;

        if (is_absent(*number, column->form) ||
            !text_reserve(text, name_length + labels_length + suffix.length + NUMBER_ROOM))
            continue;
        text_append(text, family->name, name_length);
        text_append(text, exposition->bytes.data + block->begin, labels_length);
        text_append(text, suffix.data, suffix.length);
        append_number(text, *number, column);
        text_append_char(text, '\n');
    }
}

static void append_family(struct exposition *exposition, const struct snapshot *snapshot,
                          const struct family *family, struct text *text)
{
    size_t begin = text->length, samples;

    format_append_head(text, family->name, family->help, family->type);
    samples = text->length;
    for (size_t i = 0; i < family->n_uses; i++)
        append_samples(exposition, snapshot, family, &family->uses[i], text);
    if (text->length == samples)
        text->length = begin; /* a family without samples is not shown at all */
}

static void append_info_line(const char *name, const struct identity *identity, struct text *text)
{
    size_t n_labels, n_info;
    const struct label *labels = identity_labels(identity, &n_labels);
    const struct label *info = identity_info(identity, &n_info);

    if (n_info == 0)
        return;
    text_append_string(text, name);
    format_append_labels(text, labels, n_labels);
    for (size_t i = 0; i < n_info; i++) {
        text_append_char(text, i == 0 && n_labels == 0 ? '{' : ',');
        format_append_label(text, info[i].name, info[i].value);
    }
    text_append_string(text, "} 1\n");
}

/* Whether an earlier plan has the same prefix: then append_info() has written for both. */
static bool info_is_written(const struct catalogue *catalogue, size_t plan)
{
    for (size_t i = 0; i < plan; i++)
        if (strcmp(catalogue->plans[i]->prefix, catalogue->plans[plan]->prefix) == 0)
            return true;
    return false;
}

/* Writes one info family for this plan and all later ones with its prefix. */
static void append_info(const struct roster *roster, size_t plan, struct text *text)
{
    const struct catalogue *catalogue = roster->catalogue;
    const char *prefix = catalogue->plans[plan]->prefix;
    size_t begin = text->length, samples;
    AUTO_TEXT struct text name_text = {0};
    AUTO_FREE char *name = NULL;

    text_append_format(&name_text, "%sinfo", prefix);
    name = text_take(&name_text);
    if (!name) {
        text->failed = true;
        return;
    }
    format_append_head(text, name, catalogue->plans[plan]->info_help, FAMILY_GAUGE);
    samples = text->length;
    for (size_t i = plan; i < catalogue->n_plans; i++)
        if (strcmp(catalogue->plans[i]->prefix, prefix) == 0)
            for (size_t j = 0; j < roster->parts[i].n; j++)
                append_info_line(name, roster->parts[i].identities[j], text);
    if (text->length == samples)
        text->length = begin;
}

/*
 * Escapes the labels of all targets once. A roster changes when a target comes or goes, while the
 * page is written for each scrape, so this work is shared by many pages.
 */
static int learn_roster(struct exposition *exposition, struct roster *roster)
{
    struct label_block *block;

    forget_roster(exposition);
    exposition->blocks = calloc(count_targets(roster) + 1, sizeof(*exposition->blocks));
    if (!exposition->blocks)
        return -ENOMEM;
    block = exposition->blocks;
    for (size_t i = 0; i < roster->catalogue->n_plans; i++)
        for (size_t j = 0; j < roster->parts[i].n; j++, block++) {
            size_t n_labels;
            const struct label *labels = identity_labels(roster->parts[i].identities[j], &n_labels);

            block->begin = exposition->bytes.length;
            format_append_labels(&exposition->bytes, labels, n_labels);
            block->end = exposition->bytes.length;
        }
    for (size_t i = 0; i < roster->catalogue->n_plans; i++)
        if (!info_is_written(roster->catalogue, i))
            append_info(roster, i, &exposition->info);
    if (text_error(&exposition->bytes) < 0 || text_error(&exposition->info) < 0) {
        forget_roster(exposition);
        return -ENOMEM;
    }
    exposition->roster = roster_ref(roster);
    return 0;
}

int exposition_write(struct exposition *exposition, const struct snapshot *snapshot,
                     const struct exposition_facts *facts, struct text *text)
{
    const struct catalogue *catalogue = snapshot->roster->catalogue;

    if (!facts->stale) {
        if (exposition->roster != snapshot->roster) {
            int r = learn_roster(exposition, snapshot->roster);

            if (r < 0)
                return r;
        }
        text_append(text, exposition->info.data, exposition->info.length);
        for (size_t i = 0; i < catalogue->n_families; i++)
            append_family(exposition, snapshot, &catalogue->families[i], text);
    }
    own_families_append(text, snapshot, facts);
    return text_error(text);
}
