/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>

#include "tool/json.h"
#include "tool/profile/complain.h"
#include "tool/profile/path.h"
#include "tool/profile/show.h"

#define HEAD                                                                                       \
    "{\"from\": 1700000000, \"to\": 1700000060, \"rate\": 49, \"samples\": 200, "                  \
    "\"cpu_seconds\": 4.08, "
#define FUNCTIONS                                                                                  \
    "\"functions\": {\"kind\": [\"user\", \"user\", \"kernel\", \"note\"], "                       \
    "\"owner\": [\"a\", \"a\", \"[kernel]\", \"\"], "                                              \
    "\"name\": [\"main\", \"\\u001b[2Jx\", \"do_read\", \"[truncated]\"]}"

static const char table[] =
    HEAD "\"rows\": 3, \"table\": {\"kind\": [\"user\", \"kernel\", \"note\"], "
         "\"owner\": [\"a\", \"[kernel]\", \"\"], \"name\": [\"main\", \"do_read\", "
         "\"[truncated]\"], \"self\": [100, 80, 20], \"total\": [180, 80, 20], "
         "\"self_seconds\": [2.04, 1.63, 0.41], \"total_seconds\": [3.67, 1.63, 0.41]}}";

static const char tree[] =
    HEAD "\"pruned\": false, \"nodes\": {\"parent\": [-1, 0, 1, 1, 3, 0, 1], "
         "\"function\": [-1, 0, 1, 2, 2, 3, 2], \"self\": [0, 18, 80, 40, 40, 20, 2], "
         "\"total\": [200, 180, 80, 80, 40, 20, 2]}, " FUNCTIONS "}";

#define DIFFERENCE(measure, differs)                                                               \
    "{\"measure\": \"" measure "\", \"bound\": 3.2, \"before\": {\"from\": 1700000000, "           \
    "\"to\": 1700000060, \"samples\": 200, \"cpu_seconds\": 4}, \"after\": {\"from\": "            \
    "1700000060, \"to\": 1700000120, \"samples\": 400, \"cpu_seconds\": 8}, "                      \
    "\"nodes\": {\"differs\": [0, " differs ", 0]}, " FUNCTIONS                                    \
    ", \"table\": {\"function\": [2, 0, 1], \"self_before\": [100, 100, 0], \"self_after\": "      \
    "[300, 100, 0], \"change\": [0.25, -0.25, 0], \"sigma\": [0.04, 0.04, 0], "                    \
    "\"differs\": [0, " differs ", 0]}}"

#define EMPTY_BEFORE                                                                               \
    "\"before\": {\"from\": 1, \"to\": 2, \"samples\": 0}, \"after\": {\"from\": 2, \"to\": 3, "   \
    "\"samples\": 9}, \"nodes\": {\"differs\": []}, \"table\": {\"differs\": []}, " FUNCTIONS "}"

typedef int show_function(const json_t *answer, const struct profile_options *options,
                          const struct terminal *terminal, struct text *out);

static const struct profile_options usual = {.target = "cgroup:/a", .least = 5};
static const struct terminal piped = {0};

/* What is shown of an answer, as a string that the caller frees. */
static char *shown(show_function *show, const char *text, const struct profile_options *options,
                   const struct terminal *terminal)
{
    AUTO_JSON json_t *answer = json_loads(text, JSON_DECODE_INT_AS_REAL, NULL);
    AUTO_TEXT struct text out = {0};

    assert_non_null(answer);
    assert_int_equal(show(answer, options, terminal, &out), 0);
    return text_take(&out);
}

static int error_of(show_function *show, const char *text)
{
    AUTO_JSON json_t *answer = json_loads(text, JSON_DECODE_INT_AS_REAL, NULL);
    AUTO_TEXT struct text out = {0};

    assert_non_null(answer);
    return show(answer, &usual, &piped, &out);
}

