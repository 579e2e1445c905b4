/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <errno.h>
#include <stdio.h>

#include "base/clock.h"
#include "history/history_store.h"
#include "service/mark_body.h"

static int parse(const char *body, struct text *why, struct mark_body *ret_mark)
{
    text_clear(why);
    return mark_body_parse(body, strlen(body), why, ret_mark);
}

static void a_mark_has_a_text_and_may_have_a_time(void **state)
{
    AUTO_TEXT struct text why = {0};
    struct mark_body mark;

    (void)state;
    assert_int_equal(parse("{\"text\": \"release 1.2 \xc3\xa9\"}", &why, &mark), 0);
    assert_string_equal(mark.text, "release 1.2 \xc3\xa9");
    assert_int_equal(mark.time_ns, 0);
    free(mark.text);
    assert_int_equal(parse("{\"time\": 1700000000.5, \"text\": \"a\\n<b>\"}", &why, &mark), 0);
    assert_string_equal(mark.text, "a\n<b>");
    assert_int_equal(mark.time_ns, UINT64_C(1700000000500000000));
    free(mark.text);
    assert_int_equal(parse("{\"time\": 1700000000, \"text\": \"a\"}", &why, &mark), 0);
    assert_int_equal(mark.time_ns, UINT64_C(1700000000000000000));
    free(mark.text);
}

static void what_is_no_mark_is_refused_in_words(void **state)
{
    static const struct {
        const char *body, *word;
    } cases[] = {
        {"", "no JSON"},
        {"{", "no JSON"},
        {"{\"text\": \"a\"} x", "no JSON"},
        {"{\"text\": \"a\", \"text\": \"b\"}", "no JSON"},
        {"{\"text\": \"\xff\"}", "no JSON"},
        {"{\"text\": \"\\u0000\"}", "no JSON"},
        {"[]", "expected an object"},
        {"{}", "expected an object"},
        {"{\"time\": 1}", "expected an object"},
        {"{\"text\": \"a\", \"colour\": 1}", "expected an object"},
        {"{\"text\": \"\"}", "not empty"},
        {"{\"text\": 7}", "to be a string"},
        {"{\"text\": \"red: \\u001b[31m\"}", "control character"},
        {"{\"text\": \"\\u007f\"}", "control character"},
        {"{\"text\": null}", "to be a string"},
        {"{\"text\": \"a\", \"time\": \"now\"}", "to be a number"},
        {"{\"text\": \"a\", \"time\": 0}", "after 0"},
        {"{\"text\": \"a\", \"time\": 9223372036}", "before the year 2262"},
        {"{\"text\": \"a\", \"time\": -1}", "after 0"},
        {"{\"text\": \"a\", \"time\": 1e300}", "seconds since 1970"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO_TEXT struct text why = {0};
        AUTO_FREE char *words = NULL;
        struct mark_body mark;

        assert_int_equal(parse(cases[i].body, &why, &mark), -EINVAL);
        words = text_take(&why);
        if (!strstr(words, cases[i].word))
            fail_msg("%s: \"%s\"", cases[i].body, words);
    }
}

static void a_text_of_the_greatest_length_passes_and_one_byte_more_does_not(void **state)
{
    AUTO_TEXT struct text why = {0};
    char body[HISTORY_MARK_TEXT_MAX + 32];
    struct mark_body mark;

    (void)state;
    for (size_t more = 0; more < 2; more++) {
        (void)snprintf(body, sizeof(body), "{\"text\":\"%0*d\"}", HISTORY_MARK_TEXT_MAX + (int)more,
                       0);
        assert_int_equal(parse(body, &why, &mark), more ? -EINVAL : 0);
        if (!more)
            free(mark.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mark_has_a_text_and_may_have_a_time),
        cmocka_unit_test(what_is_no_mark_is_refused_in_words),
        cmocka_unit_test(a_text_of_the_greatest_length_passes_and_one_byte_more_does_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
