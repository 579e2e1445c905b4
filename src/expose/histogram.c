/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What a line has before and behind its target's labels is the same for all targets, so it is made
 * once: a line costs three short copies and the digits, as those of other families do.
 */
#include "expose/histogram.h"

#include "expose/format.h"

/* Enough for the longest number, for what text_append_u64() copies, and for a newline. */
#define NUMBER_ROOM 80

/* More than any distribution shows. */
#define MOST_BUCKETS 32

/* What stands before the labels, and what between them and the number. */
struct line {
    struct text name, suffix;
    size_t bucket; /* the last one that it counts */
};

struct histogram_lines {
    struct line of_buckets[MOST_BUCKETS], of_sum, of_count;
    size_t n_buckets;
};

static void line_done(struct line *line)
{
    text_done(&line->name);
    text_done(&line->suffix);
}

struct histogram_lines *histogram_lines_free(struct histogram_lines *lines)
{
    if (!lines)
        return NULL;
    for (size_t i = 0; i < lines->n_buckets; i++)
        line_done(&lines->of_buckets[i]);
    line_done(&lines->of_sum);
    line_done(&lines->of_count);
    free(lines);
    return NULL;
}

/* le is NULL for a line without this label. has_labels: the target has some. */
static void make_line(struct line *line, const struct histogram_shape *shape, const char *ending,
                      const char *le, bool has_labels)
{
    const struct column_label labels[] = {shape->label, {"le", (char *)le}};

    text_append_string(&line->name, shape->name);
    text_append_string(&line->name, ending);
    for (size_t i = 0; i < ARRAY_SIZE(labels); i++) {
        if (!labels[i].name || !labels[i].value)
            continue;
        text_append_char(&line->suffix, has_labels ? ',' : '{');
        format_append_label(&line->suffix, labels[i].name, labels[i].value);
        has_labels = true;
    }
    text_append_string(&line->suffix, has_labels ? "} " : " ");
}

static bool make_lines(struct histogram_lines *lines, const struct histogram_shape *shape,
                       bool has_labels)
{
    bool failed = false;

    for (size_t i = 0; i < plan_shown_buckets(shape->layout); i++) {
        struct line *line = &lines->of_buckets[lines->n_buckets++];
        AUTO_TEXT struct text le = {0};

        line->bucket = plan_shown_bucket(shape->layout, i);
        plan_append_limit(&le, shape->layout, line->bucket);
        text_append_char(&le, '\0');
        if (text_error(&le) < 0)
            return false;
        make_line(line, shape, "_bucket", le.data, has_labels);
        failed |= line->name.failed || line->suffix.failed;
    }
    make_line(&lines->of_sum, shape, "_sum", NULL, has_labels);
    make_line(&lines->of_count, shape, "_count", NULL, has_labels);
    return !failed && !lines->of_sum.name.failed && !lines->of_sum.suffix.failed &&
           !lines->of_count.name.failed && !lines->of_count.suffix.failed;
}

/* Appends all but the number. False: there is no memory. */
static bool begin_line(const struct line *line, const char *labels, size_t n_labels,
                       struct text *text)
{
    if (!text_reserve(text, line->name.length + n_labels + line->suffix.length + NUMBER_ROOM))
        return false;
    text_append(text, line->name.data, line->name.length);
    text_append(text, labels, n_labels);
    text_append(text, line->suffix.data, line->suffix.length);
    return true;
}

static void append_count(const struct line *line, const char *labels, size_t n_labels,
                         uint64_t count, struct text *text)
{
    if (!begin_line(line, labels, n_labels, text))
        return;
    text_append_u64(text, count);
    text_append_char(text, '\n');
}

struct histogram_lines *histogram_lines_new(const struct histogram_shape *shape, bool has_labels)
{
    AUTO(histogram_lines) struct histogram_lines *lines = calloc(1, sizeof(*lines));

    if (!lines || !make_lines(lines, shape, has_labels))
        return NULL;
    return TAKE(lines);
}

void histogram_append_one(const struct histogram_lines *lines, const uint64_t *numbers,
                          const char *labels, size_t n_labels, struct text *text)
{
    uint64_t count = 0;
    size_t bucket = 0;

    for (size_t i = 0; i < lines->n_buckets; i++) {
        while (bucket <= lines->of_buckets[i].bucket)
            count += numbers[bucket++];
        append_count(&lines->of_buckets[i], labels, n_labels, count, text);
    }
    if (begin_line(&lines->of_sum, labels, n_labels, text)) {
        text_append_seconds(text, numbers[bucket]);
        text_append_char(text, '\n');
    }
    append_count(&lines->of_count, labels, n_labels, count, text);
}

void histogram_append(const struct plan_histogram *histogram,
                      const struct histogram_targets *targets, struct text *text)
{
    const union number *numbers = targets->numbers + histogram->first;
    const bool has_labels = targets->n > 0 && targets->blocks[0].end > targets->blocks[0].begin;
    const struct histogram_shape shape = {
        histogram->name, &latency_layouts[histogram->distribution], histogram->label};
    AUTO(histogram_lines) struct histogram_lines *lines = histogram_lines_new(&shape, has_labels);

    text->failed |= !lines;
    for (size_t i = 0; lines && i < targets->n; i++, numbers += targets->plan->n_numbers) {
        const struct label_block *block = &targets->blocks[i];

        if (numbers->count != NUMBER_ABSENT_COUNT)
            histogram_append_one(lines, &numbers->count, targets->labels + block->begin,
                                 block->end - block->begin, text);
    }
}