static void a_table_has_shares_with_their_standard_deviation(void **state)
{
    AUTO_FREE char *out = shown(profile_show_table, table, &usual, &piped);

    (void)state;
    assert_string_equal(out, "cgroup:/a, 2023-11-14 22:13:20 to 22:14:20 (60 s)\n"
                             "200 samples at 49 Hz, 4.08 CPU seconds; "
                             "20 stacks (10.0 %) are not whole\n"
                             "\n"
                             "SELF %    +-  SELF s  TOTAL %  FUNCTION     OWNER\n"
                             " 50.00  3.54    2.04    90.00  main         a\n"
                             " 40.00  3.46    1.63    40.00  do_read      [kernel]\n"
                             " 10.00  2.12    0.41    10.00  [truncated]\n");
}

static void a_table_is_as_long_as_the_terminal(void **state)
{
    const struct terminal low = {.is_terminal = true, .width = 80, .height = 3};
    struct profile_options bounded = usual;
    AUTO_FREE char *all = shown(profile_show_table, table, &usual, &low);
    AUTO_FREE char *one = NULL;
    AUTO_FREE char *two = NULL;

    (void)state;
    assert_null(strstr(all, "more function"));
    bounded.lines = 1;
    one = shown(profile_show_table, table, &bounded, &low);
    assert_null(strstr(one, "do_read"));
    assert_non_null(strstr(one, "\n(2 more functions, -n shows them)\n"));
    bounded.lines = 2;
    two = shown(profile_show_table, table, &bounded, &low);
    assert_non_null(strstr(two, "\n(1 more function, -n shows it)\n"));
}

/* Long names of owners leave room for those of functions. */
static void an_owner_is_cut_before_its_function(void **state)
{
    static const char of_a_library[] =
        HEAD "\"rows\": 1, \"table\": {\"kind\": [\"user\"], \"owner\": "
             "[\"a_library_of_a_long_name.so.1.2.3\"], \"name\": [\"a_function_of_some_length\"], "
             "\"self\": [100], \"total\": [180], \"self_seconds\": [2.04]}}";
    const struct terminal terminal = {.is_terminal = true, .width = 80, .height = 24};
    AUTO_FREE char *out = shown(profile_show_table, of_a_library, &usual, &terminal);

    (void)state;
    assert_non_null(strstr(out, " 50.00  3.54    2.04    90.00  a_function_of_some_length  "
                                "a_library_of_a_long_n…\n"));
}

static void a_tree_branches_only_where_several_are_called(void **state)
{
    AUTO_FREE char *out = shown(profile_show_tree, tree, &usual, &piped);

    (void)state;
    assert_non_null(strstr(out, "\n TOTAL    SELF    FUNCTION\n"
                                "  90.0 %    9.0 %  ├─ main  a\n"
                                "  40.0 %   40.0 %  │  ├─ \\x1b[2Jx  a\n"
                                "  40.0 %   20.0 %  │  └─ do_read  [kernel]\n"
                                "  20.0 %   20.0 %  │     do_read  [kernel]\n"
                                "  10.0 %   10.0 %  └─ [truncated]\n"));
    assert_non_null(strstr(out, "; 20 stacks (10.0 %) are not whole\n"));
}

static void a_tree_is_cut_at_a_share(void **state)
{
    struct profile_options most = usual;
    AUTO_FREE char *out = NULL;

    (void)state;
    most.least = 50;
    out = shown(profile_show_tree, tree, &most, &piped);
    assert_non_null(strstr(out, "FUNCTION\n  90.0 %    9.0 %  main  a\n"));
    assert_null(strstr(out, "do_read"));
}

