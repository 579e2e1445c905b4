/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/bpf/keyed_table.h"

#include "support/check.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PLACES 3000

struct fixture {
    int map;
    struct keyed_table *table;
};

static long bpf(enum bpf_cmd command, union bpf_attr *attr)
{
    return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

/* The map of a program. It is never loaded: the tests do what it does. */
static int make_map(void)
{
    union bpf_attr attr = {.map_type = BPF_MAP_TYPE_HASH,
                           .key_size = sizeof(struct keyed_key),
                           .value_size = sizeof(struct keyed_cell),
                           .max_entries = PLACES};

    return (int)bpf(BPF_MAP_CREATE, &attr);
}

static void put(const struct fixture *f, const struct keyed_key *key, const struct keyed_cell *cell)
{
    union bpf_attr attr = {
        .map_fd = (__u32)f->map, .key = (uintptr_t)key, .value = (uintptr_t)cell};

    assert_int_equal(bpf(BPF_MAP_UPDATE_ELEM, &attr), 0);
}

static bool is_there(const struct fixture *f, const struct keyed_key *key)
{
    struct keyed_cell cell;
    union bpf_attr attr = {
        .map_fd = (__u32)f->map, .key = (uintptr_t)key, .value = (uintptr_t)&cell};

    return bpf(BPF_MAP_LOOKUP_ELEM, &attr) == 0;
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    *state = f;
    f->map = make_map();
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    (void)keyed_table_free(f->table);
    if (f->map >= 0)
        (void)close(f->map);
    free(f);
    return 0;
}

static struct fixture *need_map(void **state)
{
    struct fixture *f = *state;
    int r = f->map < 0 ? -EPERM : keyed_table_new(f->map, &f->table);

    if (r < 0) {
        print_message("skipped: no map of bpf: %s\n", strerror(-r));
        skip();
    }
    return f;
}

/* What was told: how often, the last key, and the sum of all. */
struct told {
    size_t n;
    struct keyed_key key;
    struct keyed_delta sum;
};

static void take(void *context, const struct keyed_key *key, const struct keyed_delta *delta)
{
    struct told *told = context;

    told->n++;
    told->key = *key;
    for (size_t i = 0; i < KEYED_TALLIES; i++)
        told->sum.tallies[i] += delta->tallies[i];
    for (size_t i = 0; i < KEYED_DISTRIBUTIONS; i++) {
        told->sum.sums_ns[i] += delta->sums_ns[i];
        for (size_t j = 0; j < KEYED_BUCKETS; j++)
            told->sum.buckets[i][j] += delta->buckets[i][j];
    }
}

static struct told read_table(const struct fixture *f)
{
    struct told told = {0};

    assert_int_equal(keyed_table_read(f->table, take, &told), 0);
    return told;
}

static void read__tells_what_was_added_since_the_last_reading(void **state)
{
    struct fixture *f = need_map(state);
    const struct keyed_key key = {.slot = 7, .detail = 1, .subject = UINT64_C(1) << 40};
    struct keyed_cell cell = {.sums_ns = {10, 20}, .tallies = {1, 2, 3, 4}};
    struct told told;

    cell.buckets[1][23] = 5;
    put(f, &key, &cell);
    told = read_table(f);
    assert_int_equal(told.n, 1);
    assert_memory_equal(&told.key, &key, sizeof(key));
    assert_int_equal(told.sum.sums_ns[1], 20);
    assert_int_equal(told.sum.tallies[3], 4);
    assert_int_equal(told.sum.buckets[1][23], 5);
    cell.sums_ns[0] = 11;
    cell.tallies[0] = 4;
    cell.buckets[0][0] = 1;
    put(f, &key, &cell);
    told = read_table(f);
    assert_int_equal(told.n, 1);
    assert_int_equal(told.sum.sums_ns[0], 1);
    assert_int_equal(told.sum.sums_ns[1], 0);
    assert_int_equal(told.sum.tallies[0], 3);
    assert_int_equal(told.sum.buckets[0][0], 1);
    assert_int_equal(told.sum.buckets[1][23], 0);
}

static void read__is_silent_where_nothing_has_changed(void **state)
{
    struct fixture *f = need_map(state);
    const struct keyed_key key = {.slot = 7};

    assert_int_equal(read_table(f).n, 0);
    put(f, &key, &(struct keyed_cell){.tallies = {1}});
    assert_int_equal(read_table(f).n, 1);
    assert_int_equal(read_table(f).n, 0);
}

static void read__undoes_that_a_bucket_has_wrapped(void **state)
{
    struct fixture *f = need_map(state);
    const struct keyed_key key = {.slot = 7};
    struct keyed_cell cell = {0};

    cell.buckets[0][3] = UINT32_MAX - 1;
    put(f, &key, &cell);
    assert_int_equal(read_table(f).sum.buckets[0][3], UINT32_MAX - 1);
    cell.buckets[0][3] = 3;
    put(f, &key, &cell);
    assert_int_equal(read_table(f).sum.buckets[0][3], 5);
}

/* More than there are in a batch. */
static void fill(const struct fixture *f, uint64_t tally)
{
    for (uint32_t i = 0; i < PLACES; i++) {
        const struct keyed_key key = {.slot = i % 10, .detail = i % 7, .subject = i};

        put(f, &key, &(struct keyed_cell){.tallies = {tally}});
    }
}

static void read__tells_each_of_many_once(void **state)
{
    struct fixture *f = need_map(state);
    struct told told;

    fill(f, 1);
    told = read_table(f);
    assert_int_equal(told.n, PLACES);
    assert_int_equal(told.sum.tallies[0], PLACES);
    fill(f, 3);
    told = read_table(f);
    assert_int_equal(told.n, PLACES);
    assert_int_equal(told.sum.tallies[0], 2 * PLACES);
}

/* Whether the slot is the one, or any that is larger. */
static bool is_from(const void *context, uint32_t slot)
{
    const uint32_t *first = context;

    return slot >= *first;
}

static void forget__removes_all_slots_that_were_given_up(void **state)
{
    struct fixture *f = need_map(state);
    const struct keyed_key known = {.slot = 3, .detail = 3, .subject = 3},
                           last = {.slot = 9, .detail = 2, .subject = 9};
    const struct keyed_key new = {.slot = 3, .detail = 99},
                           other = {.slot = 2, .detail = 2, .subject = 2};
    const uint32_t first = 3;
    struct told told;

    fill(f, 1);
    (void)read_table(f);
    put(f, &other, &(struct keyed_cell){.tallies = {11}});
    assert_true(is_there(f, &last));
    assert_int_equal(keyed_table_forget(f->table, is_from, &first), 0);
    assert_false(is_there(f, &known));
    assert_false(is_there(f, &last));
    assert_true(is_there(f, &other));
    put(f, &new, &(struct keyed_cell){.tallies = {2}}); /* there is room again */
    told = read_table(f);
    assert_int_equal(told.n, 2); /* and nothing was told in the name of others */
    assert_int_equal(told.sum.tallies[0], 2 + 10);
}

static void forget__has_a_slot_begin_at_zero_again(void **state)
{
    struct fixture *f = need_map(state);
    const struct keyed_key key = {.slot = 3};
    const uint32_t first = 3;

    put(f, &key, &(struct keyed_cell){.tallies = {6}});
    assert_int_equal(read_table(f).sum.tallies[0], 6);
    assert_int_equal(keyed_table_forget(f->table, is_from, &first), 0);
    put(f, &key, &(struct keyed_cell){.tallies = {2}});
    assert_int_equal(read_table(f).sum.tallies[0], 2);
}

static void read__of_what_is_no_map_fails(void **state)
{
    struct fixture *f = need_map(state);
    struct keyed_table *table;
    struct told told = {0};

    (void)f;
    assert_int_equal(keyed_table_new(STDERR_FILENO, &table), 0);
    assert_int_equal(keyed_table_read(table, take, &told), -EINVAL);
    assert_int_equal(told.n, 0);
    (void)keyed_table_free(table);
}

static void places__are_told_by_their_key_and_freed_with_their_slot(void **state)
{
    const uint32_t first = 3;
    struct fixture *f = need_map(state);
    struct keyed_place places[3] = {{.key = (UINT64_C(3) << 32) + 39 + 1, .tallies = {5, 6}},
                                    {0},
                                    {.key = (UINT64_C(2) << 32) + 39 + 1, .tallies = {7}}};
    struct told told;

    assert_int_equal(keyed_table_add_places(f->table, places, ARRAY_SIZE(places)), 0);
    told = read_table(f);
    assert_int_equal(told.n, 2);
    assert_int_equal(told.key.slot, 2);
    assert_int_equal(told.key.subject, 39);
    assert_int_equal(told.sum.tallies[0], 12);
    assert_int_equal(told.sum.tallies[1], 6);
    places[0].tallies[0] = 15;
    told = read_table(f);
    assert_int_equal(told.n, 1);
    assert_int_equal(told.key.slot, 3);
    assert_int_equal(told.sum.tallies[0], 10);
    assert_int_equal(keyed_table_forget(f->table, is_from, &first), 0);
    assert_int_equal(places[0].key, 0);
    assert_int_equal(places[0].tallies[0], 0);
    assert_int_equal(places[1].key, 0);
    assert_int_equal(places[2].tallies[0], 7);
    places[0] = (struct keyed_place){.key = 1, .tallies = {2}}; /* another one's from zero on */
    told = read_table(f);
    assert_int_equal(told.n, 1);
    assert_int_equal(told.key.slot, 0);
    assert_int_equal(told.sum.tallies[0], 2);
}

#define with_map(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_map(read__tells_what_was_added_since_the_last_reading),
        with_map(read__is_silent_where_nothing_has_changed),
        with_map(read__undoes_that_a_bucket_has_wrapped),
        with_map(read__tells_each_of_many_once),
        with_map(forget__removes_all_slots_that_were_given_up),
        with_map(forget__has_a_slot_begin_at_zero_again),
        with_map(read__of_what_is_no_map_fails),
        with_map(places__are_told_by_their_key_and_freed_with_their_slot),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
