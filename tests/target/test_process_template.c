/* SPDX-License-Identifier: Apache-2.0 */
#include "target/process_template.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static const char *const captures[] = {"x", "config", "x"};

#define PIECE(text) ((struct text_piece){(text), sizeof(text) - 1})

static const struct text_piece fields[PROCESS_FIELDS_] = {
    [PROCESS_COMM] = PIECE("comm"),
    [PROCESS_EXE_BASE] = PIECE("base"),
    [PROCESS_EXE_FULL] = PIECE("/full"),
    [PROCESS_USERNAME] = PIECE("root"),
    [PROCESS_PID] = PIECE("7"),
    [PROCESS_START_TIME] = PIECE("then"),
    [PROCESS_NAMES + NAME_POD] = PIECE("web-0"),
    [PROCESS_NAMES + NAME_ROLE] = PIECE("front"),
};
static const struct text_piece captured[] = {PIECE("first"), PIECE("a.conf"), PIECE("second")};

static void assert_expands(const char *text, const char *wanted)
{
    AUTO(process_template) struct process_template *parsed = NULL;
    struct process_rule_error error = {0};
    AUTO_TEXT struct text name = {0};
    AUTO_FREE char *string = NULL;

    if (process_template_parse(text, captures, ARRAY_SIZE(captures), &parsed, &error) < 0)
        fail_msg("%s: %zu: %s", text, error.offset, error.message);
    process_template_expand(parsed, fields, captured, &name);
    string = text_take(&name);
    assert_string_equal(string, wanted);
}

static void template__each_field_stands_for_its_text(void **state)
{
    (void)state;
    assert_expands("{{.Comm}}", "comm");
    assert_expands("{{.ExeBase}}", "base");
    assert_expands("{{.ExeFull}}", "/full");
    assert_expands("{{.Username}}", "root");
    assert_expands("{{.PID}}", "7");
    assert_expands("{{.StartTime}}", "then");
    assert_expands("{{.Matches.config}}", "a.conf");
}

static void template__each_name_has_a_field(void **state)
{
    static const char *const words[NAMES_] = {
        ".Pod",       ".Namespace",     ".Container", ".Image",     ".Runtime", ".VM",
        ".VMUUID",    ".VMDisplayName", ".VMFlavor",  ".VMProject", ".VMUser",  ".SlurmJob",
        ".SlurmStep", ".SlurmUser",     ".Name",      ".Group",     ".Role",
    };

    (void)state;
    assert_expands("{{.Pod}}/{{ .Role }}", "web-0/front");
    for (size_t i = 0; i < NAMES_; i++) {
        AUTO(process_template) struct process_template *parsed = NULL;
        struct process_rule_error error;
        char text[32];

        (void)snprintf(text, sizeof(text), "a{{%s}}", words[i]);
        assert_int_equal(process_template_parse(text, NULL, 0, &parsed, &error), 0);
        assert_true(process_template_uses_names(parsed));
        assert_true(process_template_uses(parsed, (enum process_field)(PROCESS_NAMES + i)));
    }
}

static void template__without_a_name_does_not_use_them(void **state)
{
    AUTO(process_template) struct process_template *parsed = NULL;
    struct process_rule_error error;

    (void)state;
    assert_int_equal(process_template_parse("{{.Comm}}-{{.StartTime}}", NULL, 0, &parsed, &error),
                     0);
    assert_false(process_template_uses_names(parsed));
}

static void template__text_stays_as_it_is(void **state)
{
    (void)state;
    assert_expands("", "");
    assert_expands("db", "db");
    assert_expands("{{.Comm}}{{.PID}}", "comm7");
    assert_expands("a {{.Comm}}: {{.Username}} z", "a comm: root z");
    assert_expands("}} { {.Comm} }}", "}} { {.Comm} }}");
    assert_expands("é{{.Comm}}é", "écommé");
}

static void template__spaces_inside_the_braces_mean_nothing(void **state)
{
    (void)state;
    assert_expands("{{ .Comm }}", "comm");
    assert_expands("{{\t .Matches.config\t}}", "a.conf");
}

static void template__of_two_groups_of_one_name_the_last_counts(void **state)
{
    (void)state;
    assert_expands("{{.Matches.x}}", "second");
}

