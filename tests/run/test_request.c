/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "run/request.h"

#define GOOD "\"title\": \"a run\", \"target\": \"machine\", \"events\": [\"page-faults\"]"

/* Parses a body that is wrong, and expects these words among what people are told. */
static void refuses(const char *body, const char *words)
{
    struct run_request request;
    struct text message = {0};
    char *told;

    assert_int_equal(run_request_parse(body, strlen(body), &request, &message), -EINVAL);
    told = text_take(&message);
    if (!told || !strstr(told, words))
        fail_msg("%s: %s", body, told ? told : "");
    free(told);
    run_request_done(&request);
}

static void request__what_is_left_out_has_usual_values(void **state)
{
    struct run_request request;
    struct text message = {0};

    (void)state;
    assert_int_equal(run_request_parse("{" GOOD "}", strlen("{" GOOD "}"), &request, &message), 0);
    assert_string_equal(request.title, "a run");
    assert_string_equal(request.notes, "");
    assert_int_equal(request.place, RUN_OF_MACHINE);
    assert_true(request.interval_ns == 1000000000 && request.duration_ns == 30000000000);
    assert_false(request.takes_free);
    run_request_done(&request);
}

static void request__a_run_that_records_has_one_event_and_a_rate(void **state)
{
    static const char body[] = "{\"title\": \"t\", \"target\": \"machine\", \"kind\": \"record\", "
                               "\"events\": [\"cycles\"], \"rate\": 997}";
    static const char usual[] = "{\"kind\": \"record\", " GOOD "}";
    struct run_request request;
    struct text message = {0};

    (void)state;
    assert_int_equal(run_request_parse(body, strlen(body), &request, &message), 0);
    assert_int_equal(request.kind, RUN_RECORDS);
    assert_int_equal(request.rate_hz, 997);
    assert_int_equal(request.events.n, 1);
    run_request_done(&request);
    assert_int_equal(run_request_parse(usual, strlen(usual), &request, &message), 0);
    assert_int_equal(request.rate_hz, RUN_RATE_USUAL_HZ);
    run_request_done(&request);
    refuses("{\"kind\": \"record\", \"rate\": 0, " GOOD "}", "from 1 to 999");
    refuses("{\"kind\": \"record\", \"rate\": \"99\", " GOOD "}", "from 1 to 999");
    refuses("{\"rate\": 99, " GOOD "}", "only a run of kind \"record\"");
    refuses("{\"kind\": \"perf\", " GOOD "}", "\"record\" or \"schedule\"");
    refuses("{\"title\": \"t\", \"target\": \"machine\", \"kind\": \"record\"}", "one event");
}

static void request__a_list_among_the_events_is_a_group(void **state)
{
    static const char body[] =
        "{\"title\": \"t\", \"target\": \"pid:7\", \"interval_seconds\": 0.01, \"counters\": "
        "\"free\", \"events\": [\"page-faults\", [\"cycles\", \"instructions\"]]}";
    struct run_request request;
    struct text message = {0};

    (void)state;
    assert_int_equal(run_request_parse(body, strlen(body), &request, &message), 0);
    assert_int_equal(request.place, RUN_OF_PID);
    assert_int_equal(request.pid, 7);
    assert_true(request.interval_ns == 10000000 && request.takes_free);
    assert_int_equal(request.events.n, 2);
    assert_false(request.events.groups[0].is_group);
    assert_true(request.events.groups[1].is_group);
    assert_string_equal(request.events.groups[1].names[1].name, "instructions");
    run_request_done(&request);
}

static void request__a_key_that_is_not_known_is_told_with_the_nearest(void **state)
{
    (void)state;
    refuses("{" GOOD ", \"titel\": 1}", "unknown key \"titel\", did you mean \"title\"?");
    refuses("{" GOOD ", \"xyzzy\": 1}", "unknown key \"xyzzy\"");
}

static void request__what_is_wrong_is_told(void **state)
{
    (void)state;
    refuses("", "no JSON");
    refuses("[]", "expected a JSON object");
    refuses("{\"title\": \"a\", \"title\": \"b\"}", "no JSON");
    refuses("{\"target\": \"machine\", \"events\": [\"cycles\"]}", "\"title\" is missing");
    refuses("{\"title\": \"\", \"target\": \"machine\", \"events\": [\"cycles\"]}", "is empty");
    refuses("{\"title\": \"a\\u001b[2J\", \"target\": \"machine\"}", "control character");
    refuses("{\"title\": \"t\", \"events\": [\"cycles\"]}", "\"target\" is missing");
    refuses("{\"title\": \"t\", \"target\": \"cpu:0\"}", "expected machine, cgroup:PATH");
    refuses("{\"title\": \"t\", \"target\": \"pid:0\"}", "pid:NUMBER");
    refuses("{\"title\": \"t\", \"target\": \"machine\"}", "list of names");
    refuses("{\"title\": \"t\", \"target\": \"machine\", \"events\": [[]]}", "is empty");
    refuses("{\"title\": \"t\", \"target\": \"machine\", \"events\": [7]}", "names of events");
    refuses("{" GOOD ", \"counters\": \"all\"}", "\"budget\" or \"free\"");
}

static void request__times_have_bounds(void **state)
{
    (void)state;
    refuses("{" GOOD ", \"interval_seconds\": 0.009}", "0.01 to 60");
    refuses("{" GOOD ", \"interval_seconds\": 61}", "0.01 to 60");
    refuses("{" GOOD ", \"interval_seconds\": \"1\"}", "number of seconds");
    refuses("{" GOOD ", \"duration_seconds\": 3601}", "0.01 to 3600");
    refuses("{" GOOD ", \"interval_seconds\": 0.01, \"duration_seconds\": 3600}",
            "at most 100,000");
}

static void request__no_more_than_64_events_are_taken(void **state)
{
    struct text body = {0};
    char *text;

    (void)state;
    text_append_string(&body, "{\"title\": \"t\", \"target\": \"machine\", \"events\": [[\"a\"");
    for (int i = 0; i < RUN_EVENTS_MAX; i++)
        text_append_string(&body, ", \"b\"");
    text_append_string(&body, "]]}");
    text = text_take(&body);
    refuses(text, "more than 64 events");
    free(text);
}

static void rename__both_may_be_left_out_and_nothing_else_is_taken(void **state)
{
    struct run_rename rename;
    struct text message = {0};

    (void)state;
    assert_int_equal(run_rename_parse("{\"notes\": \"a\\nb\"}", 17, &rename, &message), 0);
    assert_null(rename.title);
    assert_string_equal(rename.notes, "a\nb");
    run_rename_done(&rename);
    assert_int_equal(run_rename_parse("{\"target\": \"a\"}", 15, &rename, &message), -EINVAL);
    text_done(&message);
    run_rename_done(&rename);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(request__what_is_left_out_has_usual_values),
        cmocka_unit_test(request__a_run_that_records_has_one_event_and_a_rate),
        cmocka_unit_test(request__a_list_among_the_events_is_a_group),
        cmocka_unit_test(request__a_key_that_is_not_known_is_told_with_the_nearest),
        cmocka_unit_test(request__what_is_wrong_is_told),
        cmocka_unit_test(request__times_have_bounds),
        cmocka_unit_test(request__no_more_than_64_events_are_taken),
        cmocka_unit_test(rename__both_may_be_left_out_and_nothing_else_is_taken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
