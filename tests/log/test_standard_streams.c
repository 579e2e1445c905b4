/* SPDX-License-Identifier: Apache-2.0 */
#include "log/standard_streams.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"

#define MOST_WRITES 100000

/* Has a function as standard error in place of ours; who waits in it, waits for ever. */
static int in_place_of_stderr(int fd, int function(int fd))
{
    int saved = dup(STDERR_FILENO), r;

    assert_true(saved >= 0);
    assert_true(dup2(fd, STDERR_FILENO) >= 0);
    (void)alarm(60);
    r = function(fd);
    (void)alarm(0);
    assert_true(dup2(saved, STDERR_FILENO) >= 0);
    assert_int_equal(close(saved), 0);
    return r;
}

/* Returns what a write gives that the stream does not take. */
static int write_until_it_fails(int fd)
{
    static const char line[] = "level=info msg=\"a line of a length that divides no buffer\"\n";
    ssize_t n = 0;

    (void)fd;
    for (int i = 0; n >= 0 && i < MOST_WRITES; i++)
        n = stream_write_at_once(STDERR_FILENO, line, strlen(line));
    return (int)n;
}

static void a_pipe_that_is_not_read__is_not_waited_for(void **state)
{
    int ends[2];

    (void)state;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_int_equal(in_place_of_stderr(ends[1], write_until_it_fails), -EAGAIN);
    assert_int_equal(close(ends[0]), 0);
    assert_int_equal(in_place_of_stderr(ends[1], write_until_it_fails), -EPIPE);
    assert_int_equal(close(ends[1]), 0);
}

/* One page is free, and poll(2) says that there is room: a writer beside us could take it. */
static int write_more_than_a_page(int fd)
{
    static const char two_pages[8192];
    char rest[4096];

    assert_true(fcntl(fd, F_SETFL, O_NONBLOCK) >= 0);
    while (write(fd, rest, sizeof(rest)) > 0)
        ;
    assert_true(fcntl(fd, F_SETFL, 0) >= 0);
    assert_int_equal(read(fd + 100, rest, sizeof(rest)), sizeof(rest));
    return (int)stream_write_at_once(STDERR_FILENO, two_pages, sizeof(two_pages));
}

static void what_poll_says_of_a_pipe__is_not_trusted(void **state)
{
    int ends[2], writer, reader;

    (void)state;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    writer = fcntl(ends[1], F_DUPFD_CLOEXEC, 200);
    reader = fcntl(ends[0], F_DUPFD_CLOEXEC, writer + 100);
    assert_int_equal(reader, writer + 100);
    assert_in_range(in_place_of_stderr(writer, write_more_than_a_page), 1, 4096);
    assert_int_equal(close(ends[0]) | close(ends[1]) | close(writer) | close(reader), 0);
}

static void a_terminal_that_is_not_read__is_not_waited_for(void **state)
{
    AUTO_CLOSE int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), terminal = -1;

    (void)state;
    if (master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0)
        terminal = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal < 0) {
        print_message("skipped: no terminal can be made here (/dev/pts)\n");
        skip();
    }
    assert_int_equal(in_place_of_stderr(terminal, write_until_it_fails), -EAGAIN);
}

static void a_socket_that_is_not_read__is_not_waited_for(void **state)
{
    int ends[2];

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    assert_int_equal(in_place_of_stderr(ends[1], write_until_it_fails), -EAGAIN);
    assert_int_equal(close(ends[0]), 0);
    assert_int_equal(in_place_of_stderr(ends[1], write_until_it_fails), -EPIPE);
    assert_int_equal(close(ends[1]), 0);
}

static void a_full_disk__is_an_error(void **state)
{
    AUTO_CLOSE int full = open("/dev/full", O_WRONLY | O_CLOEXEC);

    (void)state;
    assert_true(full >= 0);
    assert_int_equal(in_place_of_stderr(full, write_until_it_fails), -ENOSPC);
}

/* Of a child: it has prepared its streams, with 0 to 2 closed. Its exit status. */
static int use_closed_streams(void)
{
    struct stat null, status;

    (void)close(STDIN_FILENO), (void)close(STDOUT_FILENO), (void)close(STDERR_FILENO);
    standard_streams_prepare();
    if (stat("/dev/null", &null) < 0)
        return 1;
    for (int fd = 0; fd <= 2; fd++)
        if (fstat(fd, &status) < 0 || status.st_rdev != null.st_rdev)
            return 2;
    return open("/dev/null", O_RDONLY) == 3 ? 0 : 3;
}

static int write_beyond_the_limit(void)
{
    const struct rlimit limit = {100, 100};
    char path[] = "/tmp/pmu_exporter-streams-XXXXXX";
    const int fd = mkstemp(path);

    standard_streams_prepare();
    if (fd < 0 || unlink(path) < 0 || dup2(fd, STDERR_FILENO) < 0 ||
        setrlimit(RLIMIT_FSIZE, &limit) < 0)
        return 1;
    return write_until_it_fails(fd) == -EFBIG ? 0 : 2;
}

static int expect_status(int function(void))
{
    const pid_t child = fork();
    int status = -1;

    assert_true(child >= 0);
    if (child == 0) {
        for (int fd = 3; fd < 256; fd++)
            (void)close(fd);
        _exit(function());
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void streams_that_are_closed__are_opened_on_nothing(void **state)
{
    (void)state;
    assert_int_equal(expect_status(use_closed_streams), 0);
}

static void a_limit_of_file_sizes__does_not_kill(void **state)
{
    (void)state;
    assert_int_equal(expect_status(write_beyond_the_limit), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pipe_that_is_not_read__is_not_waited_for),
        cmocka_unit_test(what_poll_says_of_a_pipe__is_not_trusted),
        cmocka_unit_test(a_terminal_that_is_not_read__is_not_waited_for),
        cmocka_unit_test(a_socket_that_is_not_read__is_not_waited_for),
        cmocka_unit_test(a_full_disk__is_an_error),
        cmocka_unit_test(streams_that_are_closed__are_opened_on_nothing),
        cmocka_unit_test(a_limit_of_file_sizes__does_not_kill),
    };

    (void)signal(SIGPIPE, SIG_IGN); /* as standard_streams_prepare() does in the programs */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
