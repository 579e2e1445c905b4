/* SPDX-License-Identifier: Apache-2.0 */
/* The parser of both command lines, with a table of its own. */
#include "service/flags.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"

struct taken {
    bool loud;
    const char *file;
    char words[64]; /* all words, each with a blank behind it */
};

static int take_help(const struct flag *flag, const char *value, void *object,
                     const char **ret_expected)
{
    (void)flag, (void)value, (void)object, (void)ret_expected;
    return FLAGS_DONE;
}

static int take_failure(const struct flag *flag, const char *value, void *object,
                        const char **ret_expected)
{
    (void)flag, (void)value, (void)object, (void)ret_expected;
    return -ENOMEM;
}

static int take_word(char *word, void *object)
{
    struct taken *const taken = object;

    (void)strcat(strcat(taken->words, word), " ");
    return FLAGS_RUN;
}

static const struct flag flags[] = {
    {"help", NULL, false, "Help.", take_help, 0},
    {"loud", NULL, false, "Loud.", flag_take_presence, offsetof(struct taken, loud)},
    {"file", "PATH", true, "File.", flag_take_path, offsetof(struct taken, file)},
    {"fail", NULL, false, "Fail.", take_failure, 0},
};

static const struct flag_table table = {"test", flags, ARRAY_SIZE(flags), take_word};

static int parse(const char *line, struct taken *ret_taken, bool *ret_given)
{
    static char program[] = "test", copy[128];
    char *argv[16] = {program}, *rest = copy;
    int argc = 1;

    (void)strncpy(copy, line, sizeof(copy) - 1);
    while (rest && *rest)
        argv[argc++] = strsep(&rest, " ");
    *ret_taken = (struct taken){0};
    return flags_parse(&table, argc, argv, ret_taken, ret_given);
}

static void flags_and_words__may_be_mixed(void **state)
{
    struct taken taken;
    bool given[ARRAY_SIZE(flags)];

    (void)state;
    assert_int_equal(parse("a --file x b --loud c", &taken, given), FLAGS_RUN);
    assert_string_equal(taken.words, "a b c ");
    assert_string_equal(taken.file, "x");
    assert_true(taken.loud);
    assert_false(given[0]);
    assert_true(given[1] && given[2]);
}

static void mixing__does_not_depend_on_the_environment(void **state)
{
    struct taken taken;
    bool given[ARRAY_SIZE(flags)];

    (void)state;
    assert_int_equal(setenv("POSIXLY_CORRECT", "1", 1), 0);
    assert_int_equal(parse("a --loud b", &taken, given), FLAGS_RUN);
    assert_int_equal(unsetenv("POSIXLY_CORRECT"), 0);
    assert_true(taken.loud);
    assert_string_equal(taken.words, "a b ");
}

static void two_dashes__end_the_flags(void **state)
{
    struct taken taken;
    bool given[ARRAY_SIZE(flags)];

    (void)state;
    assert_int_equal(parse("a -- --loud -- b", &taken, given), FLAGS_RUN);
    assert_string_equal(taken.words, "a --loud -- b ");
    assert_false(taken.loud || given[1]);
}

static void a_flag__is_given_again_only_if_it_is_repeatable(void **state)
{
    struct taken taken;
    bool given[ARRAY_SIZE(flags)];

    (void)state;
    assert_int_equal(parse("--file=x --file=y", &taken, given), FLAGS_RUN);
    assert_string_equal(taken.file, "y");
    assert_int_equal(parse("--loud --loud", &taken, given), FLAGS_BAD);
}

static void the_first_outcome_that_is_none_to_go_on__ends_it(void **state)
{
    struct taken taken;
    bool given[ARRAY_SIZE(flags)];

    (void)state;
    assert_int_equal(parse("a --help --nothing", &taken, given), FLAGS_DONE);
    assert_int_equal(parse("-h", &taken, given), FLAGS_DONE);
    assert_int_equal(parse("--fail --nothing", &taken, given), -ENOMEM);
    assert_int_equal(parse("--nothing --help", &taken, given), FLAGS_BAD);
}

static void no_flag__is_abbreviated(void **state)
{
    static const char *const lines[] = {"--lou", "--fil=x", "--h", "--he", "-l", "-loud", "--"};
    struct taken taken;
    bool given[ARRAY_SIZE(flags)];

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
        assert_int_equal(parse(lines[i], &taken, given),
                         strcmp(lines[i], "--") == 0 ? FLAGS_RUN : FLAGS_BAD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_and_words__may_be_mixed),
        cmocka_unit_test(mixing__does_not_depend_on_the_environment),
        cmocka_unit_test(two_dashes__end_the_flags),
        cmocka_unit_test(a_flag__is_given_again_only_if_it_is_repeatable),
        cmocka_unit_test(the_first_outcome_that_is_none_to_go_on__ends_it),
        cmocka_unit_test(no_flag__is_abbreviated),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
