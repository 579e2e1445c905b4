/* SPDX-License-Identifier: Apache-2.0 */
#include "support/service_manager.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"

static int no_environment(void **state)
{
    static const char *const names[] = {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID",
                                        "LISTEN_FDS",    "LISTEN_PID",    "LISTEN_FDNAMES"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        (void)unsetenv(names[i]);
    return 0;
}

static void states__are_sent_in_systemds_words(void **state)
{
    AUTO_CLOSE int manager = listen_as_manager("states");

    (void)state;
    assert_int_equal(service_manager_ready(), 0);
    assert_string_equal(heard(manager), "READY=1");
    assert_int_equal(service_manager_status("counts 3 cgroups, 100% of them"), 0);
    assert_string_equal(heard(manager), "STATUS=counts 3 cgroups, 100% of them");
    assert_int_equal(service_manager_alive(), 0);
    assert_string_equal(heard(manager), "WATCHDOG=1");
    assert_int_equal(service_manager_stopping(), 0);
    assert_string_equal(heard(manager), "STOPPING=1");
    assert_string_equal(heard(manager), "");
}

static void reloading__tells_its_time(void **state)
{
    AUTO_CLOSE int manager = listen_as_manager("states");
    const uint64_t before = clock_monotonic_ns() / 1000;
    unsigned long long usec;

    (void)state;
    assert_int_equal(service_manager_reloading(), 0);
    assert_int_equal(sscanf(heard(manager), "RELOADING=1\nMONOTONIC_USEC=%llu", &usec), 1);
    assert_in_range(usec, before, clock_monotonic_ns() / 1000);
}

static void states__need_nobody_who_listens(void **state)
{
    (void)state;
    assert_int_equal(service_manager_ready(), 0);
    assert_int_equal(service_manager_status("x"), 0);
    assert_int_equal(service_manager_reloading(), 0);
    assert_int_equal(service_manager_stopping(), 0);
    assert_int_equal(service_manager_alive(), 0);
}

static void states__that_cannot_be_sent_are_an_error(void **state)
{
    (void)state;
    assert_int_equal(setenv("NOTIFY_SOCKET", "/nonexistent/notify", 1), 0);
    assert_int_equal(service_manager_ready(), -ENOENT);
    assert_int_equal(service_manager_status("x"), -ENOENT);
    assert_int_equal(setenv("NOTIFY_SOCKET", "relative", 1), 0);
    assert_true(service_manager_alive() < 0);
}

static void states__are_not_waited_with_where_nobody_reads(void **state)
{
    AUTO_CLOSE int manager = listen_as_manager("states");

    (void)state;
    fill_manager_queue();
    (void)alarm(60); /* a call that waits would wait for ever */
    assert_int_equal(service_manager_ready(), -EAGAIN);
    assert_int_equal(service_manager_stopping(), -EAGAIN);
    (void)alarm(0);
    assert_string_equal(heard(manager), "WATCHDOG=1");
    assert_int_equal(service_manager_ready(), 0);
}

static void states__go_to_a_path_as_well(void **state)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char directory[] = "/tmp/pmu_exporter-notify-XXXXXX";
    AUTO_CLOSE int manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    (void)state;
    assert_non_null(mkdtemp(directory));
    (void)snprintf(address.sun_path, sizeof(address.sun_path), "%s/notify", directory);
    assert_int_equal(bind(manager, (const struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(setenv("NOTIFY_SOCKET", address.sun_path, 1), 0);
    assert_int_equal(service_manager_ready(), 0);
    assert_string_equal(heard(manager), "READY=1");
    assert_int_equal(unlink(address.sun_path), 0);
    assert_int_equal(rmdir(directory), 0);
}

static void states__have_no_other_kinds_of_sockets(void **state)
{
    char longest[200];

    (void)state;
    assert_int_equal(setenv("NOTIFY_SOCKET", "vsock:2:1234", 1), 0);
    assert_int_equal(service_manager_ready(), -EAFNOSUPPORT);
    memset(longest, 'x', sizeof(longest));
    longest[0] = '@';
    longest[sizeof(longest) - 1] = '\0';
    assert_int_equal(setenv("NOTIFY_SOCKET", longest, 1), 0);
    assert_int_equal(service_manager_ready(), -ENAMETOOLONG);
    assert_int_equal(setenv("NOTIFY_SOCKET", "", 1), 0);
    assert_int_equal(service_manager_ready(), 0);
}

static int set_number(const char *name, long long number)
{
    char text[24];

    (void)snprintf(text, sizeof(text), "%lld", number);
    return setenv(name, text, 1);
}

static void watchdog__is_off_where_nobody_wants_it(void **state)
{
    uint64_t usec = 77;

    (void)state;
    assert_int_equal(service_manager_watchdog(&usec), 0);
    assert_int_equal(usec, 0);
}

static void watchdog__tells_its_time(void **state)
{
    uint64_t usec = 0;

    (void)state;
    assert_int_equal(setenv("WATCHDOG_USEC", "60000000", 1), 0);
    assert_int_equal(service_manager_watchdog(&usec), 0);
    assert_int_equal(usec, 60000000);
    assert_int_equal(set_number("WATCHDOG_PID", getpid()), 0);
    assert_int_equal(service_manager_watchdog(&usec), 0);
    assert_int_equal(usec, 60000000);
}

static void watchdog__of_another_process_is_not_ours(void **state)
{
    uint64_t usec = 77;

    (void)state;
    assert_int_equal(setenv("WATCHDOG_USEC", "60000000", 1), 0);
    assert_int_equal(set_number("WATCHDOG_PID", getppid()), 0);
    assert_int_equal(service_manager_watchdog(&usec), 0);
    assert_int_equal(usec, 0);
}

static void watchdog__that_is_no_number_is_an_error(void **state)
{
    static const struct {
        const char *usec;
        int error;
    } cases[] = {{"soon", -EINVAL}, {"", -EINVAL}, {"0", -EINVAL}, {"-1", -ERANGE}};
    uint64_t usec = 77;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        assert_int_equal(setenv("WATCHDOG_USEC", cases[i].usec, 1), 0);
        assert_int_equal(service_manager_watchdog(&usec), cases[i].error);
        assert_int_equal(usec, 77);
    }
}

/* Gives a descriptor the number that the i-th descriptor has that systemd passes. */
static void pass(int at, int fd)
{
    assert_true(fd >= 0);
    if (fd == 3 + at)
        return;
    assert_int_equal(dup2(fd, 3 + at), 3 + at);
    assert_int_equal(close(fd), 0);
}

/* Moves a descriptor above the numbers of those that systemd passes. */
static int lift(int fd)
{
    int high = fcntl(fd, F_DUPFD, 10);

    assert_true(high >= 0);
    assert_int_equal(close(fd), 0);
    return high;
}

static int make_socket(int family, int type, bool listening)
{
    int fd = lift(socket(family, type, 0));

    if (listening)
        assert_int_equal(listen(fd, 1), 0);
    return fd;
}

static void pass_number(int n, const char *names)
{
    assert_int_equal(set_number("LISTEN_FDS", n), 0);
    assert_int_equal(set_number("LISTEN_PID", getpid()), 0);
    if (names)
        assert_int_equal(setenv("LISTEN_FDNAMES", names, 1), 0);
}

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

static void sockets__none_is_no_failure(void **state)
{
    struct passed_sockets passed;
    int wrong;

    (void)state;
    assert_int_equal(service_manager_count_sockets(), 0);
    assert_int_equal(service_manager_take_sockets(&passed, &wrong), 0);
    assert_int_equal(passed.n, 0);
    assert_int_equal(wrong, -1);
    passed_sockets_done(&passed);
}

static void sockets__several_have_their_order_and_names(void **state)
{
    struct passed_sockets passed;
    int wrong;

    (void)state;
    pass(0, make_socket(AF_INET, SOCK_STREAM, true));
    pass(1, make_socket(AF_INET, SOCK_STREAM, true));
    pass_number(2, "first.socket:local");
    assert_int_equal(service_manager_count_sockets(), 2);
    assert_int_equal(service_manager_take_sockets(&passed, &wrong), 0);
    assert_int_equal(passed.n, 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(passed.fds[i], 3 + i);
        assert_true(fcntl(3 + i, F_GETFD) & FD_CLOEXEC);
    }
    assert_string_equal(passed.names[0], "first.socket");
    assert_string_equal(passed.names[1], "local");
    (void)TAKE_FD(passed.fds[1]);
    passed_sockets_done(&passed);
    assert_int_equal(passed.n, 0);
    assert_false(is_open(3));
    assert_true(is_open(4)); /* it was taken over */
    assert_int_equal(close(4), 0);
}

static void sockets__without_names_are_unknown(void **state)
{
    struct passed_sockets passed;
    int wrong;

    (void)state;
    pass(0, make_socket(AF_INET, SOCK_STREAM, true));
    pass_number(1, NULL);
    assert_int_equal(service_manager_take_sockets(&passed, &wrong), 0);
    assert_string_equal(passed.names[0], "unknown");
    passed_sockets_done(&passed);
    assert_false(is_open(3));
}

static void sockets__of_another_process_are_not_ours(void **state)
{
    struct passed_sockets passed;
    int wrong;

    (void)state;
    pass_number(2, NULL);
    assert_int_equal(set_number("LISTEN_PID", getppid()), 0);
    assert_int_equal(service_manager_count_sockets(), 0);
    assert_int_equal(service_manager_take_sockets(&passed, &wrong), 0);
    assert_int_equal(passed.n, 0);
    passed_sockets_done(&passed);
}

/* The second of two is no listening socket: its number is returned, and nothing is closed. */
static void expect_wrong(int fd)
{
    struct passed_sockets passed;
    int wrong;

    pass(0, make_socket(AF_INET, SOCK_STREAM, true));
    pass(1, fd);
    pass_number(2, NULL);
    assert_int_equal(service_manager_take_sockets(&passed, &wrong), -ENOTSOCK);
    assert_int_equal(wrong, 4);
    assert_true(is_open(3));
    assert_true(is_open(4));
    assert_int_equal(close(3), 0);
    assert_int_equal(close(4), 0);
}

static void sockets__must_be_listening_streams(void **state)
{
    (void)state;
    expect_wrong(lift(open("/dev/null", O_RDONLY)));
    expect_wrong(make_socket(AF_INET, SOCK_STREAM, false));
    expect_wrong(make_socket(AF_INET, SOCK_DGRAM, false));
}

static void sockets__that_were_not_passed_after_all_are_an_error(void **state)
{
    struct passed_sockets passed;
    int wrong = 77;

    (void)state;
    assert_false(is_open(3));
    pass_number(1, NULL);
    assert_int_equal(service_manager_take_sockets(&passed, &wrong), -EBADF);
    assert_int_equal(wrong, -1);
    assert_int_equal(setenv("LISTEN_FDS", "many", 1), 0);
    assert_int_equal(service_manager_count_sockets(), -EINVAL);
    assert_int_equal(service_manager_take_sockets(&passed, &wrong), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(states__are_sent_in_systemds_words, no_environment),
        cmocka_unit_test_setup(reloading__tells_its_time, no_environment),
        cmocka_unit_test_setup(states__need_nobody_who_listens, no_environment),
        cmocka_unit_test_setup(states__that_cannot_be_sent_are_an_error, no_environment),
        cmocka_unit_test_setup(states__are_not_waited_with_where_nobody_reads, no_environment),
        cmocka_unit_test_setup(states__go_to_a_path_as_well, no_environment),
        cmocka_unit_test_setup(states__have_no_other_kinds_of_sockets, no_environment),
        cmocka_unit_test_setup(watchdog__is_off_where_nobody_wants_it, no_environment),
        cmocka_unit_test_setup(watchdog__tells_its_time, no_environment),
        cmocka_unit_test_setup(watchdog__of_another_process_is_not_ours, no_environment),
        cmocka_unit_test_setup(watchdog__that_is_no_number_is_an_error, no_environment),
        cmocka_unit_test_setup(sockets__none_is_no_failure, no_environment),
        cmocka_unit_test_setup(sockets__several_have_their_order_and_names, no_environment),
        cmocka_unit_test_setup(sockets__without_names_are_unknown, no_environment),
        cmocka_unit_test_setup(sockets__of_another_process_are_not_ours, no_environment),
        cmocka_unit_test_setup(sockets__must_be_listening_streams, no_environment),
        cmocka_unit_test_setup(sockets__that_were_not_passed_after_all_are_an_error,
                               no_environment),
    };

    /* descriptors that our parent left open may have the numbers of passed sockets */
    for (int fd = 3; fd < 10; fd++)
        (void)close(fd);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
