/* SPDX-License-Identifier: Apache-2.0 */
#include "count/bpf/slots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

#define N_CPUS  2
#define N_SLOTS 8
#define N_LANES 3

#define N_TIMED (N_SLOTS - 1) /* the last one has no latencies */

struct fixture {
    uint64_t lanes[N_CPUS * N_SLOTS * N_LANES];
    struct switch_program_latency timed[N_CPUS][N_TIMED];
    struct slot_latencies *latencies;
    struct bpf_slots *slots;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    const struct slot_cells cells = {.lanes = f->lanes,
                                     .n_cpus = N_CPUS,
                                     .n_slots = N_SLOTS,
                                     .n_lanes = N_LANES,
                                     .n_reserved = 2};

    f->latencies = slot_latencies_new(
        &(struct latency_memory){.cells = f->timed[0], .n_cpus = N_CPUS, .n_slots = N_TIMED});
    f->slots = bpf_slots_new(&cells, f->latencies);
    *state = f;
    return f->slots ? 0 : -1;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    (void)bpf_slots_free(f->slots);
    (void)slot_latencies_free(f->latencies);
    free(f);
    return 0;
}

/* Does what the program in the kernel does. */
static void charge(struct fixture *f, size_t slot, size_t cpu, size_t lane, uint64_t n)
{
    f->lanes[(cpu * N_SLOTS + slot) * N_LANES + lane] += n;
}

static void count_waits(struct fixture *f, size_t slot, size_t cpu, uint32_t n)
{
    f->timed[cpu][slot].buckets[3] += n;
    f->timed[cpu][slot].changes++;
}

/* What is read of a slot after a refresh. */
static uint64_t waits(struct fixture *f, size_t slot)
{
    bpf_slots_note_refresh(f->slots);
    return bpf_slots_latencies(f->slots, slot)->buckets[3];
}

/* The digits are the path of a cgroup: 123 is the cgroup 3 in 2 in 1. */
static int enter(struct fixture *f, const char *path, size_t *ret_slot, bool *ret_new)
{
    struct cgroup_lineage *lineage =
        malloc(sizeof(*lineage) + strlen(path) * sizeof(*lineage->ids));
    uint64_t id = 0;
    int r;

    lineage->n = strlen(path);
    for (size_t i = 0; i < lineage->n; i++)
        lineage->ids[i] = id = 10 * id + (uint64_t)(path[i] - '0');
    r = bpf_slots_enter(f->slots, lineage, ret_slot, ret_new);
    (void)cgroup_lineage_free(lineage);
    return r;
}

static size_t make(struct fixture *f, const char *path)
{
    size_t slot = 0;
    bool new;

    assert_int_equal(enter(f, path, &slot, &new), 0);
    assert_true(new);
    return slot;
}

static uint64_t sum(const struct fixture *f, size_t slot)
{
    return bpf_slots_sum(f->slots, slot, 0, 0);
}

static void enter__gives_each_cgroup_one_slot_and_none_of_the_reserved(void **state)
{
    struct fixture *f = *state;
    size_t first = make(f, "1"), second = make(f, "12"), again;
    bool new;

    assert_true(first >= 2 && second >= 2 && first != second);
    assert_int_equal(enter(f, "12", &again, &new), 0);
    assert_false(new);
    assert_int_equal(again, second);
    assert_int_equal(bpf_slots_id(f->slots, second), 12);
}

static void enter__tells_when_all_are_taken(void **state)
{
    struct fixture *f = *state;
    char path[] = "1";
    size_t slot = 99;
    bool new;

    for (size_t i = 2; i < N_SLOTS; i++, path[0]++)
        (void)make(f, path);
    assert_int_equal(enter(f, path, &slot, &new), -ENOSPC);
    assert_int_equal(slot, 99);
}

