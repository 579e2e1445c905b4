/* SPDX-License-Identifier: Apache-2.0 */
/* Words of strangers in messages. */
#include "support/check.h"

#include <stdlib.h>

#include "config/config_error.h"

static void assert_shown(const char *word, const char *expected)
{
    assert_string_equal(SHOWN(word), expected);
}

static void a_word__is_shown_in_quotes(void **state)
{
    (void)state;
    assert_shown("", "\"\"");
    assert_shown("nginx", "\"nginx\"");
    assert_shown("caf\xc3\xa9 \xf0\x9f\x90\xa7", "\"caf\xc3\xa9 \xf0\x9f\x90\xa7\"");
}

static void what_steers_a_terminal__is_escaped(void **state)
{
    (void)state;
    assert_shown("\x1b[2J\n\x7f", "\"\\x1b[2J\\x0a\\x7f\"");
    assert_shown("\xc2\x9b", "\"\\u009b\"");               /* CSI, as one character */
    assert_shown("\xe2\x80\xa8", "\"\\u2028\"");           /* a separator of lines */
    assert_shown("\xf0\x9f\xbf\xbe", "\"\\U0001fffe\"");   /* no character */
    assert_shown("a\x80\xff\xc3", "\"a\\x80\\xff\\xc3\""); /* no UTF-8 */
}

/* However the bytes behind the place are where it is cut. */
static void a_long_word__is_cut(void **state)
{
    static const char *const units[] = {
        "a", "\x80", "\xc3\xa9", "\xf0\x9f\x90\xa7", "\x1b", "\xe2\x80\xa8", "\xf0\x9f\xbf\xbe"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(units); i++)
        for (size_t lead = 0; lead < 96; lead++) {
            struct shown_word shown;
            char word[4096];
            size_t n = lead;

            memset(word, 'a', lead);
            for (; n + 8 < sizeof(word); n += strlen(units[i]))
                (void)stpcpy(word + n, units[i]);
            word[n] = '\0';
            (void)show_word(word, &shown);
            assert_in_range(strlen(shown.text), 80, sizeof(shown.text) - 1);
            assert_non_null(strstr(shown.text, "\xe2\x80\xa6\"")); /* an ellipsis, and the quote */
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word__is_shown_in_quotes),
        cmocka_unit_test(what_steers_a_terminal__is_escaped),
        cmocka_unit_test(a_long_word__is_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