static void a_tree_that_is_none_is_refused(void **state)
{
    static const char *const wrong[] = {
        "{}", HEAD "\"nodes\": {\"parent\": [-1]}}",
        HEAD "\"nodes\": {\"parent\": [-1, 1], \"self\": [1, 1]}, " FUNCTIONS "}",
        HEAD "\"nodes\": {\"parent\": [0]}, " FUNCTIONS "}",
        HEAD "\"nodes\": {\"parent\": [-1, 0], \"self\": [1]}, " FUNCTIONS "}"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
        assert_int_equal(error_of(profile_show_tree, wrong[i]), -EPROTO);
    assert_int_equal(error_of(profile_show_table, "[]"), -EPROTO);
    assert_int_equal(error_of(profile_show_difference, "{\"before\": 1}"), -EPROTO);
}

static void a_range_without_samples_is_told_apart(void **state)
{
    (void)state;
    assert_int_equal(
        error_of(profile_show_table,
                 "{\"from\": 1, \"to\": 2, \"samples\": 0, \"table\": {\"self\": []}}"),
        -ENODATA);
}

static void shares_of_nothing_are_not_compared(void **state)
{
    static const char of_shares[] = "{\"measure\": \"shares\", " EMPTY_BEFORE;
    static const char of_time[] = "{\"measure\": \"time\", " EMPTY_BEFORE;

    (void)state;
    assert_int_equal(error_of(profile_show_difference, of_shares), -ENODATA);
    assert_int_equal(error_of(profile_show_difference, of_time), 0);
}

/* A text with another one in it replaced, which the caller frees. */
static char *replaced(const char *text, const char *old, const char *new)
{
    const char *at = strstr(text, old);
    AUTO_TEXT struct text out = {0};

    assert_non_null(at);
    text_append(&out, text, (size_t)(at - text));
    text_append_string(&out, new);
    text_append_string(&out, at + strlen(old));
    return text_take(&out);
}

static void a_difference_marks_what_differs(void **state)
{
    AUTO_FREE char *out = shown(profile_show_difference, DIFFERENCE("shares", "1"), &usual, &piped);

    (void)state;
    assert_string_equal(
        out, "before: cgroup:/a, 2023-11-14 22:13:20 to 22:14:20 (60 s): 200 samples\n"
             "after:  cgroup:/a, 2023-11-14 22:14:20 to 22:15:20 (60 s): 400 samples\n"
             "what differs is beyond 3.2 standard deviations, as chance alone is once in 20 "
             "comparisons\n"
             "functions that differ (+ or -): 1, places of the call tree: 1\n"
             "\n"
             "of all samples, those in each function itself:\n"
             "   BEFORE %  AFTER %  CHANGE    +-  FUNCTION  OWNER\n"
             "-     50.00    25.00  -25.00  4.00  main      a\n"
             "      50.00    75.00  +25.00  4.00  do_read   [kernel]\n");
}

/* [sample lost] stands in the place of [truncated], and is one of the rows. */
static void a_difference_says_how_many_samples_were_lost(void **state)
{
    static const char note[] = "[truncated]", lost[] = "[sample lost]", rows[] = "[2, 0, 1]";
    AUTO_FREE char *answer = replaced(DIFFERENCE("shares", "1"), note, lost);
    AUTO_FREE char *with_lost = replaced(answer, rows, "[3, 0, 1]");
    AUTO_FREE char *without = shown(profile_show_difference, answer, &usual, &piped);
    AUTO_FREE char *out = shown(profile_show_difference, with_lost, &usual, &piped);

    (void)state;
    assert_null(strstr(without, "lost"));
    assert_non_null(strstr(out, "\nsamples that were lost: 100 of the first, 300 of the second; "));
}

static void two_targets_are_neither_before_nor_after_each_other(void **state)
{
    const struct profile_options of_two = {
        .target = "cgroup:/a", .before_target = "machine", .is_of_two = true};
    AUTO_FREE char *out =
        shown(profile_show_difference, DIFFERENCE("shares", "1"), &of_two, &piped);

    (void)state;
    assert_int_equal(strncmp(out, "A: machine, 2023-", strlen("A: machine, 2023-")), 0);
    assert_non_null(strstr(out, "\nB: cgroup:/a, 2023-"));
    assert_non_null(strstr(out, "\n     A %    B %   B - A    +-  FUNCTION  OWNER\n"));
}

static void a_difference_that_may_be_chance_says_so(void **state)
{
    AUTO_FREE char *out = shown(profile_show_difference, DIFFERENCE("shares", "0"), &usual, &piped);

    (void)state;
    assert_non_null(strstr(out, "\nnothing differs: all changes may be chance\n"));
    assert_null(strstr(out, "\n-"));
}

/* Half of 4 s in 60 s are 3.33 % of a CPU. */
static void a_difference_of_time_is_in_percent_of_a_cpu(void **state)
{
    AUTO_FREE char *out = shown(profile_show_difference, DIFFERENCE("time", "1"), &usual, &piped);

    (void)state;
    assert_non_null(strstr(out, "\nCPU time of each function itself, in percent of one CPU:\n"));
    assert_non_null(strstr(out, "\n-      3.33     3.33  -25.00  4.00  main      a\n"));
}

static void assert_known(const char *listed, const char *target, const char *expected)
{
    AUTO_JSON json_t *answer = json_loads(listed, JSON_DECODE_INT_AS_REAL, NULL);
    AUTO_TEXT struct text text = {0};

    profile_append_known(&text, answer, target);
    text_append_char(&text, '\0');
    assert_string_equal(text.data, expected);
}

static void of_which_time_there_are_samples_is_told(void **state)
{
    static const char some[] =
        "{\"targets\": [{\"target\": \"machine\", \"samples\": 0}, {\"target\": "
        "\"cgroup:/a\", \"samples\": 3, \"first\": 1700000000, \"last\": 1700000060}]}";
    AUTO_JSON json_t *answer = json_loads(some, JSON_DECODE_INT_AS_REAL, NULL);
    AUTO_TEXT struct text text = {0};

    (void)state;
    profile_append_kept(&text, answer, "machine");
    profile_append_kept(&text, answer, "cgroup:/");
    assert_int_equal(text.length, 0);
    profile_append_kept(&text, answer, "cgroup:/a");
    text_append_char(&text, '\0');
    assert_string_equal(text.data, "there are samples of cgroup:/a, 2023-11-14 22:13:20 to "
                                   "22:14:20 (60 s)\n");
}

static void who_asks_about_another_target_is_told_those_that_there_are(void **state)
{
    static const char some[] = "{\"targets\": [{\"target\": \"machine\", \"samples\": 3}, "
                               "{\"target\": \"cgroup:/\\u001b[2J\", \"samples\": 1}]}";
    AUTO_TEXT struct text many = {0};

    (void)state;
    assert_known(some, "process:a", "there are samples of machine, cgroup:/\\x1b[2J\n");
    assert_known(some, "machine", "");
    assert_known("{\"targets\": [{\"target\": \"machine\", \"samples\": 0}]}", "machine",
                 "there are samples of no target yet\n");
    assert_known("[]", "machine", "");
    text_append_string(&many, "{\"targets\": [");
    for (int i = 0; i < 8; i++)
        text_append_format(&many, "%s{\"target\": \"process:%d\", \"samples\": 1}", i ? ", " : "",
                           i);
    text_append_string(&many, "]}");
    text_append_char(&many, '\0');
    assert_known(many.data, "process:8",
                 "there are samples of process:0, process:1, process:2, process:3, process:4 and "
                 "3 others\n");
}

static void a_target_that_may_have_been_meant_is_asked_about(void **state)
{
    static const struct {
        const char *target, *meant;
    } cases[] = {{"process:nod", "process:node"},
                 {"process:NODE", "process:node"},
                 {"process:ngin", "process:nginx-b"},
                 {"cgroup:/nod", NULL},
                 {"cgroup:/a.service", "cgroup:/b/a.service"},
                 {"cgroup:/", NULL},
                 {"process:sh", NULL},
                 {"process:", NULL}};
    static const char some[] =
        "{\"targets\": [{\"target\": \"process:node\", \"samples\": 3}, {\"target\": "
        "\"process:nginx-a\", \"samples\": 1}, {\"target\": \"process:nginx-b\", \"samples\": 2}, "
        "{\"target\": \"cgroup:/b/a.service\", \"samples\": 2}]}";

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO_TEXT struct text expected = {0};

        text_append_format(&expected,
                           "there are samples of process:node, process:nginx-a, process:nginx-b, "
                           "cgroup:/b/a.service%s%s%s\n%c",
                           cases[i].meant ? "; did you mean " : "",
                           cases[i].meant ? cases[i].meant : "", cases[i].meant ? "?" : "", 0);
        assert_known(some, cases[i].target, expected.data);
    }
}