static void sum__is_of_all_that_is_nested_on_that_cpu_and_lane(void **state)
{
    struct fixture *f = *state;
    size_t top = make(f, "1"), child = make(f, "12"), deep = make(f, "1345"), other = make(f, "2");

    charge(f, top, 0, 0, 1);
    charge(f, child, 0, 0, 10);
    charge(f, deep, 0, 0, 100);
    charge(f, other, 0, 0, 1000);
    charge(f, child, 1, 0, 7);
    charge(f, child, 0, 2, 9);
    assert_int_equal(sum(f, top), 111);
    assert_int_equal(sum(f, child), 10);
    assert_int_equal(sum(f, deep), 100);
    assert_int_equal(sum(f, other), 1000);
    assert_int_equal(bpf_slots_sum(f->slots, top, 1, 0), 7);
    assert_int_equal(bpf_slots_sum(f->slots, top, 0, 2), 9);
}

static void enter__between_two_that_are_there_changes_neither(void **state)
{
    struct fixture *f = *state;
    size_t top = make(f, "1"), leaf = make(f, "123"), beside = make(f, "14"), between;

    charge(f, leaf, 0, 0, 100);
    charge(f, beside, 0, 0, 1000);
    between = make(f, "12");
    assert_int_equal(sum(f, top), 1100);
    assert_int_equal(sum(f, between), 100);
    charge(f, between, 0, 0, 5);
    assert_int_equal(sum(f, top), 1105);
    assert_int_equal(sum(f, leaf), 100);
}

static void leave__is_of_the_last_user(void **state)
{
    struct fixture *f = *state;
    size_t slot = make(f, "1");

    bpf_slots_share(f->slots, slot);
    assert_false(bpf_slots_leave(f->slots, slot));
    assert_false(bpf_slots_any_unused(f->slots));
    assert_true(bpf_slots_leave(f->slots, slot));
    assert_true(bpf_slots_any_unused(f->slots));
}

static void fold__keeps_what_was_counted_in_the_parent(void **state)
{
    struct fixture *f = *state;
    size_t top = make(f, "1"), middle = make(f, "12"), leaf = make(f, "123");

    charge(f, top, 0, 0, 1);
    charge(f, middle, 0, 0, 10);
    charge(f, leaf, 0, 0, 100);
    charge(f, leaf, 1, 1, 5);
    assert_true(bpf_slots_leave(f->slots, leaf));
    charge(f, leaf, 0, 0, 100); /* CPUs charge it until they are refreshed */
    assert_int_equal(sum(f, top), 211);
    bpf_slots_fold(f->slots, NULL, NULL);
    assert_false(bpf_slots_any_unused(f->slots));
    assert_int_equal(sum(f, middle), 210);
    assert_int_equal(sum(f, top), 211);
    assert_true(bpf_slots_leave(f->slots, middle));
    bpf_slots_fold(f->slots, NULL, NULL);
    assert_int_equal(sum(f, top), 211);
    assert_int_equal(bpf_slots_sum(f->slots, top, 1, 1), 5);
}

static void fold__of_a_parent_gives_its_children_to_its_own(void **state)
{
    struct fixture *f = *state;
    size_t top = make(f, "1"), middle = make(f, "12"), leaf = make(f, "123");

    charge(f, middle, 0, 0, 10);
    charge(f, leaf, 0, 0, 100);
    assert_true(bpf_slots_leave(f->slots, middle));
    bpf_slots_fold(f->slots, NULL, NULL);
    assert_int_equal(sum(f, top), 110);
    charge(f, leaf, 0, 0, 100);
    assert_int_equal(sum(f, top), 210);
    assert_int_equal(sum(f, leaf), 200);
}

static void fold__of_many_at_once_loses_nothing_in_any_order(void **state)
{
    struct fixture *f = *state;
    size_t top = make(f, "1"), middle = make(f, "12"), leaf = make(f, "123");

    charge(f, middle, 0, 0, 10);
    charge(f, leaf, 0, 0, 100);
    assert_true(bpf_slots_leave(f->slots, leaf));
    assert_true(bpf_slots_leave(f->slots, middle)); /* it is folded before its child */
    bpf_slots_fold(f->slots, NULL, NULL);
    assert_int_equal(sum(f, top), 110);
}

