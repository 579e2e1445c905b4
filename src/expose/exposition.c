/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A line consists of a family's name, a target's labels, a suffix and digits. The first three
 * are ready as bytes: names stand in the catalogue, and labels are kept here, escaped, for as long
 * as the roster stays. So a line costs three short copies and the digits.
 */
#include "expose/exposition.h"

#include <errno.h>
#include <math.h>

#include "expose/breakdowns.h"
#include "expose/format.h"
#include "expose/histogram.h"
#include "expose/own_families.h"
#include "expose/page.h"
#include "metric/catalogue.h"
#include "metric/roster.h"

/* Enough for the longest number, for what text_append_u64() copies, and for a newline. */
#define NUMBER_ROOM 80

/* What describes targets: with the same roster its lines stay the same. */
struct info_family {
    char *name;       /* "pmu_cgroup_info" */
    const char *help; /* borrowed from a plan */
    struct text lines;
};

struct exposition {
    struct roster *roster;     /* a reference to the roster that the other fields are made of */
    struct info_family *infos; /* one for each prefix of the plans */
    size_t n_infos;
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
    for (size_t i = 0; i < exposition->n_infos; i++) {
        free(exposition->infos[i].name);
        text_done(&exposition->infos[i].lines);
    }
    exposition->n_infos = 0;
    free(TAKE(exposition->infos));
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

/* The labels of the first target of a plan. */
static const struct label_block *first_block(const struct exposition *exposition, size_t plan)
{
    const struct label_block *block = exposition->blocks;

    for (size_t i = 0; i < plan; i++)
        block += exposition->roster->parts[i].n;
    return block;
}

/* Writes the histograms of one plan. */
static void append_histograms(const struct exposition *exposition, const struct snapshot *snapshot,
                              const struct family_use *use, struct text *text)
{
    const struct roster *roster = snapshot->roster;
    const struct plan *plan = roster->catalogue->plans[use->plan];
    const struct roster_part *part = &roster->parts[use->plan];
    const struct histogram_targets targets = {plan, snapshot->numbers + part->first, part->n,
                                              exposition->bytes.data,
                                              first_block(exposition, use->plan)};

    histogram_append(&plan->histograms[use->index], &targets, text);
}

/* Writes what the targets of one plan have counted by key. */
static void append_breakdowns(const struct exposition *exposition, const struct snapshot *snapshot,
                              const struct family_use *use, struct text *text)
{
    const struct breakdown_targets targets = {
        .snapshot = snapshot,
        .plan = use->plan,
        .labels = exposition->bytes.data,
        .blocks = first_block(exposition, use->plan),
    };

    breakdowns_append(&snapshot->roster->catalogue->plans[use->plan]->breakdowns[use->index],
                      &targets, text);
}

/* Writes the lines of one column of one plan. */
static void append_samples(struct exposition *exposition, const struct snapshot *snapshot,
                           const struct family *family, const struct family_use *use,
                           struct text *text)
{
    const struct roster *roster = snapshot->roster;
    const struct plan *plan = roster->catalogue->plans[use->plan];
    const struct column *column = &plan->columns[use->index];
    const struct roster_part *part = &roster->parts[use->plan];
    const union number *number = snapshot->numbers + part->first + use->index;
    const struct label_block *block = first_block(exposition, use->plan);
    size_t name_length = strlen(family->name);
    AUTO_TEXT struct text suffix = {0};