static void template__tells_which_fields_it_uses(void **state)
{
    AUTO(process_template) struct process_template *parsed = NULL;
    struct process_rule_error error;

    (void)state;
    assert_int_equal(
        process_template_parse("{{.PID}} {{.Matches.x}} Comm", captures, 1, &parsed, &error), 0);
    for (unsigned i = 0; i < PROCESS_FIELDS_; i++)
        assert_int_equal(process_template_uses(parsed, (enum process_field)i), i == PROCESS_PID);
}

struct refusal {
    const char *text;
    size_t offset;
    const char *says[3];
};

static const struct refusal refusals[] = {
    {"{{.Com}}", 2, {"no field \".Com\"", "expected .Comm, .ExeBase", "did you mean .Comm?"}},
    {"ab{{ .exebase }}", 5, {"\".exebase\"", "did you mean .ExeBase?"}},
    {"{{Comm}}", 2, {"no field \"Comm\"", "did you mean .Comm?"}},
    {"{{.Comm .PID}}", 2, {"no field \".Comm .PID\""}},
    {"{{}}", 2, {"no field \"\"", ".StartTime, .Matches.NAME or a name as .Pod"}},
    {"{{  }}", 4, {"no field \"\""}},
    {"{{.Matches}}", 2, {"no field \".Matches\"", ".Matches.NAME"}},
    {"{{.Match.x}}", 2, {"no field"}},
    {"{{.Cgroups}}", 2, {"no field \".Cgroups\""}},
    {"{{.Comm | upper}}", 2, {"no field \".Comm | upper\""}},
    {"{{.Matches.confg}}", 11, {"no pattern", "\"confg\"", "did you mean .Matches.config?"}},
    {"{{.Matches.}}", 11, {"group \"\"", "(?P<NAME>"}},
    {"{{.Comm}} {{.PID", 10, {"not closed", "expected \"}}\""}},
    {"{{.Comm}", 0, {"not closed"}},
    {"{{{.Comm}}}", 2, {"no field \"{.Comm\""}},
    {"{{012345678901234567890123456789éé}}", 2, {"\"012345678901234567890123456789é\""}},
    {"{{0123456789012345678901234567890é}}", 2, {"\"0123456789012345678901234567890\""}},
};

static void template__anything_else_is_refused_with_its_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(refusals); i++) {
        const struct refusal *refusal = &refusals[i];
        struct process_template *parsed = NULL;
        struct process_rule_error error = {0};

        assert_int_equal(
            process_template_parse(refusal->text, captures, ARRAY_SIZE(captures), &parsed, &error),
            -EINVAL);
        assert_null(parsed);
        if (error.offset != refusal->offset)
            fail_msg("%zu in %s: %s", error.offset, refusal->text, error.message);
        for (size_t j = 0; j < ARRAY_SIZE(refusal->says) && refusal->says[j]; j++)
            if (!strstr(error.message, refusal->says[j]))
                fail_msg("no \"%s\" in: %s", refusal->says[j], error.message);
    }
}

static void template__without_captures_there_are_no_matches(void **state)
{
    struct process_template *parsed = NULL;
    struct process_rule_error error = {0};

    (void)state;
    assert_int_equal(process_template_parse("{{.Matches.x}}", NULL, 0, &parsed, &error), -EINVAL);
    assert_int_equal(error.offset, 11);
}

static void template__the_longest_message_is_whole(void **state)
{
    static const char text[] = "{{.StartTimeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee}}";
    struct process_template *parsed = NULL;
    struct process_rule_error error = {0};

    (void)state;
    assert_int_equal(process_template_parse(text, NULL, 0, &parsed, &error), -EINVAL);
    assert_non_null(strstr(error.message, ".Matches.NAME"));
    assert_int_equal(process_template_parse("{{.StartTim}}", NULL, 0, &parsed, &error), -EINVAL);
    assert_non_null(strstr(error.message, "did you mean .StartTime?"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(template__each_field_stands_for_its_text),
        cmocka_unit_test(template__each_name_has_a_field),
        cmocka_unit_test(template__without_a_name_does_not_use_them),
        cmocka_unit_test(template__text_stays_as_it_is),
        cmocka_unit_test(template__spaces_inside_the_braces_mean_nothing),
        cmocka_unit_test(template__of_two_groups_of_one_name_the_last_counts),
        cmocka_unit_test(template__tells_which_fields_it_uses),
        cmocka_unit_test(template__anything_else_is_refused_with_its_place),
        cmocka_unit_test(template__without_captures_there_are_no_matches),
        cmocka_unit_test(template__the_longest_message_is_whole),
    };

    return cmocka_run_group_tests_name("process_template", tests, NULL, NULL);
}