static void fold__makes_a_slot_that_begins_at_0(void **state)
{
    struct fixture *f = *state;

    for (int round = 0; round < 3 * N_SLOTS; round++) {
        size_t slot = make(f, "7");

        assert_int_equal(sum(f, slot), 0);
        charge(f, slot, 0, 0, 50);
        assert_true(bpf_slots_leave(f->slots, slot));
        bpf_slots_fold(f->slots, NULL, NULL);
    }
}

static void enter__takes_back_what_was_left_with_all_that_is_nested(void **state)
{
    struct fixture *f = *state;
    size_t top = make(f, "1"), middle = make(f, "12"), leaf = make(f, "123"), again;

    charge(f, leaf, 0, 0, 100);
    charge(f, middle, 0, 0, 10);
    assert_true(bpf_slots_leave(f->slots, middle));
    again = make(f, "12");
    bpf_slots_fold(f->slots, NULL, NULL);
    assert_int_equal(again, middle);
    assert_int_equal(sum(f, middle), 110);
    assert_int_equal(sum(f, top), 110);
}

static void clear_lanes__is_of_those_lanes_only_and_everywhere(void **state)
{
    struct fixture *f = *state;
    size_t top = make(f, "1"), leaf = make(f, "12"), gone = make(f, "13");

    for (size_t lane = 0; lane < N_LANES; lane++) {
        charge(f, leaf, 1, lane, 10);
        charge(f, gone, 1, lane, 100);
    }
    assert_true(bpf_slots_leave(f->slots, gone));
    bpf_slots_fold(f->slots, NULL, NULL);
    bpf_slots_clear_lanes(f->slots, 0, 2);
    assert_int_equal(bpf_slots_sum(f->slots, top, 1, 0), 0);
    assert_int_equal(bpf_slots_sum(f->slots, top, 1, 1), 0);
    assert_int_equal(bpf_slots_sum(f->slots, top, 1, 2), 110);
}

static void latencies__are_of_all_that_is_nested_and_the_machines_of_all(void **state)
{
    struct fixture *f = *state;
    size_t top = make(f, "1"), child = make(f, "12"), deep = make(f, "1245"), other = make(f, "2");

    count_waits(f, top, 0, 1);
    count_waits(f, child, 1, 10);
    count_waits(f, deep, 0, 100);
    count_waits(f, other, 0, 1000);
    count_waits(f, SWITCH_PROGRAM_REST, 1, 10000);
    assert_int_equal(waits(f, deep), 100);
    assert_int_equal(waits(f, child), 110);
    assert_int_equal(waits(f, top), 111);
    assert_int_equal(waits(f, other), 1000);
    assert_int_equal(waits(f, SWITCH_PROGRAM_REST), 11111);
    assert_int_equal(waits(f, SWITCH_PROGRAM_REST), 11111);
}

static void latencies__of_a_process_are_in_nothing_else(void **state)
{
    struct fixture *f = *state;
    AUTO(cgroup_lineage)
    struct cgroup_lineage *alone = malloc(sizeof(*alone) + sizeof(*alone->ids));
    size_t process;
    bool new;

    alone->n = 1;
    alone->ids[0] = BPF_PROCESS_ID | 1;
    assert_int_equal(bpf_slots_enter(f->slots, alone, &process, &new), 0);
    count_waits(f, process, 0, 5);
    count_waits(f, SWITCH_PROGRAM_REST, 0, 5);
    assert_int_equal(waits(f, process), 5);
    assert_int_equal(waits(f, SWITCH_PROGRAM_REST), 5);
}

/* All slots are looked at with the first reading only. */
static void latencies__of_nested_slots_and_the_machine_are_those_of_the_refresh(void **state)
{
    struct fixture *f = *state;
    size_t top = make(f, "1"), child = make(f, "12");

    assert_int_equal(waits(f, top), 0);
    count_waits(f, child, 0, 1);
    count_waits(f, top, 0, 10);
    assert_int_equal(bpf_slots_latencies(f->slots, top)->buckets[3], 10);
    assert_int_equal(bpf_slots_latencies(f->slots, SWITCH_PROGRAM_REST)->buckets[3], 10);
    assert_int_equal(bpf_slots_latencies_now(f->slots, top)->buckets[3], 11);
    count_waits(f, child, 0, 100);
    assert_int_equal(bpf_slots_latencies_now(f->slots, SWITCH_PROGRAM_REST)->buckets[3], 111);
}

