/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "sys/reading_walls.h"

static void *look_at_signals(void *context)
{
    (void)pthread_sigmask(SIG_SETMASK, NULL, context);
    return NULL;
}

static void a_thread_blocks_signals_and_its_maker_does_not(void **state)
{
    sigset_t before, after, within;
    pthread_t thread;

    (void)state;
    (void)pthread_sigmask(SIG_SETMASK, NULL, &before);
    assert_int_equal(thread_start("test", THREAD_HAS_ALL, look_at_signals, &within, &thread), 0);
    (void)pthread_join(thread, NULL);
    (void)pthread_sigmask(SIG_SETMASK, NULL, &after);
    for (int signal = 1; signal < 32; signal++) {
        assert_int_equal(sigismember(&after, signal), sigismember(&before, signal));
        if (signal != SIGKILL && signal != SIGSTOP)
            assert_int_equal(sigismember(&within, signal), 1);
    }
}

static void *look_at_name(void *context)
{
    (void)pthread_getname_np(pthread_self(), context, 16);
    return NULL;
}

static void a_thread_is_shown_by_its_name(void **state)
{
    pthread_t thread;
    char name[16] = "";

    (void)state;
    assert_int_equal(thread_start("historian", THREAD_HAS_NONE, look_at_name, name, &thread), 0);
    (void)pthread_join(thread, NULL);
    assert_string_equal(name, "historian");
}

static uint32_t permitted_capabilities(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};

    assert_int_equal(syscall(SYS_capget, &header, data), 0);
    assert_int_equal(data[0].effective, data[0].permitted);
    return data[0].permitted;
}

static void *look_at_capabilities(void *context)
{
    *(uint32_t *)context = permitted_capabilities();
    return NULL;
}

static uint32_t capabilities_of(enum thread_rights rights)
{
    uint32_t permitted = 0;
    pthread_t thread;

    assert_int_equal(thread_start("test", rights, look_at_capabilities, &permitted, &thread), 0);
    (void)pthread_join(thread, NULL);
    return permitted;
}

static void a_thread_has_the_capabilities_that_it_needs_and_its_maker_keeps_its_own(void **state)
{
    const uint32_t all = permitted_capabilities();
    const uint32_t for_files = UINT32_C(1) << CAP_CHOWN | UINT32_C(1) << CAP_DAC_OVERRIDE |
                               UINT32_C(1) << CAP_DAC_READ_SEARCH | UINT32_C(1) << CAP_FOWNER;

    (void)state;
    if ((all & for_files) != for_files || all == for_files) {
        print_message("skipped: only root has capabilities to give up\n");
        skip();
    }
    assert_int_equal(capabilities_of(THREAD_HAS_NONE), 0);
    assert_int_equal(capabilities_of(THREAD_ASKS_FOR_NAMES), 0);
    assert_int_equal(capabilities_of(THREAD_HAS_FILES), for_files);
    assert_int_equal(capabilities_of(THREAD_HAS_ALL), all);
    assert_int_equal(permitted_capabilities(), all);
}

/* What a thread has tried, each as 0 or its errno. */
struct tries {
    char directory[32], elsewhere[64];
    int reads, reads_procfs, writes, removes, executes, connects, counts;
};

static int error_of(long result)
{
    return result < 0 ? errno : 0;
}

static int try_open(const char *path, int flags)
{
    const int fd = open(path, flags | O_CLOEXEC, 0600);

    if (fd >= 0)
        (void)close(fd);
    return error_of(fd);
}

static void *try_all(void *context)
{
    struct tries *tries = context;
    char path[64];
    char *const none[] = {NULL};
    int fd;

    (void)snprintf(path, sizeof(path), "%s/new", tries->directory);
    tries->reads = try_open("/etc/passwd", O_RDONLY);
    tries->reads_procfs = try_open("/proc/self/stat", O_RDONLY);
    tries->writes = try_open(path, O_WRONLY | O_CREAT);
    tries->removes = error_of(unlink(tries->elsewhere));
    tries->executes = error_of(execve("/nonexistent", none, none));
    fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    tries->connects = error_of(fd);
    if (fd >= 0)
        (void)close(fd);
    tries->counts = error_of(syscall(SYS_perf_event_open, NULL, 0, 0, 0, 0));
    return NULL;
}

static int begin_in_directory(void **state)
{
    static struct tries tries;

    tries = (struct tries){.directory = "/tmp/pmu-thread-XXXXXX"};
    if (!mkdtemp(tries.directory))
        return -1;
    (void)snprintf(tries.elsewhere, sizeof(tries.elsewhere), "/var%s", tries.directory);
    *state = &tries;
    return 0;
}

