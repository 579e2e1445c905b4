/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <errno.h>
#include <stdio.h>

#include "target/names_check.h"
#include "target/names_file.h"

struct parsed {
    struct name_rules *rules;
    struct text errors;
    size_t n_wrong;
};

static struct parsed parse_bytes_of(const char *text, size_t n)
{
    struct parsed parsed = {0};

    assert_int_equal(name_rules_parse(text, n, &parsed.rules, &parsed.errors, &parsed.n_wrong), 0);
    text_append_char(&parsed.errors, '\0');
    return parsed;
}

static struct parsed parse(const char *text)
{
    return parse_bytes_of(text, strlen(text));
}

static void parsed_done(struct parsed *parsed)
{
    text_done(&parsed->errors);
    (void)name_rules_free(parsed->rules);
}
#define AUTO_PARSED __attribute__((cleanup(parsed_done)))

/* NULL: it has none. */
static void check_cgroup(const struct parsed *parsed, const char *path, const char *name,
                         const char *group, const char *role)
{
    AUTO_NAMES struct names names = {0};

    name_rules_add_cgroup(parsed->rules, path, &names);
    if (name)
        assert_name(&names, NAME_NAME, name);
    if (group)
        assert_name(&names, NAME_GROUP, group);
    if (role)
        assert_name(&names, NAME_ROLE, role);
    assert_n_names(&names, (name ? 1u : 0u) + (group ? 1u : 0u) + (role ? 1u : 0u));
}

static void check_pid(const struct parsed *parsed, pid_t pid, const char *name)
{
    AUTO_NAMES struct names names = {0};

    name_rules_add_pid(parsed->rules, pid, &names);
    if (name)
        assert_name(&names, NAME_NAME, name);
    assert_n_names(&names, name ? 1u : 0u);
}

static void check_wrong(const struct parsed *parsed, size_t n_wrong, const char *errors)
{
    assert_string_equal(parsed->errors.data, errors);
    assert_int_equal(parsed->n_wrong, n_wrong);
}

static void lines__name_cgroups_and_processes(void **state)
{
    AUTO_PARSED struct parsed parsed = parse("match,name,group,role\n"
                                             "cgroup:/system.slice/nginx.service,web,shop,front\r\n"
                                             "/db.slice/*,db,,store\n"
                                             "\n"
                                             "# a remark, with \"quotes\n"
                                             "pid:4711,miner\n"
                                             "12,init");

    (void)state;
    check_wrong(&parsed, 0, "");
    check_cgroup(&parsed, "/system.slice/nginx.service", "web", "shop", "front");
    check_cgroup(&parsed, "/db.slice/a", "db", NULL, "store");
    check_cgroup(&parsed, "/db.slice/a/b", NULL, NULL, NULL);
    check_cgroup(&parsed, "/", NULL, NULL, NULL);
    check_pid(&parsed, 4711, "miner");
    check_pid(&parsed, 12, "init");
    check_pid(&parsed, 1, NULL);
}

static void the_first_line__that_matches_wins(void **state)
{
    AUTO_PARSED struct parsed parsed = parse("/a,first\n/a,second,group\n/**,all\n");

    (void)state;
    check_cgroup(&parsed, "/a", "first", NULL, NULL);
    check_cgroup(&parsed, "/b/c", "all", NULL, NULL);
}

static void a_quoted_field__may_hold_commas_quotes_and_ends_of_lines(void **state)
{
    AUTO_PARSED struct parsed parsed =
        parse("\"cgroup:/a,b\",\"say \"\"hi\"\"\",\"\"\n/c,\"two\nlines\",x\n/d,\"\"\"\",\"y\"\n");

    (void)state;
    check_wrong(&parsed, 0, "");
    check_cgroup(&parsed, "/a,b", "say \"hi\"", NULL, NULL);
    check_cgroup(&parsed, "/c", "%/two%0Alines", "x", NULL);
    check_cgroup(&parsed, "/d", "\"", "y", NULL);
}

static void a_wrong_line__is_told_and_the_others_hold(void **state)
{
    AUTO_PARSED struct parsed parsed = parse("/a,first\n"
                                             "/b\n"
                                             "nothing,x\n"
                                             "/c/,x\n"
                                             "/d,a,b,c,d\n"
                                             "pid:0,x\n"
                                             "12x,x\n"
                                             "/e,mid\"dle\n"
                                             "/f,\"behind\"x\n"
                                             "pid:99999999,x\n"
                                             "/z,last\n");

    (void)state;
    check_cgroup(&parsed, "/a", "first", NULL, NULL);
    check_cgroup(&parsed, "/d", NULL, NULL, NULL);
    check_cgroup(&parsed, "/z", "last", NULL, NULL);
    assert_int_equal(parsed.n_wrong, 9);
    assert_non_null(strstr(parsed.errors.data, "2: one field alone; expected match,name"));
    assert_non_null(strstr(parsed.errors.data, "3: no match; expected cgroup:/PATTERN or pid:N"));
    assert_non_null(strstr(parsed.errors.data, "5: more than four fields"));
    assert_non_null(strstr(parsed.errors.data, "6: this is no number of a process"));
    assert_non_null(strstr(parsed.errors.data, "8: quotes within a field"));
    assert_non_null(strstr(parsed.errors.data, "9: something stands behind the closing quotes"));
}

