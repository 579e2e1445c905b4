/* SPDX-License-Identifier: Apache-2.0 */
#include "target/process_rules.h"

#include <errno.h>
#include <pwd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <time.h>

#include <cmocka.h>

#include "support/fixture_tree.h"
#include "support/slow_names.h"
#include "target/process_name.h"

#define KERNEL_THREAD 0x00200000U

/* A process of the fixture; what is NULL it has not. */
struct shown {
    pid_t pid;
    const char *comm, *exe, *cmdline; /* arguments end with | in place of NUL */
    unsigned flags;
};

enum { NGINX = 100, JAVA, HIDDEN, KWORKER, TITLE, BYTES, SLASHES, NOTHING };

static const struct shown processes[] = {
    {NGINX, "nginx", "/usr/sbin/nginx", "nginx: worker process|", 0},
    {JAVA, "java", "/opt/jdk/bin/java", "java|-Xmx4g|-jar|/srv/shop.jar|--port=80|", 0},
    {HIDDEN, "sleep", NULL, "/bin/sleep|9|", 0},
    {KWORKER, "kworker/0:1", NULL, "", KERNEL_THREAD},
    {TITLE, "app", "/usr/bin/python3.11", "x|a\nb|", 0},
    {BYTES, "a\xff) R 1 (", "/opt/\xff", "b|", 0},
    {SLASHES, "%/x", "/a/%/y", "%/x|", 0},
    {NOTHING, "", NULL, "", 0},
};