static int end_in_directory(void **state)
{
    struct tries *tries = *state;
    char path[64];

    (void)snprintf(path, sizeof(path), "%s/new", tries->directory);
    (void)unlink(path);
    (void)unlink(tries->elsewhere);
    return rmdir(tries->directory);
}

/* What a thread of these rights has tried; one that may write beside those that read. */
static const struct tries *try_with(struct tries *tries, enum thread_rights rights, bool to_write)
{
    pthread_t thread;

    assert_int_equal(try_open(tries->elsewhere, O_WRONLY | O_CREAT), 0);
    if (to_write)
        assert_int_equal(thread_start_to_write("test", tries->directory, try_all, tries, &thread),
                         0);
    else
        assert_int_equal(thread_start("test", rights, try_all, tries, &thread), 0);
    (void)pthread_join(thread, NULL);
    if (thread_walls_landlock_error() || thread_walls_seccomp_error()) {
        print_message("skipped: this kernel has no Landlock, or refuses it\n");
        skip();
    }
    assert_int_equal(tries->executes, EPERM);
    return tries;
}

static void without_rights__a_thread_opens_procfs_alone(void **state)
{
    const struct tries *tries = try_with(*state, THREAD_HAS_NONE, false);

    assert_int_equal(tries->reads, reading_is_walled ? EACCES : 0);
    assert_int_equal(tries->reads_procfs, 0);
    assert_int_equal(tries->writes, EACCES);
    assert_int_equal(tries->removes, EACCES);
    assert_int_equal(tries->connects, EPERM);
    assert_int_equal(tries->counts, EPERM);
}

static void *start_another(void *context)
{
    pthread_t thread;

    if (thread_start("another", THREAD_HAS_NONE, look_at_name, context, &thread) == 0)
        (void)pthread_join(thread, NULL);
    return NULL;
}

static void a_thread_that_one_behind_walls_has_made__has_its_name(void **state)
{
    pthread_t thread;
    char name[16] = "";

    (void)state;
    assert_int_equal(thread_start("test", THREAD_HAS_NONE, start_another, name, &thread), 0);
    (void)pthread_join(thread, NULL);
    assert_string_equal(name, "another");
}

static void a_thread_that_asks_for_names__reads_and_connects(void **state)
{
    const struct tries *tries = try_with(*state, THREAD_ASKS_FOR_NAMES, false);

    assert_int_equal(tries->reads, 0);
    assert_int_equal(tries->writes, EACCES);
    assert_int_equal(tries->connects, 0);
    assert_int_equal(tries->counts, EPERM);
}

static void a_thread_with_files__reads_and_writes_none(void **state)
{
    const struct tries *tries = try_with(*state, THREAD_HAS_FILES, false);

    assert_int_equal(tries->reads, 0);
    assert_int_equal(tries->writes, EACCES);
    assert_int_equal(tries->removes, EACCES);
    assert_int_equal(tries->connects, EPERM);
    assert_int_equal(tries->counts, EPERM);
}

static void a_thread_that_writes__writes_in_its_directory_alone(void **state)
{
    const struct tries *tries = try_with(*state, THREAD_HAS_FILES, true);

    assert_int_equal(tries->reads, 0);
    assert_int_equal(tries->writes, 0);
    assert_int_equal(tries->removes, EACCES);
    assert_int_equal(tries->connects, EPERM);
}

static void a_thread_that_counts__starts_no_program_and_connects_to_nobody(void **state)
{
    const struct tries *tries = try_with(*state, THREAD_HAS_ALL, false);

    assert_int_equal(tries->reads, 0);
    assert_int_equal(tries->writes, 0);
    assert_int_equal(tries->removes, 0);
    assert_int_equal(tries->connects, EPERM);
    assert_int_equal(tries->counts, EFAULT);
}

#define in_directory(function)                                                                     \
    cmocka_unit_test_setup_teardown(function, begin_in_directory, end_in_directory)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_blocks_signals_and_its_maker_does_not),
        cmocka_unit_test(a_thread_is_shown_by_its_name),
        cmocka_unit_test(a_thread_has_the_capabilities_that_it_needs_and_its_maker_keeps_its_own),
        cmocka_unit_test(a_thread_that_one_behind_walls_has_made__has_its_name),
        in_directory(without_rights__a_thread_opens_procfs_alone),
        in_directory(a_thread_that_asks_for_names__reads_and_connects),
        in_directory(a_thread_with_files__reads_and_writes_none),
        in_directory(a_thread_that_writes__writes_in_its_directory_alone),
        in_directory(a_thread_that_counts__starts_no_program_and_connects_to_nobody),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
