/* SPDX-License-Identifier: Apache-2.0 */
/* What is counted by key: lines by their labels, sums, and who may change what. */
#include "support/check.h"

#include <stdio.h>
#include <string.h>

#include "count/breakdown.h"
#include "sys/bpf/block/counts.h"

#define N_NUMBERS (KEYED_TALLIES + KEYED_DISTRIBUTIONS * (KEYED_BUCKETS + 1))

static struct breakdown_line line_of(const char *device, const char *op)
{
    struct breakdown_line line = {0};

    (void)snprintf(line.labels[0], sizeof(line.labels[0]), "%s", device);
    (void)snprintf(line.labels[1], sizeof(line.labels[1]), "%s", op);
    return line;
}

/* Adds so many requests. */
static void add(struct breakdown *breakdown, const char *device, const char *op, uint64_t n)
{
    const struct breakdown_line line = line_of(device, op);
    const uint64_t numbers[N_NUMBERS] = {[BLOCK_REQUESTS] = n, [N_NUMBERS - 1] = 10 * n};

    assert_int_equal(breakdown_add(breakdown, &line, numbers), 0);
}

static void check(const struct breakdown *breakdown, size_t i, const char *device, const char *op,
                  uint64_t n)
{
    const uint64_t *numbers = &breakdown->numbers[i * N_NUMBERS];

    assert_true(i < breakdown->n_lines);
    assert_string_equal(breakdown->lines[i].labels[0], device);
    assert_string_equal(breakdown->lines[i].labels[1], op);
    assert_int_equal(numbers[BLOCK_REQUESTS], n);
    assert_int_equal(numbers[BLOCK_BYTES], 0);
    assert_int_equal(numbers[N_NUMBERS - 1], 10 * n);
}

static void line__has_tallies_and_behind_them_distributions_with_their_sums(void **state)
{
    (void)state;
    assert_int_equal(breakdown_numbers(BREAKDOWN_BLOCK_IO), N_NUMBERS);
    assert_int_equal(breakdown_first_bucket(BREAKDOWN_BLOCK_IO, 0), KEYED_TALLIES);
    assert_int_equal(breakdown_first_bucket(BREAKDOWN_BLOCK_IO, 1),
                     KEYED_TALLIES + KEYED_BUCKETS + 1);
}

static void lines__are_ordered_by_their_labels_and_add_up(void **state)
{
    AUTO(breakdown) struct breakdown *breakdown = breakdown_new(BREAKDOWN_BLOCK_IO);

    (void)state;
    add(breakdown, "sdb", "read", 1);
    add(breakdown, "sda", "write", 2);
    add(breakdown, "sda", "read", 3);
    add(breakdown, "sdb", "read", 4);
    assert_int_equal(breakdown->n_lines, 3);
    check(breakdown, 0, "sda", "read", 3);
    check(breakdown, 1, "sda", "write", 2);
    check(breakdown, 2, "sdb", "read", 5);
}

static void keys__beyond_the_last_line_are_counted_together(void **state)
{
    const size_t most = breakdown_shapes[BREAKDOWN_BLOCK_IO].most_lines;
    AUTO(breakdown) struct breakdown *breakdown = breakdown_new(BREAKDOWN_BLOCK_IO);
    uint64_t others = 0;
    char name[32];

    (void)state;
    for (size_t i = 0; i < most + 5; i++) {
        (void)snprintf(name, sizeof(name), "d%03zu", i);
        add(breakdown, name, "read", i);
        others += i >= most ? i : 0;
    }
    assert_int_equal(breakdown->n_lines, most + 1);
    check(breakdown, most, BREAKDOWN_OTHER, BREAKDOWN_OTHER, others);
    add(breakdown, "d000", "read", 7); /* whoever has a line keeps it */
    check(breakdown, 0, "d000", "read", 7);
}

static void sums__do_not_change_what_others_share(void **state)
{
    struct breakdowns sums = {0};
    struct breakdowns part = {.of[BREAKDOWN_BLOCK_IO] = breakdown_new(BREAKDOWN_BLOCK_IO)};
    AUTO(breakdown) struct breakdown *shared = NULL;

    (void)state;
    add(part.of[BREAKDOWN_BLOCK_IO], "sda", "read", 1);
    assert_int_equal(breakdowns_add(&sums, &part), 0);
    shared = breakdown_ref(sums.of[BREAKDOWN_BLOCK_IO]);
    add(part.of[BREAKDOWN_BLOCK_IO], "sdb", "read", 2);
    assert_int_equal(breakdowns_add(&sums, &part), 0);
    assert_int_equal(shared->n_lines, 1);
    check(shared, 0, "sda", "read", 1);
    check(sums.of[BREAKDOWN_BLOCK_IO], 0, "sda", "read", 2);
    check(sums.of[BREAKDOWN_BLOCK_IO], 1, "sdb", "read", 2);
    breakdowns_clear(&sums);
    breakdowns_clear(&part);
    assert_null(sums.of[BREAKDOWN_BLOCK_IO]);
}

static void sums__to_which_nothing_is_added_stay_the_same_object(void **state)
{
    struct breakdowns sums = {.of[BREAKDOWN_BLOCK_IO] = breakdown_new(BREAKDOWN_BLOCK_IO)};
    struct breakdowns empty = {.of[BREAKDOWN_BLOCK_IO] = breakdown_new(BREAKDOWN_BLOCK_IO)};
    const struct breakdown *before = sums.of[BREAKDOWN_BLOCK_IO];

    (void)state;
    assert_int_equal(breakdowns_add(&sums, &empty), 0);
    assert_int_equal(breakdowns_add(&sums, &(struct breakdowns){0}), 0);
    assert_ptr_equal(sums.of[BREAKDOWN_BLOCK_IO], before);
    breakdowns_clear(&sums);
    breakdowns_clear(&empty);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(line__has_tallies_and_behind_them_distributions_with_their_sums),
        cmocka_unit_test(lines__are_ordered_by_their_labels_and_add_up),
        cmocka_unit_test(keys__beyond_the_last_line_are_counted_together),
        cmocka_unit_test(sums__do_not_change_what_others_share),
        cmocka_unit_test(sums__to_which_nothing_is_added_stay_the_same_object),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