    make_suffix(&suffix, column, part->n > 0 && block->end > block->begin);
    if (text_error(&suffix) < 0) {
        text->failed = true;
        return;
    }
    for (size_t i = 0; i < part->n; i++, block++, number += plan->n_numbers) {
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

static void append_use(struct exposition *exposition, const struct snapshot *snapshot,
                       const struct family *family, const struct family_use *use, struct text *text)
{
    switch (use->kind) {
    case USE_COLUMN:
        append_samples(exposition, snapshot, family, use, text);
        break;
    case USE_HISTOGRAM:
        append_histograms(exposition, snapshot, use, text);
        break;
    case USE_BREAKDOWN:
        append_breakdowns(exposition, snapshot, use, text);
        break;
    }
}

static void append_family(struct exposition *exposition, const struct snapshot *snapshot,
                          const struct family *family, struct page *page)
{
    struct text *const text = page->text;
    const size_t begin = text->length;
    size_t samples;

    page_append_head(page, (struct family_name){family->name, family->type}, family->help);
    samples = text->length;
    for (size_t i = 0; i < family->n_uses; i++)
        append_use(exposition, snapshot, family, &family->uses[i], text);
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

/* Whether an earlier plan has the same prefix: then its family of infos is for both. */
static bool info_is_learned(const struct catalogue *catalogue, size_t plan)
{
    for (size_t i = 0; i < plan; i++)
        if (strcmp(catalogue->plans[i]->prefix, catalogue->plans[plan]->prefix) == 0)
            return true;
    return false;
}

/* Makes one family of infos for this plan and all later ones with its prefix. 0 or -ENOMEM. */
static int learn_info(struct info_family *info, const struct roster *roster, size_t plan)
{
    const struct catalogue *catalogue = roster->catalogue;
    const char *prefix = catalogue->plans[plan]->prefix;
    AUTO_TEXT struct text name = {0};

    text_append_format(&name, "%sinfo", prefix);
    *info =
        (struct info_family){.name = text_take(&name), .help = catalogue->plans[plan]->info_help};
    if (!info->name)
        return -ENOMEM;
    for (size_t i = plan; i < catalogue->n_plans; i++)
        if (strcmp(catalogue->plans[i]->prefix, prefix) == 0)
            for (size_t j = 0; j < roster->parts[i].n; j++)
                append_info_line(info->name, roster->parts[i].identities[j], &info->lines);
    return text_error(&info->lines);
}

static int learn_infos(struct exposition *exposition, const struct roster *roster)
{
    const struct catalogue *catalogue = roster->catalogue;

    exposition->infos = calloc(catalogue->n_plans + 1, sizeof(*exposition->infos));
    if (!exposition->infos)
        return -ENOMEM;
    for (size_t i = 0; i < catalogue->n_plans; i++)
        if (!info_is_learned(catalogue, i) &&
            learn_info(&exposition->infos[exposition->n_infos++], roster, i) < 0)
            return -ENOMEM;
    return 0;
}

/*
 * Escapes the labels of all targets once. A roster changes when a target comes or goes, while the
 * page is written for each scrape, so this work is shared by many pages.
 */
static int learn_labels(struct exposition *exposition, const struct roster *roster)
{
    struct label_block *block;

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
    return text_error(&exposition->bytes);
}

static int learn_roster(struct exposition *exposition, struct roster *roster)
{
    int r;

    if (exposition->roster == roster)
        return 0;
    forget_roster(exposition);
    r = learn_labels(exposition, roster);
    if (r >= 0)
        r = learn_infos(exposition, roster);
    if (r < 0)
        forget_roster(exposition);
    else
        exposition->roster = roster_ref(roster);
    return r;
}

/* The families of targets. A stale snapshot has none of their numbers, but their names are known.
 */
static void append_targets(struct exposition *exposition, const struct snapshot *snapshot,
                           bool is_stale, struct page *page)
{
    const struct catalogue *catalogue = snapshot->roster->catalogue;

    for (size_t i = 0; i < exposition->n_infos; i++) {
        const struct info_family *info = &exposition->infos[i];
        const struct family_name name = {info->name, FAMILY_INFO};

        if (!page_wants(page, name) || is_stale || info->lines.length == 0)
            continue;
        page_append_head(page, name, info->help);
        text_append(page->text, info->lines.data, info->lines.length);
    }
    for (size_t i = 0; i < catalogue->n_families; i++) {
        const struct family *family = &catalogue->families[i];

        if (page_wants(page, (struct family_name){family->name, family->type}) && !is_stale)
            append_family(exposition, snapshot, family, page);
    }
}

int exposition_write(struct exposition *exposition, const struct snapshot *snapshot,
                     const struct exposition_facts *facts, const struct exposition_order *order,
                     struct text *text)
{
    struct page page;
    int r = learn_roster(exposition, snapshot->roster);

    if (r < 0)
        return r;
    page_begin(&page, order, text);
    append_targets(exposition, snapshot, facts->stale, &page);
    own_families_append(&page, snapshot, facts);
    return page_end(&page);
}
