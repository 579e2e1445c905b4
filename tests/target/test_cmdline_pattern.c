/* SPDX-License-Identifier: Apache-2.0 */
#include "target/cmdline_pattern.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h>

static size_t work; /* the sum over all matches */

static struct cmdline_pattern *pattern_of(const char *regex)
{
    struct cmdline_pattern *pattern = NULL;
    struct process_rule_error error = {0};

    if (cmdline_pattern_new(regex, &pattern, &error) < 0)
        fail_msg("%s: %zu: %s", regex, error.offset, error.message);
    return pattern;
}

static bool pattern_matches(const char *regex, const char *cmdline)
{
    AUTO(cmdline_pattern) struct cmdline_pattern *pattern = pattern_of(regex);
    struct text_piece captures[4];
    int r;

    assert_true(cmdline_pattern_n_captures(pattern) <= ARRAY_SIZE(captures));
    r = cmdline_pattern_match(pattern, cmdline, &work, captures);
    assert_true(r == CMDLINE_MATCHES || r == CMDLINE_DIFFERS);
    return r == CMDLINE_MATCHES;
}

static void pattern__matches_anywhere_in_the_arguments(void **state)
{
    (void)state;
    assert_true(pattern_matches("-jar", "java -jar x.jar"));
    assert_true(pattern_matches("^java\\s", "java -jar x.jar"));
    assert_true(pattern_matches("x\\.jar$", "java -jar x.jar"));
    assert_false(pattern_matches("^-jar", "java -jar x.jar"));
    assert_true(pattern_matches(".*", ""));
    assert_false(pattern_matches(".+", ""));
}

static void pattern__a_newline_is_no_end(void **state)
{
    (void)state;
    assert_false(pattern_matches("x$", "x\n"));
    assert_false(pattern_matches("^y", "x\ny"));
    assert_false(pattern_matches("x.y", "x\ny"));
    assert_true(pattern_matches("x.y", "x\ry"));
    assert_true(pattern_matches("(?m)^y", "x\ny"));
}

static void pattern__bytes_need_not_be_utf8(void **state)
{
    (void)state;
    assert_true(pattern_matches("^a.b$", "a\xff"
                                         "b"));
    assert_true(pattern_matches("é", "caf\xc3\xa9"));
    assert_true(pattern_matches("\\xff", "\xff"));
}

static void pattern__named_groups_are_pieces_of_the_arguments(void **state)
{
    static const char cmdline[] = "exporter -config.path /etc/x.yml --port=80";
    AUTO(cmdline_pattern)
    struct cmdline_pattern *pattern =
        pattern_of("-config.path\\s+(?P<Cfgfile>\\S+)(?P<Absent>zz)?(.*?)(?<port>\\d+)");
    struct text_piece captures[3] = {{NULL, 0}};
    const char *wanted[] = {"", "/etc/x.yml", "80"};

    (void)state;
    assert_int_equal(cmdline_pattern_n_captures(pattern), 3);
    assert_int_equal(cmdline_pattern_match(pattern, cmdline, &work, captures), CMDLINE_MATCHES);
    for (size_t i = 0; i < 3; i++) {
        size_t at = strcmp(cmdline_pattern_capture(pattern, i), "Absent") == 0    ? 0
                    : strcmp(cmdline_pattern_capture(pattern, i), "Cfgfile") == 0 ? 1
                                                                                  : 2;

        assert_int_equal(captures[i].n, strlen(wanted[at]));
        assert_memory_equal(captures[i].bytes, wanted[at], captures[i].n);
        assert_true(captures[i].bytes >= cmdline && captures[i].bytes < cmdline + sizeof(cmdline));
    }
}

