/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "support/child.h"
#include "support/fixture_tree.h"
#include "sys/process.h"

#define REST         " 1 2 3 0 -1 4194560 100 0 2 0 7 8 0 0 20 0 3 0 12345 104857600 2560\n"
#define EXITING_REST " 1 2 3 0 -1 4194564 100 0 2 0 7 8 0 0 20 0 3 0 12345 0 0\n"
#define KERNEL_REST  " 2 0 0 0 -1 69238880 0 0 0 0 0 1 0 0 0 -20 1 0 25 0 0\n"

static void stat__has_name_state_parent_threads_and_start(void **state)
{
    struct process_stat stat;

    (void)state;
    assert_true(process_stat_parse("42 (nginx) S" REST, &stat));
    assert_string_equal(stat.comm, "nginx");
    assert_int_equal(stat.state, 'S');
    assert_int_equal(stat.parent, 1);
    assert_int_equal(stat.threads, 3);
    assert_int_equal(stat.start_ticks, 12345);
    assert_false(stat.kernel_thread);
}

static void check_cgroup(const char *text, int wanted, const char *wanted_path)
{
    struct fixture_tree tree = fixture_tree_open();
    AUTO(process) struct process *process = NULL;
    char path[PROCESS_CGROUP_SIZE] = "untouched";

    fixture_tree_write(&tree, "42/stat", "42 (nginx) S" REST);
    if (text)
        fixture_tree_write(&tree, "42/cgroup", text);
    assert_int_equal(process_open(tree.fd, 42, &process), 0);
    assert_int_equal(process_read_cgroup(process, path), wanted);
    assert_string_equal(path, wanted == 0 ? wanted_path : "untouched");
    fixture_tree_close(&tree);
}

static void the_cgroup__is_that_of_the_hierarchy_that_counts(void **state)
{
    (void)state;
    check_cgroup("0::/a/b.service\n", 0, "/a/b.service");
    check_cgroup("12:cpu,cpuacct:/cpu\n4:net,perf_event:/v1/x\n0::/v2\n", 0, "/v1/x");
    check_cgroup("4:perf_event_not:/v1\n1:name=systemd:/s\n0::/v2:with:colons\n", 0,
                 "/v2:with:colons");
    check_cgroup("0::/", 0, "/");
    check_cgroup("1:name=systemd:/s\n", -ENOENT, NULL);
    check_cgroup("", -ENOENT, NULL);
    check_cgroup("no colons\n0:\n0::x\n", -ENOENT, NULL);
}

static void stat__tells_a_kernel_thread(void **state)
{
    struct process_stat stat;

    (void)state;
    assert_true(process_stat_parse("7 (kworker/0:1H-kblockd) I" KERNEL_REST, &stat));
    assert_string_equal(stat.comm, "kworker/0:1H-kblockd");
    assert_true(stat.kernel_thread);
}

static void stat__tells_that_the_first_thread_exits(void **state)
{
    struct process_stat stat;

    (void)state;
    assert_true(process_stat_parse("42 (nginx) R" REST, &stat));
    assert_false(stat.exiting);
    assert_true(process_stat_parse("42 (nginx) Z" REST, &stat));
    assert_true(stat.exiting);
    assert_true(process_stat_parse("42 (nginx) R" EXITING_REST, &stat));
    assert_true(stat.exiting);
    assert_false(process_stat_is_about_to_end(&stat)); /* two threads go on */
    stat.threads = 1;
    assert_true(process_stat_is_about_to_end(&stat));
    assert_false(process_stat_is_ended(&stat));
}

static void stat__name_ends_at_the_last_parenthesis(void **state)
{
    static const char *const names[] = {
        "", ")", "(", ") R 1", "a) R 1 2 3\n) (", "\n", "\xff\x80", " ", "42 (x) S 1",
    };
    struct process_stat stat;
    char text[256];

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        (void)snprintf(text, sizeof(text), "42 (%s) Z" REST, names[i]);
        assert_true(process_stat_parse(text, &stat));
        assert_string_equal(stat.comm, names[i]);
        assert_int_equal(stat.state, 'Z');
        assert_int_equal(stat.parent, 1);
    }
}

