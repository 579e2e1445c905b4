/* SPDX-License-Identifier: Apache-2.0 */
#include "expose/exposition_fixture.h"

#define PREFIX "pmu_exporter_profile_"

static void families__are_absent_where_no_samples_are_wanted(void **state)
{
    assert_null(strstr(written(*state, 1, &fresh), PREFIX));
}

static void reason__is_all_there_is_where_nothing_is_sampled(void **state)
{
    struct fixture *f = *state;
    const char *text;

    f->profile = (struct profile_status){.wanted = true, .reason = "no_btf", .rate_hz = 49};
    text = written(f, 1, &fresh);
    assert_has(text, PREFIX "supported{reason=\"no_btf\"} 0\n");
    assert_null(strstr(text, PREFIX "rate_hertz"));
    assert_null(strstr(text, PREFIX "stacks_total"));
    assert_null(strstr(text, PREFIX "cpu_seconds_total"));
}

static void numbers__are_those_of_the_status(void **state)
{
    struct fixture *f = *state;
    const char *text;

    f->profile = (struct profile_status){.wanted = true,
                                         .rate_hz = 49.382,
                                         .samples = 1000,
                                         .lost = 3,
                                         .table_bytes = 4096,
                                         .kept_bytes = 8192,
                                         .folded_samples = 5,
                                         .dropped_slices = 6,
                                         .processes = 7};
    text = written(f, 1, &fresh);
    assert_has(text, PREFIX "supported{reason=\"\"} 1\n");
    assert_has(text, PREFIX "rate_hertz 49.382\n");
    assert_has(text, PREFIX "samples_total 1000\n");
    assert_has(text, PREFIX "samples_lost_total 3\n");
    assert_has(text, PREFIX "table_bytes 4096\n");
    assert_has(text, PREFIX "kept_bytes 8192\n");
    assert_has(text, PREFIX "folded_samples_total 5\n");
    assert_has(text, PREFIX "dropped_slices_total 6\n");
    assert_has(text, PREFIX "processes 7\n");
}

static void samples__of_a_family_are_told_by_their_words(void **state)
{
    struct fixture *f = *state;
    const char *text;

    f->profile = (struct profile_status){.wanted = true,
                                         .stacks = {[PROFILE_COMPLETE] = 9, [PROFILE_CHANGED] = 1},
                                         .jobs = {[OBJECT_READ] = 8, [OBJECT_TOO_SLOW] = 2},
                                         .files_read = 4,
                                         .files_missing = 5,
                                         .files_kept = 6,
                                         .processes_without_room = 11,
                                         .files_without_room = 12,
                                         .tables_without_room = 13,
                                         .maps_without_room = 14,
                                         .program_ns = 1500000000,
                                         .reader_cpu_ns = 250000000};
    text = written(f, 1, &fresh);
    assert_has(text, PREFIX "stacks_total{outcome=\"complete\"} 9\n");
    assert_has(text, PREFIX "stacks_total{outcome=\"changed\"} 1\n");
    assert_has(text, PREFIX "stacks_total{outcome=\"truncated\"} 0\n");
    assert_has(text, PREFIX "reads_total{outcome=\"read\"} 8\n");
    assert_has(text, PREFIX "reads_total{outcome=\"too_slow\"} 2\n");
    assert_has(text, PREFIX "files{state=\"read\"} 4\n");
    assert_has(text, PREFIX "files{state=\"awaited\"} 0\n");
    assert_has(text, PREFIX "files{state=\"missing\"} 5\n");
    assert_has(text, PREFIX "files{state=\"kept\"} 6\n");
    assert_has(text, PREFIX "without_room_total{kind=\"process\"} 11\n");
    assert_has(text, PREFIX "without_room_total{kind=\"file\"} 12\n");
    assert_has(text, PREFIX "without_room_total{kind=\"table\"} 13\n");
    assert_has(text, PREFIX "without_room_total{kind=\"map\"} 14\n");
    assert_has(text, PREFIX "cpu_seconds_total{part=\"program\"} 1.500000000\n");
    assert_has(text, PREFIX "cpu_seconds_total{part=\"sampler\"} 0.000000000\n");
    assert_has(text, PREFIX "cpu_seconds_total{part=\"reader\"} 0.250000000\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(families__are_absent_where_no_samples_are_wanted),
        TEST(reason__is_all_there_is_where_nothing_is_sampled),
        TEST(numbers__are_those_of_the_status),
        TEST(samples__of_a_family_are_told_by_their_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
