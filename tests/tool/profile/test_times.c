/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "tool/profile/times.h"

#define NOW_S     UINT64_C(1700000000)
#define NOW_NS    (NOW_S * NS_PER_SECOND)
#define MINUTE_NS (60 * NS_PER_SECOND)
#define DAY_NS    (24 * 60 * MINUTE_NS)

static void a_time_is_seconds_or_a_duration_ago(void **state)
{
    static const struct {
        const char *text;
        uint64_t ns;
    } cases[] = {
        {"1700000000", NOW_NS},           {"0.5", NS_PER_SECOND / 2},         {"now", NOW_NS},
        {"30m", NOW_NS - 30 * MINUTE_NS}, {"1h30m", NOW_NS - 90 * MINUTE_NS}, {"99999d", 0}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        uint64_t ns = 1;

        assert_int_equal(profile_time_parse(cases[i].text, NOW_NS, &ns), 0);
        assert_int_equal(ns, cases[i].ns);
    }
}

static void a_time_is_a_date_of_the_zone_or_of_utc(void **state)
{
    static const char *const texts[] = {"2023-11-14 23:13:20", "2023-11-14T23:13:20",
                                        "2023-11-14 22:13:20Z", "2023-11-14T22:13:20Z"};
    uint64_t ns;

    (void)state;
    assert_int_equal(setenv("TZ", "CET-1", 1), 0);
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        assert_int_equal(profile_time_parse(texts[i], 0, &ns), 0);
        assert_int_equal(ns, NOW_NS);
    }
    assert_int_equal(profile_time_parse("2023-11-14 23:13", 0, &ns), 0);
    assert_int_equal(ns, NOW_NS - 20 * NS_PER_SECOND);
}

static void a_time_of_day_is_the_last_one_that_is_not_after_now(void **state)
{
    static const struct {
        const char *text;
        uint64_t ns;
    } cases[] = {{"23:13:20", NOW_NS},
                 {"23:13", NOW_NS - 20 * NS_PER_SECOND},
                 {"00:00", NOW_NS - (23 * 60 + 13) * MINUTE_NS - 20 * NS_PER_SECOND},
                 {"23:13:21", NOW_NS + NS_PER_SECOND - DAY_NS},
                 {"22:13:20Z", NOW_NS},
                 {"22:14Z", NOW_NS + 40 * NS_PER_SECOND - DAY_NS}};
    struct profile_span span;

    (void)state;
    assert_int_equal(setenv("TZ", "CET-1", 1), 0);
    tzset();
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        uint64_t ns = 1;

        assert_int_equal(profile_time_parse(cases[i].text, NOW_NS, &ns), 0);
        assert_int_equal(ns, cases[i].ns);
    }
    assert_int_equal(profile_span_parse("23:14..23:13", NOW_NS, &span), 0);
    assert_int_equal(span.end_ns - span.start_ns, DAY_NS - MINUTE_NS);
    assert_int_equal(profile_span_parse("23:13..23:14", NOW_NS, &span), -ERANGE);
}

static void what_is_no_time_is_refused(void **state)
{
    static const char *const texts[] = {"",
                                        "x",
                                        "-1",
                                        "1e3",
                                        " 1",
                                        "1 ",
                                        "1.2.3",
                                        "m",
                                        "99999999999999",
                                        "0x10",
                                        "nan",
                                        ".",
                                        "tomorrow",
                                        "2023-11-14",
                                        "2023-13-14 10:00",
                                        "2023-11-14 10:00X",
                                        "24:00",
                                        "12:60",
                                        "12:00 ",
                                        ":30",
                                        "1900-01-01 00:00"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        uint64_t ns = 7;

        assert_int_equal(profile_time_parse(texts[i], NOW_NS, &ns), -EINVAL);
        assert_int_equal(ns, 7);
    }
}

