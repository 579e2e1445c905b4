/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include "sys/bpf/exponent.h"

/* The least n with ns <= 2^(n - 30) s, in integers: 10^9 * 2^n / 2^30 is never rounded up. */
static __u32 exact(__u64 ns)
{
    __u32 n = 0;

    while ((__extension__(unsigned __int128) ns << 30) >
           (__extension__(unsigned __int128) EXPONENT_NS_PER_SECOND << n))
        n++;
    return n;
}

static void a_duration_of_a_power_of_two_is_not_longer_than_itself(void **state)
{
    (void)state;
    assert_int_equal(exponent_of(1000000000), 30); /* 1 s */
    assert_int_equal(exponent_of(1000000001), 31);
    assert_int_equal(exponent_of(1953125), 21); /* 2^-9 s */
    assert_int_equal(exponent_of(1953126), 22);
    assert_int_equal(exponent_of(953), 10); /* 2^-20 s is 953.67 ns */
    assert_int_equal(exponent_of(954), 11);
}

static void at_each_boundary_the_next_nanosecond_is_in_the_next_bucket(void **state)
{
    (void)state;
    for (__u32 n = 1; n <= 34; n++) {
        const __u64 boundary = EXPONENT_NS_PER_SECOND << n >> 30;

        for (__u64 ns = boundary > 3 ? boundary - 3 : 1; ns <= boundary + 3; ns++)
            assert_int_equal(exponent_of(ns), exact(ns));
    }
}

static void durations_between_are_in_the_bucket_of_their_boundary(void **state)
{
    (void)state;
    for (__u64 ns = 2; ns < EXPONENT_MOST_NS; ns += ns / 7 + 1)
        assert_int_equal(exponent_of(ns), exact(ns));
}

static void what_is_longer_than_all_boundaries_is_no_shorter_than_the_last(void **state)
{
    (void)state;
    assert_true(exponent_of(EXPONENT_MOST_NS) >= 34);
    assert_true(exponent_of(3600 * EXPONENT_NS_PER_SECOND) > 34);
    assert_true(exponent_of(~0ull) > 34);
    assert_true(exponent_of(0) <= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_duration_of_a_power_of_two_is_not_longer_than_itself),
        cmocka_unit_test(at_each_boundary_the_next_nanosecond_is_in_the_next_bucket),
        cmocka_unit_test(durations_between_are_in_the_bucket_of_their_boundary),
        cmocka_unit_test(what_is_longer_than_all_boundaries_is_no_shorter_than_the_last),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
