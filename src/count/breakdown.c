/* SPDX-License-Identifier: Apache-2.0 */
#include "count/breakdown.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/reference.h"
#include "sys/bpf/block/counts.h"
#include "sys/bpf/interrupts/counts.h"
#include "sys/bpf/kvm/counts.h"
#include "sys/bpf/spans/program.h"
#include "sys/bpf/syscalls/counts.h"
#include "sys/bpf/tcp/counts.h"

/* The object that is counted by reference. Callers see its member `breakdown` only. */
struct shared_breakdown {
    struct breakdown breakdown;
    struct reference reference;
    size_t lines_capacity, numbers_capacity;
};

#define BUCKETS(first_exponent)                                                                    \
    {                                                                                              \
        .n = KEYED_BUCKETS, .exponent = (first_exponent)                                           \
    }

const struct breakdown_shape breakdown_shapes[BREAKDOWN_KIND_COUNT_] = {
    [BREAKDOWN_BLOCK_IO] =
        {LATENCY_KIND_BLOCK_IO, {"device", "op"}, 4, 2, BUCKETS(BLOCK_FIRST_EXPONENT), 48},
    [BREAKDOWN_SOFTIRQS] =
        {LATENCY_KIND_INTERRUPTS, {"vector"}, 1, 1, BUCKETS(INTERRUPTS_FIRST_EXPONENT), 12},
    [BREAKDOWN_HARDIRQS] =
        {LATENCY_KIND_INTERRUPTS, {"irq", "device"}, 1, 1, BUCKETS(INTERRUPTS_FIRST_EXPONENT), 64},
    [BREAKDOWN_KVM_EXITS] = {LATENCY_KIND_KVM, {"reason"}, 1, 1, BUCKETS(KVM_FIRST_EXPONENT), 16},
    [BREAKDOWN_KVM_ENTRIES] = {LATENCY_KIND_KVM, {"vcpu"}, 1, 0, BUCKETS(KVM_FIRST_EXPONENT), 64},
    [BREAKDOWN_TCP] = {LATENCY_KIND_TCP, {NULL}, 3, 1, BUCKETS(TCP_FIRST_EXPONENT), 1},
    [BREAKDOWN_SPANS] =
        {LATENCY_KIND_SPANS, {"span"}, 0, 1, BUCKETS(SPAN_FIRST_EXPONENT), SPANS_MOST},
    /* 20 calls, and the others */
    [BREAKDOWN_SYSTEM_CALLS] =
        {LATENCY_KIND_SYSTEM_CALLS, {"call"}, 2, 0, BUCKETS(SYSCALLS_FIRST_EXPONENT), 21},
    [BREAKDOWN_SYSTEM_CALL_TIMES] = {LATENCY_KIND_SYSTEM_CALLS,
                                     {"call", "class"},
                                     0,
                                     1,
                                     BUCKETS(SYSCALLS_FIRST_EXPONENT),
                                     SYSCALLS_MOST_TIMED},
};

static struct shared_breakdown *shared_of(struct breakdown *breakdown)
{
    return (struct shared_breakdown *)breakdown;
}

size_t breakdown_numbers(enum breakdown_kind kind)
{
    return breakdown_first_bucket(kind, breakdown_shapes[kind].n_distributions);
}

size_t breakdown_first_bucket(enum breakdown_kind kind, size_t distribution)
{
    return breakdown_shapes[kind].n_tallies + distribution * (KEYED_BUCKETS + 1);
}

struct breakdown *breakdown_new(enum breakdown_kind kind)
{
    struct shared_breakdown *shared = calloc(1, sizeof(*shared));

    if (!shared)
        return NULL;
    reference_init(&shared->reference);
    shared->breakdown.kind = kind;
    return &shared->breakdown;
}

struct breakdown *breakdown_ref(struct breakdown *breakdown)
{
    reference_take(&shared_of(breakdown)->reference);
    return breakdown;
}

struct breakdown *breakdown_unref(struct breakdown *breakdown)
{
    if (!breakdown || !reference_drop(&shared_of(breakdown)->reference))
        return NULL;
    free(breakdown->lines);
    free(breakdown->numbers);
    free(shared_of(breakdown));
    return NULL;
}

static int compare(const struct breakdown_line *a, const struct breakdown_line *b)
{
    const int first = strcmp(a->labels[0], b->labels[0]);

    return first ? first : strcmp(a->labels[1], b->labels[1]);
}