static void a_span_is_two_times_in_their_order(void **state)
{
    struct profile_span span = {1, 2};

    (void)state;
    assert_int_equal(profile_span_parse("30m..10m", NOW_NS, &span), 0);
    assert_int_equal(span.start_ns, NOW_NS - 30 * MINUTE_NS);
    assert_int_equal(span.end_ns, NOW_NS - 10 * MINUTE_NS);
    assert_int_equal(profile_span_parse("10m..30m", NOW_NS, &span), -ERANGE);
    assert_int_equal(profile_span_parse("5..5", NOW_NS, &span), -ERANGE);
    assert_int_equal(profile_span_parse("5", NOW_NS, &span), -EINVAL);
    assert_int_equal(profile_span_parse("5..", NOW_NS, &span), -EINVAL);
    assert_int_equal(profile_span_parse("..5", NOW_NS, &span), -EINVAL);
    assert_int_equal(profile_span_parse("1..2..3", NOW_NS, &span), -EINVAL);
    assert_int_equal(span.end_ns, NOW_NS - 10 * MINUTE_NS);
}

static void spans_overlap_where_they_have_a_time_in_common(void **state)
{
    static const struct {
        struct profile_span span;
        bool overlaps;
    } cases[] = {{{5, 10}, false}, {{5, 11}, true},  {{12, 13}, true}, {{10, 20}, true},
                 {{5, 30}, true},  {{19, 30}, true}, {{20, 30}, false}};
    static const struct profile_span one = {10, 20};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        assert_int_equal(profile_spans_overlap(&one, &cases[i].span), cases[i].overlaps);
        assert_int_equal(profile_spans_overlap(&cases[i].span, &one), cases[i].overlaps);
    }
}

static void what_was_before_is_as_long(void **state)
{
    static const struct profile_span after = {NOW_NS - 10 * MINUTE_NS, NOW_NS - 5 * MINUTE_NS};
    static const struct {
        const char *word;
        uint64_t ago_ns;
    } cases[] = {{"previous", 5 * MINUTE_NS},
                 {"hour", 60 * MINUTE_NS},
                 {"day", DAY_NS},
                 {"week", 7 * DAY_NS},
                 {"30m", 30 * MINUTE_NS}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct profile_span before = {0};

        assert_int_equal(profile_before_parse(cases[i].word, NOW_NS, &after, &before), 0);
        assert_int_equal(before.start_ns, after.start_ns - cases[i].ago_ns);
        assert_int_equal(before.end_ns, after.end_ns - cases[i].ago_ns);
    }
}

static void what_was_before_can_be_a_span_of_its_own(void **state)
{
    static const struct profile_span after = {NOW_NS - 10 * MINUTE_NS, NOW_NS};
    struct profile_span before = {1, 2};

    (void)state;
    assert_int_equal(profile_before_parse("100..200", NOW_NS, &after, &before), 0);
    assert_int_equal(before.start_ns, 100 * NS_PER_SECOND);
    assert_int_equal(before.end_ns, 200 * NS_PER_SECOND);
    assert_int_equal(profile_before_parse("yesterday", NOW_NS, &after, &before), -EINVAL);
    assert_int_equal(profile_before_parse("", NOW_NS, &after, &before), -EINVAL);
    assert_int_equal(profile_before_parse("0", NOW_NS, &after, &before), -EINVAL);
    assert_int_equal(profile_before_parse("200..100", NOW_NS, &after, &before), -ERANGE);
    assert_int_equal(before.end_ns, 200 * NS_PER_SECOND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_time_is_seconds_or_a_duration_ago),
        cmocka_unit_test(a_time_is_a_date_of_the_zone_or_of_utc),
        cmocka_unit_test(a_time_of_day_is_the_last_one_that_is_not_after_now),
        cmocka_unit_test(what_is_no_time_is_refused),
        cmocka_unit_test(a_span_is_two_times_in_their_order),
        cmocka_unit_test(spans_overlap_where_they_have_a_time_in_common),
        cmocka_unit_test(what_was_before_is_as_long),
        cmocka_unit_test(what_was_before_can_be_a_span_of_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
