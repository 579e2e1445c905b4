/* SPDX-License-Identifier: Apache-2.0 */
#include "expose/breakdowns.h"

#include "expose/format.h"

/* A family while it is written. */
struct writer {
    const struct plan_breakdown *family;
    struct histogram_lines *lines; /* NULL: it is a counter */
    struct text *text;
};

/* The labels of the target and of the key, without the closing brace. */
static void append_labels(struct text *labels, const struct breakdown_targets *targets,
                          size_t target, const struct breakdown *breakdown, size_t line)
{
    const struct breakdown_shape *shape = &breakdown_shapes[breakdown->kind];
    const struct label_block *block = &targets->blocks[target];

    text_clear(labels);
    text_append(labels, targets->labels + block->begin, block->end - block->begin);
    for (size_t i = 0; i < ARRAY_SIZE(shape->label_names) && shape->label_names[i]; i++) {
        text_append_char(labels, labels->length > 0 ? ',' : '{');
        format_append_label(labels, shape->label_names[i], breakdown->lines[line].labels[i]);
    }
}

static bool is_empty(const uint64_t *numbers)
{
    for (size_t i = 0; i < KEYED_BUCKETS; i++)
        if (numbers[i] > 0)
            return false;
    return true;
}

/* A histogram is there from its first observation on. */
static void append_line(const struct writer *writer, const struct text *labels,
                        const uint64_t *numbers)
{
    if (writer->lines) {
        if (!is_empty(numbers))
            histogram_append_one(writer->lines, numbers, labels->data, labels->length,
                                 writer->text);
        return;
    }
    text_append_string(writer->text, writer->family->name);
    text_append(writer->text, labels->data, labels->length);
    text_append_string(writer->text, labels->length > 0 ? "} " : " ");
    text_append_u64(writer->text, *numbers);
    text_append_char(writer->text, '\n');
}

static void append_target(const struct writer *writer, const struct breakdown_targets *targets,
                          const struct snapshot_breakdown *of, struct text *labels)
{
    const size_t n = breakdown_numbers(of->breakdown->kind);

    for (size_t i = 0; i < of->breakdown->n_lines; i++) {
        append_labels(labels, targets, of->target, of->breakdown, i);
        append_line(writer, labels, &of->breakdown->numbers[i * n + writer->family->first]);
    }
}

/* Whether there are labels in front of `le`. */
static bool has_labels(const struct plan_breakdown *family, const struct breakdown_targets *targets)
{
    return breakdown_shapes[family->kind].label_names[0] ||
           targets->blocks[0].end > targets->blocks[0].begin;
}

void breakdowns_append(const struct plan_breakdown *family, const struct breakdown_targets *targets,
                       struct text *text)
{
    const struct snapshot *snapshot = targets->snapshot;
    const struct histogram_shape shape = {
        family->name, &breakdown_shapes[family->kind].distributions, {0}};
    AUTO(histogram_lines) struct histogram_lines *lines = NULL;
    AUTO_TEXT struct text labels = {0};

    if (family->type == FAMILY_HISTOGRAM) {
        lines = histogram_lines_new(&shape, has_labels(family, targets));
        text->failed |= !lines;
        if (!lines)
            return;
    }
    for (size_t i = 0; i < snapshot->n_breakdowns; i++) {
        const struct snapshot_breakdown *of = &snapshot->breakdowns[i];

        if (of->plan == targets->plan && of->breakdown->kind == family->kind)
            append_target(&(struct writer){family, lines, text}, targets, of, &labels);
    }
    text->failed |= labels.failed;
}