/* The place of the first line that does not stand before this one. */
static size_t place_of(const struct breakdown *breakdown, const struct breakdown_line *line)
{
    size_t low = 0, high = breakdown->n_lines;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (compare(&breakdown->lines[middle], line) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_at(const struct breakdown *breakdown, size_t place,
                  const struct breakdown_line *line)
{
    return place < breakdown->n_lines && compare(&breakdown->lines[place], line) == 0;
}

static int reserve(struct breakdown *breakdown, size_t n_lines)
{
    struct shared_breakdown *shared = shared_of(breakdown);
    const size_t n = breakdown_numbers(breakdown->kind);
    void *lines = array_reserve(breakdown->lines, sizeof(*breakdown->lines),
                                &shared->lines_capacity, n_lines),
         *numbers;

    if (!lines)
        return -ENOMEM;
    breakdown->lines = lines;
    numbers = array_reserve(breakdown->numbers, sizeof(*breakdown->numbers),
                            &shared->numbers_capacity, n_lines * n);
    if (!numbers)
        return -ENOMEM;
    breakdown->numbers = numbers;
    return 0;
}

/* Makes a line without counts. 0 or -ENOMEM. */
static int insert(struct breakdown *breakdown, size_t place, const struct breakdown_line *line)
{
    const size_t n = breakdown_numbers(breakdown->kind), n_behind = breakdown->n_lines - place;
    struct breakdown_line *at;
    uint64_t *numbers;

    if (reserve(breakdown, breakdown->n_lines + 1) < 0)
        return -ENOMEM;
    at = &breakdown->lines[place];
    numbers = &breakdown->numbers[place * n];
    memmove(at + 1, at, n_behind * sizeof(*at));
    memmove(numbers + n, numbers, n_behind * n * sizeof(*numbers));
    *at = *line;
    memset(numbers, 0, n * sizeof(*numbers));
    breakdown->n_lines++;
    return 0;
}

struct breakdown_line breakdown_others(enum breakdown_kind kind)
{
    struct breakdown_line line = {0};

    for (size_t i = 0; i < ARRAY_SIZE(line.labels); i++)
        if (breakdown_shapes[kind].label_names[i])
            memcpy(line.labels[i], BREAKDOWN_OTHER, sizeof(BREAKDOWN_OTHER));
    return line;
}

int breakdown_add(struct breakdown *breakdown, const struct breakdown_line *line,
                  const uint64_t *numbers)
{
    const size_t n = breakdown_numbers(breakdown->kind);
    const struct breakdown_line others = breakdown_others(breakdown->kind);
    size_t place = place_of(breakdown, line);

    if (!is_at(breakdown, place, line) &&
        breakdown->n_lines >= breakdown_shapes[breakdown->kind].most_lines) {
        line = &others;
        place = place_of(breakdown, line);
    }
    if (!is_at(breakdown, place, line) && insert(breakdown, place, line) < 0)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++)
        breakdown->numbers[place * n + i] += numbers[i];
    return 0;
}

int breakdown_add_all(struct breakdown *sum, const struct breakdown *part)
{
    const size_t n = breakdown_numbers(part->kind);
    int r = 0;

    for (size_t i = 0; i < part->n_lines && r == 0; i++)
        r = breakdown_add(sum, &part->lines[i], &part->numbers[i * n]);
    return r;
}

void breakdowns_clear(struct breakdowns *breakdowns)
{
    for (size_t i = 0; i < BREAKDOWN_KIND_COUNT_; i++)
        breakdowns->of[i] = breakdown_unref(breakdowns->of[i]);
}

/* A sum of its own of two breakdowns, of which the first may be NULL. NULL: no memory. */
static struct breakdown *sum_of(const struct breakdown *a, const struct breakdown *b)
{
    AUTO(breakdown) struct breakdown *sum = breakdown_new(b->kind);

    if (!sum || reserve(sum, (a ? a->n_lines : 0) + b->n_lines) < 0 ||
        (a && breakdown_add_all(sum, a) < 0) || breakdown_add_all(sum, b) < 0)
        return NULL;
    return TAKE(sum);
}

int breakdowns_add(struct breakdowns *sums, const struct breakdowns *part)
{
    for (size_t i = 0; i < BREAKDOWN_KIND_COUNT_; i++) {
        struct breakdown *sum;

        if (!part->of[i] || part->of[i]->n_lines == 0)
            continue;
        sum = sum_of(sums->of[i], part->of[i]);
        if (!sum)
            return -ENOMEM;
        (void)breakdown_unref(sums->of[i]);
        sums->of[i] = sum;
    }
    return 0;
}
