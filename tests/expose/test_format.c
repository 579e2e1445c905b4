/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <string.h>

#include "expose/format.h"

/* The head of a family with this name and help. */
static void assert_head(enum exposition_format format, const char *name, enum family_type type,
                        const char *help, const char *expected)
{
    AUTO_TEXT struct text text = {0};

    format_append_head(&text, format, (struct family_name){name, type}, help);
    text_append_char(&text, '\0');
    assert_string_equal(text.data, expected);
}

static void head__in_text_has_help_and_type_under_the_full_name(void **state)
{
    (void)state;
    assert_head(EXPOSITION_TEXT, "a_seconds_total", FAMILY_COUNTER, "Help.",
                "# HELP a_seconds_total Help.\n# TYPE a_seconds_total counter\n");
    assert_head(EXPOSITION_TEXT, "a_info", FAMILY_INFO, "Help.",
                "# HELP a_info Help.\n# TYPE a_info gauge\n");
}

static void head__in_openmetrics_leaves_out_the_ending_of_samples(void **state)
{
    (void)state;
    assert_head(EXPOSITION_OPENMETRICS, "a_total", FAMILY_COUNTER, "Help.",
                "# HELP a Help.\n# TYPE a counter\n");
    assert_head(EXPOSITION_OPENMETRICS, "a_info", FAMILY_INFO, "Help.",
                "# HELP a Help.\n# TYPE a info\n");
    assert_head(EXPOSITION_OPENMETRICS, "a_info", FAMILY_GAUGE, "Help.",
                "# HELP a_info Help.\n# TYPE a_info gauge\n");
    assert_head(EXPOSITION_OPENMETRICS, "a_total", FAMILY_GAUGE, "Help.",
                "# HELP a_total Help.\n# TYPE a_total gauge\n");
}

static void head__escapes_quotes_in_openmetrics_only(void **state)
{
    (void)state;
    assert_head(EXPOSITION_TEXT, "a", FAMILY_GAUGE, "a \"b\" \\ \n.",
                "# HELP a a \"b\" \\\\ \\n.\n# TYPE a gauge\n");
    assert_head(EXPOSITION_OPENMETRICS, "a", FAMILY_GAUGE, "a \"b\" \\ \n.",
                "# HELP a a \\\"b\\\" \\\\ \\n.\n# TYPE a gauge\n");
}

static void head__has_a_unit_if_the_name_ends_in_it(void **state)
{
    (void)state;
    assert_head(EXPOSITION_OPENMETRICS, "a_joules_total", FAMILY_COUNTER, "Help.",
                "# HELP a_joules Help.\n# TYPE a_joules counter\n# UNIT a_joules joules\n");
    assert_head(EXPOSITION_OPENMETRICS, "a_bytes", FAMILY_GAUGE, "Help.",
                "# HELP a_bytes Help.\n# TYPE a_bytes gauge\n# UNIT a_bytes bytes\n");
    assert_head(EXPOSITION_OPENMETRICS, "a_milliseconds", FAMILY_GAUGE, "Help.",
                "# HELP a_milliseconds Help.\n# TYPE a_milliseconds gauge\n");
    assert_head(EXPOSITION_OPENMETRICS, "seconds_info", FAMILY_INFO, "Help.",
                "# HELP seconds Help.\n# TYPE seconds info\n");
    assert_head(EXPOSITION_OPENMETRICS, "a_seconds_info", FAMILY_INFO, "Help.",
                "# HELP a_seconds Help.\n# TYPE a_seconds info\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(head__in_text_has_help_and_type_under_the_full_name),
        cmocka_unit_test(head__in_openmetrics_leaves_out_the_ending_of_samples),
        cmocka_unit_test(head__escapes_quotes_in_openmetrics_only),
        cmocka_unit_test(head__has_a_unit_if_the_name_ends_in_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