static void stat__refuses_what_is_none(void **state)
{
    static const char *const texts[] = {
        "",
        "42",
        "42 (x",
        "42 x) S" REST,
        "(x) S" REST,
        " 42 (x) S" REST,
        "42(x) S" REST,
        "42 )x( S" REST,
        "42 (x)S" REST,
        "42 (x) 1" REST,
        "42 (x) SS" REST,
        "42 (x) S",
        "42 (x) S 1 2 3 0 -1 4194560 100 0 2 0 7 8 0 0 20 0 3 0",
        "42 (x) S -1 2 3 0 -1 4194560 100 0 2 0 7 8 0 0 20 0 3 0 12345",
        "42 (x) S 2147483648 2 3 0 -1 4194560 100 0 2 0 7 8 0 0 20 0 3 0 12345",
        "42 (x) S 1 2 3 0 -1 4194560 100 0 2 0 7 8 0 0 20 0 3 0 99999999999999999999",
        "42 (x) S 1 2 3 0 -1 4194560 100 0 2 0 7 8 0 0 20 0 3 0 12x45",
        "42 (0123456789012345678901234567890123456789012345678901234567890123) S" REST,
    };
    struct process_stat stat = {.state = '?'};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        assert_false(process_stat_parse(texts[i], &stat));
        assert_int_equal(stat.state, '?');
    }
}

static void stat__takes_the_longest_name(void **state)
{
    static const char name[] = "012345678901234567890123456789012345678901234567890123456789012";
    struct process_stat stat;
    char text[256];

    (void)state;
    (void)snprintf(text, sizeof(text), "42 (%s) S" REST, name);
    assert_true(process_stat_parse(text, &stat));
    assert_string_equal(stat.comm, name);
}

static void stat__of_a_zombie_with_living_threads_has_not_ended(void **state)
{
    (void)state;
    assert_true(process_stat_is_ended(&(struct process_stat){.state = 'Z', .threads = 1}));
    assert_true(process_stat_is_ended(&(struct process_stat){.state = 'X', .threads = 0}));
    assert_false(process_stat_is_ended(&(struct process_stat){.state = 'Z', .threads = 2}));
    assert_false(process_stat_is_ended(&(struct process_stat){.state = 'S', .threads = 1}));
}

static void process__of_a_tree_of_files_is_read_when_asked(void **state)
{
    struct fixture_tree procfs = fixture_tree_open();
    AUTO(process) struct process *process = NULL;
    const char *text;

    (void)state;
    fixture_tree_write(&procfs, "42/stat", "42 (nginx) S" REST);
    assert_int_equal(process_open(procfs.fd, 42, &process), 0);
    assert_int_equal(process_pid(process), 42);
    assert_string_equal(process_stat(process)->comm, "nginx");
    assert_int_equal(process_uid(process), geteuid());
    assert_int_equal(process_cmdline(process, &text), -ESRCH); /* the process ended meanwhile */
    assert_int_equal(process_exe(process, &text), -ESRCH);
    assert_int_equal(symlinkat("/usr/sbin/nginx", procfs.fd, "42/exe"), 0);
    assert_int_equal(process_exe(process, &text), 0);
    assert_string_equal(text, "/usr/sbin/nginx");
    fixture_tree_close(&procfs);
}

/* Makes a process. exe: target of the link to the executable, or NULL; n: bytes of the arguments.
 */