static void latencies__of_a_cgroup_that_comes_between_begin_with_what_is_counted_then(void **state)
{
    struct fixture *f = *state;
    size_t top = make(f, "1"), leaf = make(f, "123"), between;

    count_waits(f, leaf, 0, 1);
    assert_int_equal(waits(f, top), 1);
    between = make(f, "12");
    assert_int_equal(waits(f, between), 0);
    count_waits(f, leaf, 0, 10);
    assert_int_equal(waits(f, top), 11);
    assert_int_equal(waits(f, between), 10);
}

static void latencies__of_a_slot_that_is_folded_stay_its_parents(void **state)
{
    struct fixture *f = *state;
    size_t top = make(f, "1"), middle = make(f, "12"), leaf = make(f, "123"), again;

    count_waits(f, leaf, 0, 1);
    count_waits(f, middle, 1, 10);
    assert_int_equal(waits(f, top), 11);
    count_waits(f, leaf, 1, 100); /* no reading before it ends: that is not lost */
    assert_true(bpf_slots_leave(f->slots, leaf));
    bpf_slots_fold(f->slots, NULL, NULL);
    assert_int_equal(waits(f, middle), 111);
    assert_int_equal(waits(f, top), 111);
    assert_int_equal(waits(f, SWITCH_PROGRAM_REST), 111);
    again = make(f, "3");
    assert_int_equal(again, leaf);
    assert_int_equal(waits(f, again), 0);
    count_waits(f, again, 0, 1000);
    assert_int_equal(waits(f, again), 1000);
    assert_int_equal(waits(f, top), 111);
    assert_int_equal(waits(f, SWITCH_PROGRAM_REST), 1111);
}

static void latencies__of_a_slot_without_memory_are_none(void **state)
{
    struct fixture *f = *state;
    size_t top = make(f, "1"), last = top, below;

    for (char path[] = "2"; last + 2 < N_SLOTS; path[0]++)
        last = make(f, path);
    below = last; /* of another cgroup, with memory */
    last = make(f, "19");
    assert_int_equal(last, N_SLOTS - 1);
    assert_null(bpf_slots_latencies(f->slots, last));
    assert_null(bpf_slots_latencies_now(f->slots, last));
    assert_true(bpf_slots_leave(f->slots, below));
    bpf_slots_fold(f->slots, NULL, NULL);
    below = make(f, "198");
    count_waits(f, below, 0, 1);
    assert_int_equal(waits(f, below), 1);
    assert_int_equal(waits(f, top), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        TEST(enter__gives_each_cgroup_one_slot_and_none_of_the_reserved),
        TEST(enter__tells_when_all_are_taken),
        TEST(sum__is_of_all_that_is_nested_on_that_cpu_and_lane),
        TEST(enter__between_two_that_are_there_changes_neither),
        TEST(leave__is_of_the_last_user),
        TEST(fold__keeps_what_was_counted_in_the_parent),
        TEST(fold__of_a_parent_gives_its_children_to_its_own),
        TEST(fold__of_many_at_once_loses_nothing_in_any_order),
        TEST(fold__makes_a_slot_that_begins_at_0),
        TEST(enter__takes_back_what_was_left_with_all_that_is_nested),
        TEST(clear_lanes__is_of_those_lanes_only_and_everywhere),
        TEST(latencies__are_of_all_that_is_nested_and_the_machines_of_all),
        TEST(latencies__of_a_process_are_in_nothing_else),
        TEST(latencies__of_nested_slots_and_the_machine_are_those_of_the_refresh),
        TEST(latencies__of_a_cgroup_that_comes_between_begin_with_what_is_counted_then),
        TEST(latencies__of_a_slot_that_is_folded_stay_its_parents),
        TEST(latencies__of_a_slot_without_memory_are_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
