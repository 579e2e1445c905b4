/* SPDX-License-Identifier: Apache-2.0 */
#include "target/process_rules_fixture.h"

static void rules__none_match_nothing(void **state)
{
    expect_none(*state, NGINX);
}

static void rules__comm_is_a_list_of_which_one_is_enough(void **state)
{
    ADD(*state, LIST(comm, "sshd", "nginx"));
    expect(*state, NGINX, 0, "nginx");
    expect_none(*state, JAVA);
}

static void rules__comm_is_compared_whole(void **state)
{
    ADD(*state, LIST(comm, "ngin", "nginxx", "NGINX"));
    expect_none(*state, NGINX);
}

static void rules__exe_without_a_slash_is_a_base_name(void **state)
{
    ADD(*state, LIST(exe, "java"));
    expect(*state, JAVA, 0, "java");
    expect_none(*state, NGINX);
}

static void rules__exe_with_a_slash_is_a_whole_path(void **state)
{
    ADD(*state, LIST(exe, "/usr/bin/java", "/opt/jdk/bin/java"));
    ADD(*state, LIST(exe, "/nginx", "sbin/nginx", "nginx/"));
    expect(*state, JAVA, 0, "java");
    expect_none(*state, NGINX);
}

static void rules__exe_that_cannot_be_read_is_the_first_argument(void **state)
{
    ADD(*state, .name = "{{.ExeFull}} {{.ExeBase}}", LIST(exe, "/bin/sleep"));
    expect(*state, HIDDEN, 0, "/bin/sleep sleep");
}

static void rules__each_pattern_of_cmdline_must_match(void **state)
{
    ADD(*state, LIST(cmdline, "-jar", "--port=81"));
    ADD(*state, LIST(cmdline, "-jar", "--port=80$"));
    expect(*state, JAVA, 1, "java");
}

static void rules__cmdline_has_spaces_between_arguments(void **state)
{
    ADD(*state, LIST(cmdline, "^java -Xmx4g -jar /srv/shop.jar --port=80$"));
    expect(*state, JAVA, 0, "java");
}

static void rules__pid_is_a_list_of_which_one_is_enough(void **state)
{
    static const pid_t pids[] = {1, JAVA};

    ADD(*state, .pid = pids, .n_pid = ARRAY_SIZE(pids));
    expect(*state, JAVA, 0, "java");
    expect_none(*state, NGINX);
}

static void rules__all_selectors_must_match(void **state)
{
    static const pid_t pid = NGINX;

    ADD(*state, LIST(comm, "nginx"), LIST(exe, "java"));
    ADD(*state, LIST(comm, "nginx"), LIST(cmdline, "master"));
    ADD(*state, LIST(exe, "java"), .pid = &pid, .n_pid = 1);
    ADD(*state, LIST(comm, "nginx"), LIST(exe, "nginx"), LIST(cmdline, "worker"), .pid = &pid,
        .n_pid = 1);
    expect(*state, NGINX, 3, "nginx");
    expect_none(*state, JAVA);
}

static void rules__the_first_that_matches_wins(void **state)
{
    ADD(*state, .name = "first", LIST(cmdline, "-jar"));
    ADD(*state, .name = "second", LIST(comm, "java", "nginx"), .children = true);
    expect(*state, JAVA, 0, "first");
    expect(*state, NGINX, 1, "second");
    assert_false(process_rules_with_children(*state, 0));
    assert_true(process_rules_with_children(*state, 1));
}

static void rules__a_kernel_thread_has_a_comm_only(void **state)
{
    ADD(*state, LIST(exe, "kworker/0:1", "0:1"));
    ADD(*state, LIST(cmdline, ".+"));
    ADD(*state, .name = "{{.ExeBase}} {{.ExeFull}}", LIST(comm, "kworker/0:1"));
    expect(*state, KWORKER, 2, "kworker/0:1 kworker/0:1");
}

static void add__a_bad_pattern_or_name_is_refused_and_changes_nothing(void **state)
{
    const struct process_rule_spec pattern = {LIST(comm, "java"), LIST(cmdline, "a", "b", "c(")};
    const struct process_rule_spec name = {.name = "a{{.Matches.y}}", LIST(cmdline, "(?P<x>a)")};
    struct process_rule_error error = {0};

    assert_int_equal(process_rules_add(*state, &pattern, &error), -EINVAL);
    assert_int_equal(error.key, PROCESS_RULE_CMDLINE);
    assert_int_equal(error.index, 2);
    assert_int_equal(error.offset, 2);
    assert_non_null(strstr(error.message, "missing closing parenthesis"));
    assert_int_equal(process_rules_add(*state, &name, &error), -EINVAL);
    assert_int_equal(error.key, PROCESS_RULE_NAME);
    assert_int_equal(error.offset, 12);
    expect_none(*state, JAVA);
}

static void add__texts_are_copied(void **state)
{
    char comm[] = "java", name[] = "a";
    const char *list = comm;

    add(*state, &(struct process_rule_spec){.name = name, .comm = &list, .n_comm = 1});
    comm[0] = name[0] = 'x';
    expect(*state, JAVA, 0, "a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        TEST(rules__none_match_nothing),
        TEST(rules__comm_is_a_list_of_which_one_is_enough),
        TEST(rules__comm_is_compared_whole),
        TEST(rules__exe_without_a_slash_is_a_base_name),
        TEST(rules__exe_with_a_slash_is_a_whole_path),
        TEST(rules__exe_that_cannot_be_read_is_the_first_argument),
        TEST(rules__each_pattern_of_cmdline_must_match),
        TEST(rules__cmdline_has_spaces_between_arguments),
        TEST(rules__pid_is_a_list_of_which_one_is_enough),
        TEST(rules__all_selectors_must_match),
        TEST(rules__the_first_that_matches_wins),
        TEST(rules__a_kernel_thread_has_a_comm_only),
        TEST(add__a_bad_pattern_or_name_is_refused_and_changes_nothing),
        TEST(add__texts_are_copied),
    };

    return cmocka_run_group_tests_name("process_rules", tests, setup_tree, teardown_tree);
}