static void assert_marks(const char *marks, const char *expected)
{
    AUTO_JSON json_t *answer = json_loads(marks, 0, NULL);
    AUTO_TEXT struct text text = {0};

    profile_append_marks(&text, answer);
    text_append_char(&text, '\0');
    assert_string_equal(text.data, expected);
}

static void who_names_no_mark_is_told_the_latest(void **state)
{
#define MARK(text) "{\"id\": 1, \"time\": 1, \"text\": \"" text "\"}"
    (void)state;
    assert_marks("{\"marks\": []}", "there are no marks");
    assert_marks("{\"marks\": [" MARK("\\u001b") "]}", "the only one is \"\\x1b\"");
    assert_marks("{\"marks\": [" MARK("a") ", " MARK("b") "]}", "the latest are \"b\", \"a\"");
    assert_marks("{\"marks\": [" MARK("a") ", " MARK("b") ", " MARK("c") ", " MARK("d") ", " MARK(
                     "e") ", " MARK("f") "]}",
                 "the latest are \"f\", \"e\", \"d\", \"c\", \"b\"; pmutool marks lists all");
#undef MARK
}

static void a_path_has_what_the_options_want(void **state)
{
    struct profile_options options = {.target = "cgroup:/a b&c",
                                      .span = {1, 2000000000},
                                      .format = PROFILE_FORMAT_PPROF,
                                      .measure = "time"};
    AUTO_TEXT struct text path = {0}, other = {0};

    (void)state;
    profile_append_path(&path, &options);
    text_append_char(&path, '\0');
    assert_string_equal(path.data, "/api/v1/profile?target=cgroup:/a%20b%26c&start=0.000000001"
                                   "&end=2.000000000&format=pprof");
    options.is_difference = true;
    options.before_target = "machine";
    profile_append_path(&other, &options);
    text_append_char(&other, '\0');
    assert_non_null(strstr(other.data, "/api/v1/profile/difference?"));
    assert_non_null(strstr(other.data, "&before_start=0.000000000&before_end=0.000000000"
                                       "&before_target=machine&measure=time"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_has_shares_with_their_standard_deviation),
        cmocka_unit_test(a_table_is_as_long_as_the_terminal),
        cmocka_unit_test(an_owner_is_cut_before_its_function),
        cmocka_unit_test(a_tree_branches_only_where_several_are_called),
        cmocka_unit_test(a_tree_is_cut_at_a_share),
        cmocka_unit_test(a_tree_that_is_none_is_refused),
        cmocka_unit_test(a_range_without_samples_is_told_apart),
        cmocka_unit_test(shares_of_nothing_are_not_compared),
        cmocka_unit_test(a_difference_marks_what_differs),
        cmocka_unit_test(a_difference_says_how_many_samples_were_lost),
        cmocka_unit_test(two_targets_are_neither_before_nor_after_each_other),
        cmocka_unit_test(a_difference_that_may_be_chance_says_so),
        cmocka_unit_test(a_difference_of_time_is_in_percent_of_a_cpu),
        cmocka_unit_test(of_which_time_there_are_samples_is_told),
        cmocka_unit_test(who_asks_about_another_target_is_told_those_that_there_are),
        cmocka_unit_test(a_target_that_may_have_been_meant_is_asked_about),
        cmocka_unit_test(who_names_no_mark_is_told_the_latest),
        cmocka_unit_test(a_path_has_what_the_options_want),
    };

    (void)setlocale(LC_CTYPE, "C.UTF-8");
    (void)setenv("TZ", "UTC", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
