/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/store_fixture.h"

#include "profile/seconds.h"

#define MS (SECOND / 1000)

static struct profile_seconds *seconds_of(const struct profile_store *store, const char *cgroup,
                                          uint64_t from_ns, uint64_t to_ns)
{
    const struct profile_range range = {.scope = cgroup ? PROFILE_CGROUP : PROFILE_MACHINE,
                                        .label = cgroup ? cgroup : "",
                                        .from_ns = from_ns,
                                        .to_ns = to_ns};
    struct profile_seconds *seconds = NULL;

    assert_int_equal(profile_store_seconds(store, &range, &seconds), 0);
    return seconds;
}

static uint64_t sum_of(const struct profile_seconds *seconds)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < seconds->n; i++)
        for (size_t j = 0; j < PROFILE_SECOND_PARTS; j++)
            sum += seconds->samples[i][j];
    return sum;
}

static void add_at(struct profile_store *store, const char *cgroup, uint64_t time_ns, size_t n)
{
    add_stack(store, profile_store_target(store, PROFILE_CGROUP, cgroup), time_ns, "main", n);
}

static void each_sample__is_in_its_part_of_its_second(void **state)
{
    AUTO(profile_store) struct profile_store *store = store_of(&roomy);
    AUTO(profile_seconds) struct profile_seconds *seconds = NULL;

    (void)state;
    profile_store_tick(store, BEGIN);
    add_at(store, "/a", BEGIN, 1);
    add_at(store, "/a", BEGIN + 99 * MS, 2);
    add_at(store, "/a", BEGIN + 100 * MS, 4);
    add_at(store, "/a", BEGIN + 2 * SECOND + 999 * MS, 8);
    profile_store_tick(store, BEGIN + 5 * SECOND);
    seconds = seconds_of(store, "/a", BEGIN + 10 * MS, BEGIN + 3 * SECOND); /* whole seconds */
    assert_true(seconds->from_ns == BEGIN);
    assert_int_equal(seconds->n, 3);
    assert_int_equal(seconds->rate_hz, RATE);
    assert_int_equal(seconds->samples[0][0], 3);
    assert_int_equal(seconds->samples[0][1], 4);
    assert_int_equal(seconds->samples[2][PROFILE_SECOND_PARTS - 1], 8);
    assert_int_equal(sum_of(seconds), 15);
}

static void a_cgroup__has_what_is_below_it_and_no_others(void **state)
{
    AUTO(profile_store) struct profile_store *store = store_of(&roomy);
    AUTO(profile_seconds) struct profile_seconds *cgroup = NULL, *machine = NULL;

    (void)state;
    profile_store_tick(store, BEGIN);
    add_at(store, "/a", BEGIN, 1);
    add_at(store, "/a/b", BEGIN, 2);
    add_at(store, "/c", BEGIN, 4);
    cgroup = seconds_of(store, "/a", BEGIN, BEGIN + SECOND);
    machine = seconds_of(store, NULL, BEGIN, BEGIN + SECOND);
    assert_int_equal(sum_of(cgroup), 3);
    assert_int_equal(sum_of(machine), 7);
}

static void a_target_without_samples__is_refused(void **state)
{
    AUTO(profile_store) struct profile_store *store = store_of(&roomy);
    const struct profile_range range = {.scope = PROFILE_CGROUP, .label = "/a", .to_ns = BEGIN};
    struct profile_seconds *seconds = NULL;

    (void)state;
    assert_int_equal(profile_store_seconds(store, &range, &seconds), -ENOENT);
    assert_null(seconds);
}

/* The ring has 1,000 samples: a second is there as a whole, or not at all. */
static void a_second__whose_samples_are_not_all_kept_is_left_out(void **state)
{
    AUTO(profile_store) struct profile_store *store = store_of(&roomy);
    AUTO(profile_seconds) struct profile_seconds *seconds = NULL;

    (void)state;
    profile_store_tick(store, BEGIN);
    for (unsigned i = 0; i < 15; i++)
        add_at(store, "/a", BEGIN + i * SECOND + 500 * MS, 100);
    profile_store_tick(store, BEGIN + 14 * SECOND + 600 * MS);
    seconds = seconds_of(store, "/a", BEGIN, BEGIN + HOUR);
    assert_true(seconds->from_ns == BEGIN + 5 * SECOND);
    assert_int_equal(seconds->n, 10);
    assert_int_equal(sum_of(seconds), 1000);
}

static void a_range__that_nobody_has_kept_has_no_seconds(void **state)
{
    AUTO(profile_store) struct profile_store *store = store_of(&roomy);
    AUTO(profile_seconds) struct profile_seconds *before = NULL, *after = NULL;

    (void)state;
    profile_store_tick(store, BEGIN);
    add_at(store, "/a", BEGIN, 1);
    before = seconds_of(store, "/a", BEGIN - HOUR, BEGIN - MINUTE);
    after = seconds_of(store, "/a", BEGIN + HOUR, UINT64_MAX);
    assert_int_equal(before->n, 0);
    assert_int_equal(after->n, 0);
}

static void a_long_range__has_its_last_hour(void **state)
{
    AUTO(profile_store) struct profile_store *store = store_of(&roomy);
    AUTO(profile_seconds) struct profile_seconds *seconds = NULL;

    (void)state;
    profile_store_tick(store, BEGIN);
    add_at(store, "/a", BEGIN, 1);
    profile_store_tick(store, BEGIN + 3 * HOUR);
    add_at(store, "/a", BEGIN + 3 * HOUR - SECOND, 2);
    seconds = seconds_of(store, "/a", 0, UINT64_MAX);
    assert_int_equal(seconds->n, PROFILE_SECONDS_MOST);
    assert_int_equal(sum_of(seconds), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_sample__is_in_its_part_of_its_second),
        cmocka_unit_test(a_cgroup__has_what_is_below_it_and_no_others),
        cmocka_unit_test(a_target_without_samples__is_refused),
        cmocka_unit_test(a_second__whose_samples_are_not_all_kept_is_left_out),
        cmocka_unit_test(a_range__that_nobody_has_kept_has_no_seconds),
        cmocka_unit_test(a_long_range__has_its_last_hour),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
