/* SPDX-License-Identifier: Apache-2.0 */
#include "service/run_numbers.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* How many spans begin with the number, or below it. */
static size_t spans_up_to(const struct run_numbers *numbers, uint64_t number)
{
    size_t n = numbers->n;

    while (n > 0 && numbers->spans[n - 1].first > number)
        n--;
    return n;
}

static void insert(struct run_numbers *numbers, size_t at, uint64_t number)
{
    struct run_span *spans =
        array_reserve(numbers->spans, sizeof(*spans), &numbers->capacity, numbers->n + 1);

    if (!spans)
        return;
    numbers->spans = spans;
    memmove(&spans[at + 1], &spans[at], (numbers->n - at) * sizeof(*spans));
    spans[at] = (struct run_span){number, number};
    numbers->n++;
}

/* The span before `at` goes on with the one that stands there. */
static void join(struct run_numbers *numbers, size_t at)
{
    struct run_span *spans = numbers->spans;

    spans[at - 1].last = spans[at].last;
    memmove(&spans[at], &spans[at + 1], (numbers->n - at - 1) * sizeof(*spans));
    numbers->n--;
}

void run_numbers_add(struct run_numbers *numbers, uint64_t number)
{
    const size_t at = spans_up_to(numbers, number);
    struct run_span *const spans = numbers->spans;
    const bool precedes = at < numbers->n && spans[at].first == number + 1;
    const bool follows = at > 0 && spans[at - 1].last + 1 == number;

    if (at > 0 && number <= spans[at - 1].last)
        return;
    if (precedes)
        spans[at].first = number;
    if (follows)
        spans[at - 1].last = number;
    if (precedes && follows)
        join(numbers, at);
    if (!precedes && !follows)
        insert(numbers, at, number);
}

bool run_numbers_have(const struct run_numbers *numbers, uint64_t number)
{
    const size_t n = spans_up_to(numbers, number);

    return n > 0 && number <= numbers->spans[n - 1].last;
}

void run_numbers_done(struct run_numbers *numbers)
{
    free(numbers->spans);
    *numbers = (struct run_numbers){0};
}