static struct process *open_with(struct fixture_tree *procfs, const char *link,
                                 const char *arguments, size_t n)
{
    struct process *process;
    int fd;

    fixture_tree_write(procfs, "42/stat", "42 (nginx) S" REST);
    if (link)
        assert_int_equal(symlinkat(link, procfs->fd, "42/exe"), 0);
    fd = openat(procfs->fd, "42/cmdline", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    assert_true(write(fd, arguments, n) == (ssize_t)n);
    assert_int_equal(close(fd), 0);
    assert_int_equal(process_open(procfs->fd, 42, &process), 0);
    return process;
}

static void exe__is_known_without_the_mark_of_a_deleted_file(void **state)
{
    struct fixture_tree procfs = fixture_tree_open();
    AUTO(process)
    struct process *process = open_with(&procfs, "/opt/a b/nginx (deleted)", "x\0", 2);
    const char *text;

    (void)state;
    assert_int_equal(process_exe(process, &text), 0);
    assert_string_equal(text, "/opt/a b/nginx");
    fixture_tree_close(&procfs);
}

static void exe__that_we_may_not_read_is_the_first_argument(void **state)
{
    static const char arguments[] = "nginx: worker\0-x\0";
    struct fixture_tree procfs = fixture_tree_open();
    AUTO(process)
    struct process *process = open_with(&procfs, NULL, arguments, sizeof(arguments) - 1);
    const char *text;

    (void)state;
    assert_int_equal(process_exe(process, &text), 0);
    assert_string_equal(text, "nginx: worker");
    fixture_tree_close(&procfs);
}

static void cmdline__joins_by_spaces(void **state)
{
    static const char arguments[] = "a\0\0b c\0\xff\0\0\0";
    struct fixture_tree procfs = fixture_tree_open();
    AUTO(process)
    struct process *process = open_with(&procfs, NULL, arguments, sizeof(arguments) - 1);
    const char *text;

    (void)state;
    assert_int_equal(process_cmdline(process, &text), 0);
    assert_string_equal(text, "a  b c \xff");
    fixture_tree_close(&procfs);
}

static void cmdline__may_be_empty(void **state)
{
    struct fixture_tree procfs = fixture_tree_open();
    AUTO(process) struct process *process = open_with(&procfs, NULL, "\0\0", 2);
    const char *text;

    (void)state;
    assert_int_equal(process_cmdline(process, &text), 0);
    assert_string_equal(text, "");
    assert_int_equal(process_exe(process, &text), 0);
    assert_string_equal(text, "");
    fixture_tree_close(&procfs);
}

static void cmdline__is_cut_at_4096_bytes(void **state)
{
    struct fixture_tree procfs = fixture_tree_open();
    AUTO(process) struct process *process = NULL;
    char arguments[5000];
    const char *text;

    (void)state;
    memset(arguments, 'x', sizeof(arguments));
    process = open_with(&procfs, NULL, arguments, sizeof(arguments));
    assert_int_equal(process_cmdline(process, &text), 0);
    assert_int_equal(strlen(text), 4096);
    fixture_tree_close(&procfs);
}

static void kernel_thread__has_neither_exe_nor_arguments(void **state)
{
    struct fixture_tree procfs = fixture_tree_open();
    AUTO(process) struct process *process = NULL;
    const char *text;

    (void)state;
    fixture_tree_write(&procfs, "7/stat", "7 (kworker/0:1H-kblockd) I" KERNEL_REST);
    assert_int_equal(process_open(procfs.fd, 7, &process), 0);
    assert_int_equal(process_exe(process, &text), 0);
    assert_string_equal(text, "");
    assert_int_equal(process_cmdline(process, &text), 0);
    assert_string_equal(text, "");
    fixture_tree_close(&procfs);
}

static void process__that_is_not_there_is_an_error(void **state)
{
    struct fixture_tree procfs = fixture_tree_open();
    struct process *process = NULL;
    pid_t *threads = NULL;
    char comm[64];
    size_t n;

    (void)state;
    assert_int_equal(process_open(procfs.fd, 42, &process), -ESRCH);
    assert_int_equal(process_threads(procfs.fd, 42, &threads, &n), -ESRCH);
    assert_int_equal(process_read_comm(procfs.fd, 42, comm), -ESRCH);
    fixture_tree_make_directories(&procfs, "42/task/");
    assert_int_equal(process_open(procfs.fd, 42, &process), -ESRCH);
    assert_int_equal(process_threads(procfs.fd, 42, &threads, &n), -ESRCH);
    fixture_tree_write(&procfs, "42/stat", "nonsense");
    assert_int_equal(process_open(procfs.fd, 42, &process), -EINVAL);
    assert_null(process);
    assert_null(threads);
    fixture_tree_close(&procfs);
}

static void comm__is_read_alone(void **state)
{
    struct fixture_tree procfs = fixture_tree_open();
    char comm[64] = "untouched";

    (void)state;
    fixture_tree_write(&procfs, "42/comm", "a\nb)\n");
    assert_int_equal(process_read_comm(procfs.fd, 42, comm), 0);
    assert_string_equal(comm, "a\nb)");
    fixture_tree_close(&procfs);
}

static void threads__come_in_order_of_their_numbers(void **state)
{
    static const char *const names[] = {"9", "100", "42", "x", "007x", "99999999999"};
    struct fixture_tree procfs = fixture_tree_open();
    AUTO_FREE pid_t *threads = NULL;
    char path[64];
    size_t n;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        (void)snprintf(path, sizeof(path), "42/task/%s/", names[i]);
        fixture_tree_make_directories(&procfs, path);
    }
    assert_int_equal(process_threads(procfs.fd, 42, &threads, &n), 0);
    assert_int_equal(n, 3);
    assert_int_equal(threads[0], 9);
    assert_int_equal(threads[1], 42);
    assert_int_equal(threads[2], 100);
    fixture_tree_close(&procfs);
}