static void quotes_that_are_not_closed__do_not_swallow_the_lines_behind(void **state)
{
    AUTO_PARSED struct parsed parsed =
        parse("/a,\"open\n/b,good\n/c,\"quoted\" x\n/d,\"again\n/e,last\n");

    (void)state;
    check_cgroup(&parsed, "/b", "good", NULL, NULL);
    check_cgroup(&parsed, "/e", "last", NULL, NULL);
    check_wrong(&parsed, 3,
                "1: the quotes are not closed; expected \" at the end of the field\n"
                "3: something stands behind the closing quotes; expected a comma\n"
                "4: the quotes are not closed; expected \" at the end of the field\n");
}

static void lines__are_counted_through_quotes(void **state)
{
    AUTO_PARSED struct parsed parsed = parse("/a,\"1\n2\n3\"\nwrong,x\n");

    (void)state;
    check_wrong(&parsed, 1, "4: no match; expected cgroup:/PATTERN or pid:N\n");
}

static void a_byte_order_mark__is_no_part_of_the_header(void **state)
{
    AUTO_PARSED struct parsed parsed = parse("\xef\xbb\xbfmatch,name\n/a,x\n");

    (void)state;
    check_wrong(&parsed, 0, "");
    check_cgroup(&parsed, "/a", "x", NULL, NULL);
}

static void hostile_text__costs_no_more_than_its_reading(void **state)
{
    AUTO_FREE char *quotes = repeated("\"", 100001);
    AUTO_FREE char *lines = repeated("\n", 100000);
    AUTO_FREE char *commas = repeated(",", 100000);
    AUTO_FREE char *rules = repeated("/a,b\n", NAME_RULES_MOST + 5);
    AUTO_FREE char *wrong = repeated("x,y\n", 50000);
    AUTO_PARSED struct parsed of_quotes = parse(quotes);
    AUTO_PARSED struct parsed of_lines = parse(lines);
    AUTO_PARSED struct parsed of_commas = parse(commas);
    AUTO_PARSED struct parsed of_rules = parse(rules);
    AUTO_PARSED struct parsed of_wrong = parse(wrong);
    AUTO_PARSED struct parsed of_zero = parse_bytes_of("/a,b\0c\n/d,e", 11);

    (void)state;
    assert_int_equal(of_quotes.n_wrong, 1);
    assert_int_equal(of_lines.n_wrong, 0);
    assert_int_equal(of_commas.n_wrong, 1);
    assert_int_equal(of_rules.n_wrong, 5);
    assert_int_equal(of_wrong.n_wrong, 50000);
    assert_true(of_wrong.errors.length < 2000);
    assert_int_equal(of_zero.n_wrong, 1);
    check_cgroup(&of_zero, "/d", "e", NULL, NULL);
}

static void an_unclosed_quote_on_each_line__is_not_searched_to_the_end_each_time(void **state)
{
    AUTO_FREE char *text = repeated("/a,\"b\n", 150000);
    AUTO_PARSED struct parsed parsed = parse(text);

    (void)state;
    assert_true(parsed.n_wrong >= 75000);
}

static void no_rules__name_nobody(void **state)
{
    AUTO_PARSED struct parsed parsed = parse("");
    AUTO_NAMES struct names names = {0};

    (void)state;
    check_cgroup(&parsed, "/a", NULL, NULL, NULL);
    name_rules_add_cgroup(NULL, "/a", &names);
    name_rules_add_pid(NULL, 1, &names);
    assert_n_names(&names, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines__name_cgroups_and_processes),
        cmocka_unit_test(the_first_line__that_matches_wins),
        cmocka_unit_test(a_quoted_field__may_hold_commas_quotes_and_ends_of_lines),
        cmocka_unit_test(a_wrong_line__is_told_and_the_others_hold),
        cmocka_unit_test(quotes_that_are_not_closed__do_not_swallow_the_lines_behind),
        cmocka_unit_test(lines__are_counted_through_quotes),
        cmocka_unit_test(a_byte_order_mark__is_no_part_of_the_header),
        cmocka_unit_test(hostile_text__costs_no_more_than_its_reading),
        cmocka_unit_test(an_unclosed_quote_on_each_line__is_not_searched_to_the_end_each_time),
        cmocka_unit_test(no_rules__name_nobody),
    };

    return cmocka_run_group_tests_name("names_file", tests, NULL, NULL);
}
