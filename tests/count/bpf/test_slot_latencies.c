/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include "count/bpf/slot_latencies.h"

#define N_CPUS  2
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
    const struct latency_cells cells = {.cells = f->cells[0], .n_cpus = N_CPUS, .n_slots = N_SLOTS};

    f->latencies = slot_latencies_new(&cells);
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
    slot_latencies_look(f->latencies, slot);
    return slot_latencies_of(f->latencies, slot)->buckets[5];
}

static void a_slot_has_what_was_counted_on_all_cpus(void **state)
{
    struct fixture *f = *state;

    slot_latencies_begin(f->latencies, A, true);
    count_wait(f, 0, A, 10);
    count_wait(f, 1, A, 20);
    count_wait(f, 1, A, 30);
    assert_int_equal(waits_of(f, A), 3);
    assert_int_equal(slot_latencies_of(f->latencies, A)->sums_ns[LATENCY_RUN_QUEUE], 60);
    assert_int_equal(slot_latencies_of(f->latencies, A)->tallies[LATENCY_SWITCHES_VOLUNTARY], 3);
    assert_int_equal(waits_of(f, A), 3); /* another look adds nothing */
}

static void numbers_of_32_bits_may_wrap_between_two_looks(void **state)
{
    struct fixture *f = *state;

    slot_latencies_begin(f->latencies, A, true);
    f->cells[0][A].buckets[5] = UINT32_MAX - 1;
    f->cells[0][A].changes = UINT32_MAX;
    assert_int_equal(waits_of(f, A), (uint64_t)UINT32_MAX - 1);
    count_wait(f, 0, A, 1);
    count_wait(f, 0, A, 1);
    count_wait(f, 0, A, 1);
    assert_int_equal(waits_of(f, A), (uint64_t)UINT32_MAX + 2);
}

static void the_machine_is_all_cgroups_and_the_rest_and_no_process(void **state)
{
    struct fixture *f = *state;

    slot_latencies_begin(f->latencies, A, true);
    slot_latencies_begin(f->latencies, B, false);
    count_wait(f, 0, SWITCH_PROGRAM_REST, 1);
    count_wait(f, 0, A, 1);
    count_wait(f, 1, A, 1);
    count_wait(f, 0, B, 1);
    assert_int_equal(waits_of(f, SWITCH_PROGRAM_REST), 1);
    assert_int_equal(waits_of(f, A), 2);
    assert_int_equal(waits_of(f, B), 1);
    assert_int_equal(slot_latencies_of_machine(f->latencies)->buckets[5], 3);
}

static void what_a_slot_had_goes_to_its_parent_and_stays_the_machines(void **state)
{
    struct fixture *f = *state;

    slot_latencies_begin(f->latencies, A, true);
    slot_latencies_begin(f->latencies, B, true);
    count_wait(f, 0, A, 1);
    count_wait(f, 1, B, 1);
    count_wait(f, 1, B, 1);
    slot_latencies_fold(f->latencies, B, A); /* no look before: what was not seen is not lost */
    assert_null(slot_latencies_of(f->latencies, B));
    assert_int_equal(waits_of(f, A), 3);
    assert_int_equal(slot_latencies_of_machine(f->latencies)->buckets[5], 3);
    slot_latencies_fold(f->latencies, A, SWITCH_PROGRAM_REST);
    assert_int_equal(slot_latencies_of_machine(f->latencies)->buckets[5], 3);
    assert_int_equal(waits_of(f, SWITCH_PROGRAM_REST), 0);
}

static void a_slot_that_is_used_again_begins_at_0(void **state)
{
    struct fixture *f = *state;

    slot_latencies_begin(f->latencies, A, true);
    count_wait(f, 0, A, 1);
    slot_latencies_fold(f->latencies, A, SWITCH_PROGRAM_REST);
    assert_int_equal(f->cells[0][A].buckets[5], 0);
    slot_latencies_begin(f->latencies, A, true);
    assert_int_equal(waits_of(f, A), 0);
    count_wait(f, 0, A, 1);
    assert_int_equal(waits_of(f, A), 1);
}

static void a_slot_beyond_the_memory_has_no_totals(void **state)
{
    struct fixture *f = *state;

    slot_latencies_begin(f->latencies, N_SLOTS, true);
    slot_latencies_look(f->latencies, N_SLOTS);
    assert_null(slot_latencies_of(f->latencies, N_SLOTS));
    slot_latencies_fold(f->latencies, N_SLOTS, SWITCH_PROGRAM_REST);
}

static void where_nothing_is_counted_nothing_is_told(void **state)
{
    AUTO(slot_latencies)
    struct slot_latencies *none = slot_latencies_new(&(struct latency_cells){0});

    (void)state;
    slot_latencies_begin(none, C, true);
    slot_latencies_look(none, C);
    assert_null(slot_latencies_of(none, C));
    assert_null(slot_latencies_of(none, SWITCH_PROGRAM_REST));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_slot_has_what_was_counted_on_all_cpus, set_up, tear_down),
        cmocka_unit_test_setup_teardown(numbers_of_32_bits_may_wrap_between_two_looks, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_machine_is_all_cgroups_and_the_rest_and_no_process,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_a_slot_had_goes_to_its_parent_and_stays_the_machines,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_slot_that_is_used_again_begins_at_0, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_slot_beyond_the_memory_has_no_totals, set_up, tear_down),
        cmocka_unit_test(where_nothing_is_counted_nothing_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
