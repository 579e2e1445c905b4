/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <errno.h>

#include "base/clock.h"
#include "service/api_arguments.h"

static const char *const known[] = {"target", "start", "end", "points", NULL};
static const struct api_number points = {"points", 1, 10000, 1000};

struct outcome {
    int r;
    char *why;
    struct api_names targets;
    struct api_range range;
    uint64_t points;
};

static void outcome_done(struct outcome *outcome)
{
    free(outcome->why);
    api_names_done(&outcome->targets);
}
#define AUTO_OUTCOME __attribute__((cleanup(outcome_done)))

/* Reads the arguments as a route does. */
static struct outcome read_arguments(const char *arguments)
{
    struct query query AUTO_QUERY = {0};
    AUTO_TEXT struct text text = {0};
    AUTO_FREE struct target_filter *filters = NULL;
    struct outcome outcome = {0};

    assert_int_equal(query_parse(arguments, &query), 0);
    outcome.r = api_arguments_check(&query, known, &text);
    if (outcome.r >= 0)
        outcome.r = api_names_read(&query, "target", &text, &outcome.targets);
    if (outcome.r >= 0)
        outcome.r = api_targets_parse(&outcome.targets, &text, &filters);
    if (outcome.r >= 0)
        outcome.r = api_range_read(&query, 3600 * NS_PER_SECOND, &text, &outcome.range);
    if (outcome.r >= 0)
        outcome.r = api_number_read(&query, &points, &text, &outcome.points);
    outcome.why = text_take(&text);
    return outcome;
}

static void without_arguments_it_is_the_last_hour(void **state)
{
    struct outcome outcome AUTO_OUTCOME = read_arguments("");

    (void)state;
    assert_int_equal(outcome.r, 0);
    assert_int_equal(outcome.targets.n, 0);
    assert_int_equal(outcome.range.end_ns - outcome.range.start_ns, 3600 * NS_PER_SECOND);
    assert_true(outcome.range.end_ns <= clock_realtime_ns());
    assert_int_equal(outcome.points, 1000);
}

static void times_are_exact_to_the_nanosecond(void **state)
{
    struct outcome outcome AUTO_OUTCOME =
        read_arguments("start=1700000000.123456789&end=1700000001.5&points=10000");

    (void)state;
    assert_int_equal(outcome.r, 0);
    assert_int_equal(outcome.range.start_ns, UINT64_C(1700000000123456789));
    assert_int_equal(outcome.range.end_ns, UINT64_C(1700000001500000000));
    assert_int_equal(outcome.points, 10000);
}

static void a_start_alone_reaches_to_now_and_an_end_alone_back(void **state)
{
    struct outcome from AUTO_OUTCOME = read_arguments("start=5"),
                        to AUTO_OUTCOME = read_arguments("end=7200"),
                        early AUTO_OUTCOME = read_arguments("end=10");

    (void)state;
    assert_int_equal(from.range.start_ns, 5 * NS_PER_SECOND);
    assert_true(from.range.end_ns > UINT64_C(1600000000) * NS_PER_SECOND);
    assert_int_equal(to.range.start_ns, 3600 * NS_PER_SECOND);
    assert_int_equal(early.range.start_ns, 0);
}

static void names_keep_their_order_and_outlive_the_query(void **state)
{
    struct outcome outcome AUTO_OUTCOME = read_arguments("target=machine&target=cgroup:%2fa%20b");

    (void)state;
    assert_int_equal(outcome.r, 0);
    assert_int_equal(outcome.targets.n, 2);
    assert_string_equal(outcome.targets.names[0], "machine");
    assert_string_equal(outcome.targets.names[1], "cgroup:/a b");
}

static void what_is_wrong_is_refused_in_words(void **state)
{
    static const struct {
        const char *arguments, *word;
    } cases[] = {
        {"colour=red", "unknown argument \"colour\"; expected some of target, start"},
        {"target=nginx", "target \"nginx\"; expected machine, cgroup:PATH"},
        {"start=yesterday", "start=yesterday; expected seconds since 1970"},
        {"start=-1", "expected seconds"},
        {"end=1e9", "expected seconds"},
        {"end=", "expected seconds"},
        {"end=.5", "expected seconds"},
        {"end=9223372036", "expected seconds"},
        {"end=99999999999999999999999999", "expected seconds"},
        {"start=10&end=10", "start is not before end"},
        {"start=11&end=10", "start is not before end"},
        {"points=0", "points=0; expected a number from 1 to 10000"},
        {"points=10001", "expected a number from 1 to 10000"},
        {"points=ten", "expected a number from 1 to 10000"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct outcome outcome AUTO_OUTCOME = read_arguments(cases[i].arguments);

        assert_int_equal(outcome.r, -EINVAL);
        if (!strstr(outcome.why, cases[i].word))
            fail_msg("%s: \"%s\"", cases[i].arguments, outcome.why);
    }
}

static void more_names_than_there_may_be_are_refused(void **state)
{
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *arguments = NULL;

    (void)state;
    for (unsigned i = 0; i <= API_NAMES_MAX; i++)
        text_append_string(&text, "&target=machine");
    arguments = text_take(&text);
    struct outcome outcome AUTO_OUTCOME = read_arguments(arguments);

    assert_int_equal(outcome.r, -EINVAL);
    assert_non_null(strstr(outcome.why, "more than 100 of the argument target"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_arguments_it_is_the_last_hour),
        cmocka_unit_test(times_are_exact_to_the_nanosecond),
        cmocka_unit_test(a_start_alone_reaches_to_now_and_an_end_alone_back),
        cmocka_unit_test(names_keep_their_order_and_outlive_the_query),
        cmocka_unit_test(what_is_wrong_is_refused_in_words),
        cmocka_unit_test(more_names_than_there_may_be_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
