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
    struct keyed_table *table;
    struct keyed_maps maps;
};

static long bpf(enum bpf_cmd command, union bpf_attr *attr)
{
    return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static long update(int map, const void *key, const void *value)
{
    union bpf_attr attr = {.map_fd = (__u32)map, .key = (uintptr_t)key, .value = (uintptr_t)value};

    return bpf(BPF_MAP_UPDATE_ELEM, &attr);
}

static long look_up(int map, const void *key, void *ret_value)
{
    union bpf_attr attr = {
        .map_fd = (__u32)map, .key = (uintptr_t)key, .value = (uintptr_t)ret_value};

    return bpf(BPF_MAP_LOOKUP_ELEM, &attr);
}

/* The number of a cell that nobody has. */
static uint32_t pop(const struct fixture *f)
{
    uint32_t number = UINT32_MAX;
    union bpf_attr attr = {.map_fd = (__u32)f->maps.keyed_free, .value = (uintptr_t)&number};

    assert_int_equal(bpf(BPF_MAP_LOOKUP_AND_DELETE_ELEM, &attr), 0);
    return number;
}

static struct keyed_cell cell_of(const struct keyed_key *key, const struct keyed_counts *counts)
{
    return (struct keyed_cell){
        .owner = key->slot + 1, .detail = key->detail, .subject = key->subject, .counts = *counts};
}

/* What a program does, which is never loaded here. Its counts are those. */
static void put(const struct fixture *f, const struct keyed_key *key,
                const struct keyed_counts *counts)
{
    const struct keyed_cell cell = cell_of(key, counts);
    uint32_t number;

    if (look_up(f->maps.keyed, key, &number) < 0) {
        number = pop(f);
        assert_int_equal(update(f->maps.keyed, key, &number), 0);
    }
    assert_int_equal(update(f->maps.keyed_cells, &number, &cell), 0);
}

static bool is_there(const struct fixture *f, const struct keyed_key *key)
{
    uint32_t number;

    return look_up(f->maps.keyed, key, &number) == 0;
}

static int setup(void **state)
{
    *state = calloc(1, sizeof(struct fixture));
    return *state ? 0 : -1;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    (void)keyed_table_free(f->table);
    free(f);
    return 0;
}

static struct fixture *need_map(void **state)
{
    struct fixture *f = *state;
    int r = keyed_table_new(PLACES, &f->table);

    if (r == -EPERM) {
        print_message("skipped: no map of bpf: %s\n", strerror(-r));
        skip();
    }
    assert_int_equal(r, 0);
    f->maps = keyed_table_maps(f->table);
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

    keyed_table_read(f->table, take, &told);
    return told;
}

static void read__tells_what_was_added_since_the_last_reading(void **state)
{
    struct fixture *f = need_map(state);
    const struct keyed_key key = {.slot = 7, .detail = 1, .subject = UINT64_C(1) << 40};
    struct keyed_counts cell = {.sums_ns = {10, 20}, .tallies = {1, 2, 3, 4}};
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
    put(f, &key, &(struct keyed_counts){.tallies = {1}});
    assert_int_equal(read_table(f).n, 1);
    assert_int_equal(read_table(f).n, 0);
}

static void read__undoes_that_a_bucket_has_wrapped(void **state)
{
    struct fixture *f = need_map(state);
    const struct keyed_key key = {.slot = 7};
    struct keyed_counts cell = {0};

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

        put(f, &key, &(struct keyed_counts){.tallies = {tally}});
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
    put(f, &other, &(struct keyed_counts){.tallies = {11}});
    assert_true(is_there(f, &last));
    assert_int_equal(keyed_table_forget(f->table, is_from, &first), 0);
    assert_false(is_there(f, &known));
    assert_false(is_there(f, &last));
    assert_true(is_there(f, &other));
    put(f, &new, &(struct keyed_counts){.tallies = {2}}); /* there is room again */
    told = read_table(f);
    assert_int_equal(told.n, 2); /* and nothing was told in the name of others */
    assert_int_equal(told.sum.tallies[0], 2 + 10);
}

static void forget__has_a_slot_begin_at_zero_again(void **state)
{
    struct fixture *f = need_map(state);
    const struct keyed_key key = {.slot = 3};
    const uint32_t first = 3;

    put(f, &key, &(struct keyed_counts){.tallies = {6}});
    assert_int_equal(read_table(f).sum.tallies[0], 6);
    assert_int_equal(keyed_table_forget(f->table, is_from, &first), 0);
    put(f, &key, &(struct keyed_counts){.tallies = {2}});
    assert_int_equal(read_table(f).sum.tallies[0], 2);
}

/*
 * A program takes a cell for a key, and finds that another CPU was quicker. The cell is free again,
 * and has the key of another one until it is used.
 */
static void read__does_not_take_a_cell_for_that_of_its_former_key(void **state)
{
    struct fixture *f = need_map(state);
    const struct keyed_key key = {.slot = 7}, next = {.slot = 8};
    struct keyed_cell cell = cell_of(&key, &(struct keyed_counts){0});
    const uint32_t number = pop(f);
    struct told told;

    assert_int_equal(number, 0);
    assert_int_equal(update(f->maps.keyed_cells, &number, &cell), 0);
    put(f, &key, &(struct keyed_counts){.tallies = {1}});
    assert_int_equal(update(f->maps.keyed_free, NULL, &number), 0);
    told = read_table(f);
    assert_int_equal(told.n, 1);
    assert_int_equal(told.key.slot, 7);
    cell.counts.tallies[0] = 5; /* the key is not ours to see yet */
    assert_int_equal(update(f->maps.keyed_cells, &number, &cell), 0);
    assert_int_equal(read_table(f).n, 0);
    put(f, &next, &(struct keyed_counts){.tallies = {6}});
    told = read_table(f);
    assert_int_equal(told.n, 1);
    assert_int_equal(told.key.slot, 8);
    assert_int_equal(told.sum.tallies[0], 6);
}

/* One that a CPU has taken and not written to yet. */
static void read__sees_what_stands_behind_an_unused_cell_when_that_is_used(void **state)
{
    struct fixture *f = need_map(state);
    const struct keyed_key first = {.slot = 7}, second = {.slot = 8};
    const struct keyed_cell cell = cell_of(&first, &(struct keyed_counts){.tallies = {1}});
    const uint32_t number = pop(f);
    struct told told;

    put(f, &second, &(struct keyed_counts){.tallies = {2}});
    (void)read_table(f);
    assert_int_equal(update(f->maps.keyed, &first, &number), 0);
    assert_int_equal(update(f->maps.keyed_cells, &number, &cell), 0);
    put(f, &second, &(struct keyed_counts){.tallies = {4}});
    told = read_table(f);
    assert_int_equal(told.n, 2);
    assert_int_equal(told.sum.tallies[0], 5);
}

/* A cell may be given to a key that counts nothing, as a part of a request without bytes. */
static void forget__frees_the_cell_of_a_key_that_has_counted_nothing(void **state)
{
    struct fixture *f = need_map(state);
    const struct keyed_key key = {.slot = 3};
    const uint32_t first = 3;

    put(f, &key, &(struct keyed_counts){0});
    assert_int_equal(read_table(f).n, 0);
    assert_int_equal(keyed_table_forget(f->table, is_from, &first), 0);
    assert_false(is_there(f, &key));
    assert_int_equal(pop(f), 0);
}

static void forget__gives_all_cells_back(void **state)
{
    struct fixture *f = need_map(state);
    const uint32_t first = 0;

    for (uint64_t round = 1; round <= 3; round++) {
        fill(f, round); /* takes all there are */
        assert_int_equal(read_table(f).sum.tallies[0], round * PLACES);
        assert_int_equal(keyed_table_forget(f->table, is_from, &first), 0);
    }
}

static void new__says_why_the_kernel_makes_no_map(void **state)
{
    struct keyed_table *table = NULL;
    int r = keyed_table_new(0, &table);

    (void)state;
    assert_true(r == -EINVAL || r == -EPERM);
    assert_null(table);
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
        with_map(read__does_not_take_a_cell_for_that_of_its_former_key),
        with_map(read__sees_what_stands_behind_an_unused_cell_when_that_is_used),
        with_map(forget__frees_the_cell_of_a_key_that_has_counted_nothing),
        with_map(forget__gives_all_cells_back),
        with_map(new__says_why_the_kernel_makes_no_map),
        with_map(places__are_told_by_their_key_and_freed_with_their_slot),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