static void *wait_for_lock(void *lock)
{
    assert_int_equal(pthread_mutex_lock(lock), 0);
    assert_int_equal(pthread_mutex_unlock(lock), 0);
    return NULL;
}

static void threads__of_ourselves_are_all_there(void **state)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    AUTO_CLOSE int procfs = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    AUTO_FREE pid_t *threads = NULL;
    pthread_t others[40];
    size_t n;

    (void)state;
    assert_int_equal(pthread_mutex_lock(&lock), 0);
    for (size_t i = 0; i < ARRAY_SIZE(others); i++)
        assert_int_equal(pthread_create(&others[i], NULL, wait_for_lock, &lock), 0);
    assert_int_equal(process_threads(procfs, getpid(), &threads, &n), 0);
    assert_int_equal(n, 1 + ARRAY_SIZE(others));
    for (size_t i = 1; i < n; i++)
        assert_true(threads[i - 1] < threads[i]);
    assert_int_equal(pthread_mutex_unlock(&lock), 0);
    for (size_t i = 0; i < ARRAY_SIZE(others); i++)
        assert_int_equal(pthread_join(others[i], NULL), 0);
}

static void process__real_with_a_hostile_name(void **state)
{
    static const char name[] = "\n) R 1 \xff(";
    AUTO_CLOSE int procfs = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    AUTO(process) struct process *process = NULL;
    pid_t pid = child_named(name);
    uint64_t now = clock_realtime_ns();
    const char *text;
    char comm[64];
    uint64_t start;

    (void)state;
    assert_int_equal(process_open(procfs, pid, &process), 0);
    assert_string_equal(process_stat(process)->comm, name);
    assert_int_equal(process_stat(process)->parent, getpid());
    assert_int_equal(process_read_comm(procfs, pid, comm), 0);
    assert_string_equal(comm, name);
    start = process_start_realtime_ns(process_stat(process)->start_ticks);
    assert_in_range(start, now - 60 * NS_PER_SECOND, now + NS_PER_SECOND / 10);
    assert_int_equal(process_exe(process, &text), 0);
    assert_true(strstr(text, "test_sys_process"));
    child_end(pid);
}

/* Another process may get the same number, and its facts must not be given. */
static void process__that_ended_tells_nothing_more(void **state)
{
    AUTO_CLOSE int procfs = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    AUTO(process) struct process *process = NULL;
    pid_t pid = child_named("brief");
    const char *text = "untouched";

    (void)state;
    assert_int_equal(process_open(procfs, pid, &process), 0);
    child_end(pid);
    assert_int_equal(process_cmdline(process, &text), -ESRCH);
    assert_int_equal(process_exe(process, &text), -ESRCH);
    assert_string_equal(text, "untouched");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stat__has_name_state_parent_threads_and_start),
        cmocka_unit_test(stat__tells_a_kernel_thread),
        cmocka_unit_test(the_cgroup__is_that_of_the_hierarchy_that_counts),
        cmocka_unit_test(stat__tells_that_the_first_thread_exits),
        cmocka_unit_test(stat__name_ends_at_the_last_parenthesis),
        cmocka_unit_test(stat__refuses_what_is_none),
        cmocka_unit_test(stat__takes_the_longest_name),
        cmocka_unit_test(stat__of_a_zombie_with_living_threads_has_not_ended),
        cmocka_unit_test(process__of_a_tree_of_files_is_read_when_asked),
        cmocka_unit_test(exe__is_known_without_the_mark_of_a_deleted_file),
        cmocka_unit_test(exe__that_we_may_not_read_is_the_first_argument),
        cmocka_unit_test(cmdline__joins_by_spaces),
        cmocka_unit_test(cmdline__may_be_empty),
        cmocka_unit_test(cmdline__is_cut_at_4096_bytes),
        cmocka_unit_test(kernel_thread__has_neither_exe_nor_arguments),
        cmocka_unit_test(process__that_is_not_there_is_an_error),
        cmocka_unit_test(comm__is_read_alone),
        cmocka_unit_test(threads__come_in_order_of_their_numbers),
        cmocka_unit_test(threads__of_ourselves_are_all_there),
        cmocka_unit_test(process__real_with_a_hostile_name),
        cmocka_unit_test(process__that_ended_tells_nothing_more),
    };

    return cmocka_run_group_tests_name("process", tests, NULL, NULL);
}