/* It would match after 200 ms: at each byte but the last it tries all lengths of x. */
static void pattern__one_that_costs_too_much_does_not_match_and_works_again(void **state)
{
    AUTO(cmdline_pattern) struct cmdline_pattern *pattern = pattern_of("(x*)\\1z");
    char hostile[4097];

    (void)state;
    memset(hostile, 'x', sizeof(hostile));
    memcpy(hostile + sizeof(hostile) - 4, "|yz", 4);
    assert_int_equal(cmdline_pattern_match(pattern, hostile, &work, NULL), CMDLINE_TOO_COSTLY);
    assert_int_equal(cmdline_pattern_match(pattern, hostile + 4000, &work, NULL), CMDLINE_MATCHES);
}

/* Patterns that are slow for different reasons: steps, beginnings, long looks, ways back, memory.
 */
static const char *const careless[] = {
    "(x+x+)+y",      "a.*b.*c.*d",        "(a|b|ab)*c",    "(.*)\\1z",       "(.*?)\\1!",
    "(?:a*)*$x",     "(?:(?:a|b)+c?)+d",  "(a)(?1)*?z",    "(?=(a+))a*b\\1", "((a)|b)*;",
    "(a?){30}a{30}", "\\S*\\S*\\S*\\S*=", "(?R)?x|a(?R)b",
};

static double cpu_ms(void)
{
    struct timespec now;

    assert_int_equal(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now), 0);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* The time is printed, not asserted. Without our limits some take a hundred times as long. */
static void pattern__a_careless_one_costs_bounded_time(void **state)
{
    static const char *const fillings[] = {"x", "ab", "a", "abc "};
    char cmdline[4097];
    double worst = 0;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(careless); i++) {
        AUTO(cmdline_pattern) struct cmdline_pattern *pattern = pattern_of(careless[i]);

        for (size_t j = 0; j < ARRAY_SIZE(fillings); j++) {
            double begin = cpu_ms(), took;

            for (size_t at = 0; at < sizeof(cmdline); at++)
                cmdline[at] = fillings[j][at % strlen(fillings[j])];
            memcpy(cmdline + sizeof(cmdline) - 17, "|y|c|d|z|b|=|;|x", 17);
            assert_in_range(cmdline_pattern_match(pattern, cmdline, &work, NULL), CMDLINE_DIFFERS,
                            CMDLINE_TOO_COSTLY);
            took = cpu_ms() - begin;
            worst = took > worst ? took : worst;
        }
    }
    print_message("the slowest match took %.1f ms of CPU\n", worst);
}

struct refusal {
    const char *regex;
    size_t offset;
    const char *says;
};

static const struct refusal refusals[] = {
    {"ab(c", 4, "missing closing parenthesis"}, {"*a", 0, "quantifier does not follow"},
    {"[a", 2, "missing terminating ]"},         {"(?P<a>.)(?P<a>.)", 14, "same name"},
    {"(*UTF)a", 6, "using UTF is disabled"},
};

static void pattern__what_is_none_is_refused_with_its_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(refusals); i++) {
        struct cmdline_pattern *pattern = NULL;
        struct process_rule_error error = {0};

        assert_int_equal(cmdline_pattern_new(refusals[i].regex, &pattern, &error), -EINVAL);
        assert_null(pattern);
        if (error.offset != refusals[i].offset || !strstr(error.message, refusals[i].says))
            fail_msg("%s: %zu: %s", refusals[i].regex, error.offset, error.message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pattern__matches_anywhere_in_the_arguments),
        cmocka_unit_test(pattern__a_newline_is_no_end),
        cmocka_unit_test(pattern__bytes_need_not_be_utf8),
        cmocka_unit_test(pattern__named_groups_are_pieces_of_the_arguments),
        cmocka_unit_test(pattern__one_that_costs_too_much_does_not_match_and_works_again),
        cmocka_unit_test(pattern__a_careless_one_costs_bounded_time),
        cmocka_unit_test(pattern__what_is_none_is_refused_with_its_place),
    };

    return cmocka_run_group_tests_name("cmdline_pattern", tests, NULL, NULL);
}