static void write_bytes(const struct fixture_tree *tree, const char *path, const char *text)
{
    char bytes[128];
    size_t n = strlen(text);
    int fd = openat(tree->fd, path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

    assert_true(fd >= 0 && n < sizeof(bytes));
    for (size_t i = 0; i < n; i++)
        bytes[i] = text[i] == '|' ? '\0' : text[i];
    assert_int_equal(write(fd, bytes, n), n);
    assert_int_equal(close(fd), 0);
}

static void show(const struct fixture_tree *tree, const struct shown *shown)
{
    char path[64], stat[256];

    (void)snprintf(path, sizeof(path), "%d/stat", (int)shown->pid);
    (void)snprintf(stat, sizeof(stat),
                   "%d (%s) S 1 1 1 0 -1 %u 0 0 0 0 0 0 0 0 20 0 1 0 12345 0 0 0 0 0 0 0 0 0 0 0 0 "
                   "0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
                   (int)shown->pid, shown->comm, shown->flags);
    fixture_tree_write(tree, path, stat);
    (void)snprintf(path, sizeof(path), "%d/cmdline", (int)shown->pid);
    write_bytes(tree, path, shown->cmdline);
    (void)snprintf(path, sizeof(path), "%d/exe", (int)shown->pid);
    if (shown->exe)
        assert_int_equal(symlinkat(shown->exe, tree->fd, path), 0);
}

static struct fixture_tree tree;

static int setup_tree(void **state)
{
    (void)state;
    tree = fixture_tree_open();
    for (size_t i = 0; i < ARRAY_SIZE(processes); i++)
        show(&tree, &processes[i]);
    return 0;
}

static int teardown_tree(void **state)
{
    (void)state;
    fixture_tree_close(&tree);
    return 0;
}

static int setup(void **state)
{
    struct process_rules *rules = NULL;
    int r = process_rules_new(&rules);

    *state = rules;
    return r;
}

static int teardown(void **state)
{
    *state = process_rules_free(*state);
    return 0;
}

#define LIST(field, ...)                                                                           \
    .field = (const char *const[]){__VA_ARGS__},                                                   \
    .n_##field = ARRAY_SIZE(((const char *const[]){__VA_ARGS__}))
#define ADD(rules, ...) add(rules, &(struct process_rule_spec){__VA_ARGS__})

static void add(struct process_rules *rules, const struct process_rule_spec *spec)
{
    struct process_rule_error error = {0};

    if (process_rules_add(rules, spec, &error) < 0)
        fail_msg("%zu: %s", error.offset, error.message);
}

static int match(const struct process_rules *rules, pid_t pid, struct text *name)
{
    AUTO(process) struct process *process = NULL;
    struct process_matching matching = {.most_work = SIZE_MAX};
    int rule;

    assert_int_equal(process_open(tree.fd, pid, &process), 0);
    rule = process_rules_match(rules, process, &matching, name);
    free(matching.verdicts);
    return rule;
}

static void expect(const struct process_rules *rules, pid_t pid, int rule, const char *group)
{
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *name = NULL;

    assert_int_equal(match(rules, pid, &text), rule);
    name = text_take(&text);
    assert_string_equal(name, group);
}

static void expect_none(const struct process_rules *rules, pid_t pid)
{
    expect(rules, pid, -1, "");
}

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

static void name__is_the_base_of_the_executable_by_default(void **state)
{
    ADD(*state, LIST(comm, "app", "kworker/0:1"));
    expect(*state, TITLE, 0, "python3.11");
    expect(*state, KWORKER, 0, "kworker/0:1");
}

static void name__takes_named_groups_of_all_patterns(void **state)
{
    ADD(*state, .name = "{{.Matches.jar}}:{{.Matches.port}}{{.Matches.none}}",
        LIST(cmdline, "-jar\\s+(?P<jar>\\S+)", "--port=(?P<port>\\d+)(?P<none>!)?"));
    expect(*state, JAVA, 0, "/srv/shop.jar:80");
}

static void name__of_two_groups_of_one_name_the_last_counts(void **state)
{
    ADD(*state, .name = "{{.Matches.x}}", LIST(cmdline, "(?P<x>-jar)", "(?P<x>--port)"));
    expect(*state, JAVA, 0, "--port");
}

static void name__has_the_pid_and_is_single(void **state)
{
    ADD(*state, .name = "{{.Comm}}-{{.PID}}", LIST(comm, "java"));
    ADD(*state, .name = "{{.StartTime}}", LIST(comm, "sleep"));
    ADD(*state, .name = "{{.Comm}}", LIST(comm, "nginx"));
    expect(*state, JAVA, 0, "java-101");
    assert_true(process_rules_is_single(*state, 0));
    assert_true(process_rules_is_single(*state, 1));
    assert_false(process_rules_is_single(*state, 2));
}

/* 123 s after the machine's start. */
static void name__has_the_start_as_a_time_of_day(void **state)
{
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *name = NULL;
    struct timespec now, since_boot;
    struct tm parts = {0};
    double difference;

    ADD(*state, .name = "{{.StartTime}}", LIST(comm, "java"));
    assert_int_equal(match(*state, JAVA, &text), 0);
    name = text_take(&text);
    assert_non_null(name);
    assert_ptr_equal(strptime(name, "%Y-%m-%dT%H:%M:%SZ", &parts), name + strlen(name));
    assert_int_equal(clock_gettime(CLOCK_REALTIME, &now), 0);
    assert_int_equal(clock_gettime(CLOCK_BOOTTIME, &since_boot), 0);
    difference = (double)timegm(&parts) - (double)(now.tv_sec - since_boot.tv_sec) -
                 12345.0 / (double)sysconf(_SC_CLK_TCK);
    assert_true(difference > -3 && difference < 3);
}

static void name__has_the_user_who_owns_the_process(void **state)
{
    const struct passwd *user = getpwuid(geteuid());
    char number[16];

    (void)snprintf(number, sizeof(number), "%u", geteuid());
    ADD(*state, .name = "{{.Username}}", LIST(comm, "java"));
    for (bool late = true; late;) {
        AUTO(process) struct process *process = NULL;
        AUTO_TEXT struct text name = {0};
        struct process_matching matching = {.most_work = SIZE_MAX};

        assert_int_equal(process_open(tree.fd, JAVA, &process), 0);
        assert_int_equal(process_rules_match(*state, process, &matching, &name), 0);
        late = matching.by_number; /* the machine is busy */
    }
    expect(*state, JAVA, 0, user ? user->pw_name : number);
}

static void name__stays_the_number_where_it_was_that(void **state)
{
    AUTO(process) struct process *process = NULL;
    AUTO_TEXT struct text name = {0};
    AUTO_FREE char *label = NULL;
    struct process_matching matching = {.most_work = SIZE_MAX, .by_number = true};
    char number[16];

    (void)snprintf(number, sizeof(number), "%u", geteuid());
    ADD(*state, .name = "{{.Username}}", LIST(comm, "java"));
    assert_int_equal(process_open(tree.fd, JAVA, &process), 0);
    assert_int_equal(process_rules_match(*state, process, &matching, &name), 0);
    label = text_take(&name);
    assert_string_equal(label, number);
    assert_true(matching.by_number);
}

static void name__that_is_late_is_the_number_and_said_to_be(void **state)
{
    struct name_service *service = name_service_new(&slow_names);
    AUTO(process_template) struct process_template *template = NULL;
    AUTO(user_names) struct user_names *users = NULL;
    AUTO(process) struct process *process = NULL;
    AUTO_TEXT struct text name = {0};
    AUTO_FREE char *label = NULL;
    struct process_rule_error error;
    char number[16];

    (void)state;
    (void)snprintf(number, sizeof(number), "%u", geteuid());
    assert_int_equal(process_template_parse("{{.Username}}", NULL, 0, &template, &error), 0);
    assert_int_equal(user_names_new(service, &users), 0);
    assert_int_equal(process_open(tree.fd, JAVA, &process), 0);
    slow_names_hang(true);
    assert_int_equal(process_name_append(template, NULL, process, users, &name), NAME_LATE);
    slow_names_hang(false);
    label = text_take(&name);
    assert_string_equal(label, number);
    (void)name_service_free(service);
}

static void name__what_is_not_clean_is_encoded(void **state)
{
    ADD(*state, .name = "{{.Comm}}", LIST(cmdline, "^b"));
    ADD(*state, .name = "{{.Matches.x}}", LIST(cmdline, "(?P<x>a\\nb)"));
    expect(*state, BYTES, 0, "%/a%FF) R 1 (");
    expect(*state, TITLE, 1, "%/a%0Ab");
}

static void name__one_that_looks_encoded_is_encoded(void **state)
{
    ADD(*state, .name = "{{.Comm}}", LIST(comm, "%/x"));
    expect(*state, SLASHES, 0, "%/%25/x");
}

static void name__that_is_empty_is_a_label_nevertheless(void **state)
{
    ADD(*state, .name = "{{.ExeBase}}", LIST(comm, ""));
    expect(*state, NOTHING, 0, "%/");
}

static void name__that_is_too_long_is_cut_with_a_hash(void **state)
{
    char name[1101], other[1101];
    AUTO_TEXT struct text text = {0}, second = {0};

    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    memcpy(other, name, sizeof(name));
    other[sizeof(other) - 2] = 'm';
    ADD(*state, .name = name, LIST(comm, "java"));
    ADD(*state, .name = other, LIST(comm, "nginx"));
    assert_int_equal(match(*state, JAVA, &text), 0);
    assert_int_equal(match(*state, NGINX, &second), 1);
    assert_int_equal(text.length, 1024);
    assert_int_equal(second.length, 1024);
    assert_memory_equal(text.data, "%/nnn", 5);
    assert_memory_equal(text.data, second.data, 1000);
    assert_memory_not_equal(text.data, second.data, 1024);
}

static void name__is_appended(void **state)
{
    AUTO_TEXT struct text text = {0};

    ADD(*state, LIST(comm, "java"));
    text_append_string(&text, "x");
    assert_int_equal(match(*state, JAVA, &text), 0);
    assert_int_equal(text.length, 5);
    assert_memory_equal(text.data, "xjava", 5);
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
        TEST(name__is_the_base_of_the_executable_by_default),
        TEST(name__takes_named_groups_of_all_patterns),
        TEST(name__of_two_groups_of_one_name_the_last_counts),
        TEST(name__has_the_pid_and_is_single),
        TEST(name__has_the_start_as_a_time_of_day),
        TEST(name__has_the_user_who_owns_the_process),
        TEST(name__stays_the_number_where_it_was_that),
        TEST(name__that_is_late_is_the_number_and_said_to_be),
        TEST(name__what_is_not_clean_is_encoded),
        TEST(name__one_that_looks_encoded_is_encoded),
        TEST(name__that_is_empty_is_a_label_nevertheless),
        TEST(name__that_is_too_long_is_cut_with_a_hash),
        TEST(name__is_appended),
        TEST(add__a_bad_pattern_or_name_is_refused_and_changes_nothing),
        TEST(add__texts_are_copied),
    };

    return cmocka_run_group_tests_name("process_rules", tests, setup_tree, teardown_tree);
}
