/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include "count/bpf/slot_latencies.h"

#define N_CPUS  40 /* more than are added up at once */
#define N_SLOTS (SWITCH_PROGRAM_FIRST + 3)

#define A (SWITCH_PROGRAM_FIRST + 0)
#define B (SWITCH_PROGRAM_FIRST + 1)
#define C (SWITCH_PROGRAM_FIRST + 2)

struct fixture {
    struct switch_program_latency cells[N_CPUS][N_SLOTS];
    struct slot_latencies *latencies;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    const struct latency_memory memory = {
        .cells = f->cells[0], .n_cpus = N_CPUS, .n_slots = N_SLOTS};

    f->latencies = slot_latencies_new(&memory);
    *state = f;
    return f->latencies ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    (void)slot_latencies_free(f->latencies);
    free(f);
    return 0;
}

/* What the program does at a switch: a wait of so many ns in some bucket. */
static void count_wait(struct fixture *f, size_t cpu, size_t slot, uint64_t ns)
{
    struct switch_program_latency *cell = &f->cells[cpu][slot];

    cell->sums_ns[LATENCY_RUN_QUEUE] += ns;
    cell->buckets[5]++;
    cell->tallies[LATENCY_SWITCHES_VOLUNTARY]++;
    cell->changes++;
}

static uint64_t waits_of(struct fixture *f, size_t slot)
{
    struct latencies delta;

    (void)slot_latencies_look(f->latencies, slot, &delta);
    return slot_latencies_of(f->latencies, slot)->buckets[5];
}

static void a_slot_has_what_was_counted_on_all_cpus(void **state)
{
    struct fixture *f = *state;

    slot_latencies_begin(f->latencies, A);
    count_wait(f, 0, A, 10);
    count_wait(f, 1, A, 20);
    count_wait(f, N_CPUS - 1, A, 30);
    assert_int_equal(waits_of(f, A), 3);
    assert_int_equal(slot_latencies_of(f->latencies, A)->sums_ns[LATENCY_RUN_QUEUE], 60);
    assert_int_equal(slot_latencies_of(f->latencies, A)->tallies[LATENCY_SWITCHES_VOLUNTARY], 3);
    assert_int_equal(waits_of(f, A), 3); /* another look adds nothing */
}

static void numbers_of_32_bits_may_wrap_between_two_looks(void **state)
{
    struct fixture *f = *state;

    slot_latencies_begin(f->latencies, A);
    f->cells[0][A].buckets[5] = UINT32_MAX - 1;
    f->cells[0][A].changes = UINT32_MAX;
    assert_int_equal(waits_of(f, A), (uint64_t)UINT32_MAX - 1);
    count_wait(f, 0, A, 1);
    count_wait(f, 0, A, 1);
    count_wait(f, 0, A, 1);
    assert_int_equal(waits_of(f, A), (uint64_t)UINT32_MAX + 2);
}

/* 40 CPUs, each of which adds no more than it can in a minute, wrap 32 bits together. */
static void all_cpus_together_may_count_more_than_32_bits_between_two_looks(void **state)
{
    struct fixture *f = *state;
    const uint32_t each = (UINT32_C(1) << 28) - 1;

    slot_latencies_begin(f->latencies, A);
    for (int look = 1; look <= 20; look++) {
        for (size_t cpu = 0; cpu < N_CPUS; cpu++) {
            f->cells[cpu][A].buckets[5] += each;
            f->cells[cpu][A].tallies[LATENCY_MIGRATIONS_NODE] += each;
            f->cells[cpu][A].changes++;
        }
        assert_int_equal(waits_of(f, A), (uint64_t)look * N_CPUS * each);
        assert_int_equal(slot_latencies_of(f->latencies, A)->tallies[LATENCY_MIGRATIONS_NODE],
                         (uint64_t)look * N_CPUS * each);
    }
}

static void a_look_tells_what_was_counted_since_the_last_one(void **state)
{
    struct fixture *f = *state;
    struct latencies delta;

    slot_latencies_begin(f->latencies, A);
    assert_false(slot_latencies_look(f->latencies, A, &delta));
    count_wait(f, 0, A, 10);
    assert_true(slot_latencies_look(f->latencies, A, &delta));
    count_wait(f, 1, A, 20);
    assert_true(slot_latencies_look(f->latencies, A, &delta));
    assert_int_equal(delta.buckets[5], 1);
    assert_int_equal(delta.sums_ns[LATENCY_RUN_QUEUE], 20);
    assert_int_equal(delta.tallies[LATENCY_SWITCHES_VOLUNTARY], 1);
    assert_false(slot_latencies_look(f->latencies, A, &delta));
}

static void what_is_added_to_a_slot_is_its_own_from_then_on(void **state)
{
    struct fixture *f = *state;
    struct latencies delta = {.buckets[5] = 7, .sums_ns[LATENCY_RUN_QUEUE] = 70};

    slot_latencies_begin(f->latencies, A);
    count_wait(f, 0, A, 10);
    slot_latencies_add(f->latencies, A, &delta);
    slot_latencies_add(f->latencies, B, &delta); /* has no totals */
    assert_int_equal(waits_of(f, A), 8);
    assert_int_equal(slot_latencies_of(f->latencies, A)->sums_ns[LATENCY_RUN_QUEUE], 80);
    assert_null(slot_latencies_of(f->latencies, B));
}

static void a_slot_that_is_used_again_begins_at_0(void **state)
{
    struct fixture *f = *state;

    slot_latencies_begin(f->latencies, A);
    count_wait(f, 0, A, 1);
    assert_int_equal(waits_of(f, A), 1);
    slot_latencies_end(f->latencies, A);
    assert_null(slot_latencies_of(f->latencies, A));
    assert_int_equal(f->cells[0][A].buckets[5], 0);
    slot_latencies_begin(f->latencies, A);
    assert_int_equal(waits_of(f, A), 0);
    count_wait(f, 0, A, 1);
    assert_int_equal(waits_of(f, A), 1);
}

static void a_slot_beyond_the_memory_has_no_totals(void **state)
{
    struct fixture *f = *state;
    struct latencies delta;

    slot_latencies_begin(f->latencies, N_SLOTS);
    assert_false(slot_latencies_look(f->latencies, N_SLOTS, &delta));
    assert_null(slot_latencies_of(f->latencies, N_SLOTS));
    slot_latencies_end(f->latencies, N_SLOTS);
}

static void where_nothing_is_counted_nothing_is_told(void **state)
{
    AUTO(slot_latencies)
    struct slot_latencies *none = slot_latencies_new(&(struct latency_memory){0});
    struct latencies delta;

    (void)state;
    slot_latencies_begin(none, C);
    assert_false(slot_latencies_look(none, C, &delta));
    assert_null(slot_latencies_of(none, C));
    assert_null(slot_latencies_of(none, SWITCH_PROGRAM_REST));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_slot_has_what_was_counted_on_all_cpus, set_up, tear_down),
        cmocka_unit_test_setup_teardown(numbers_of_32_bits_may_wrap_between_two_looks, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(
            all_cpus_together_may_count_more_than_32_bits_between_two_looks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_look_tells_what_was_counted_since_the_last_one, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_is_added_to_a_slot_is_its_own_from_then_on, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_slot_that_is_used_again_begins_at_0, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_slot_beyond_the_memory_has_no_totals, set_up, tear_down),
        cmocka_unit_test(where_nothing_is_counted_nothing_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
