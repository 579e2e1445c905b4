/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/call_with_deadline.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define PATIENCE_MS 60000

struct request {
    int fds[2];
    pid_t process;
};

static int open_null(void *context)
{
    struct request *request = context;

    request->process = getpid();
    request->fds[0] = open("/dev/null", O_RDWR | O_CLOEXEC);
    return request->fds[0] < 0 ? -errno : 7;
}

static void call_with_deadline__what_it_opens_and_returns_is_ours(void **state)
{
    struct request request = {.fds = {-1, -1}};

    (void)state;
    assert_int_equal(call_with_deadline(open_null, &request, PATIENCE_MS), 7);
    assert_int_not_equal(request.process, getpid());
    assert_int_equal(write(request.fds[0], "x", 1), 1);
    assert_int_equal(close(request.fds[0]), 0);
}

static int give_up(void *context)
{
    (void)context;
    return -ENOTTY;
}

static void call_with_deadline__tells_of_the_failure_of_the_call(void **state)
{
    (void)state;
    assert_int_equal(call_with_deadline(give_up, NULL, PATIENCE_MS), -ENOTTY);
}

static int read_for_ever(void *context)
{
    struct request *request = context;
    char byte;

    request->process = getpid();
    return (int)read(request->fds[0], &byte, 1);
}

static void call_with_deadline__who_waits_for_ever_is_killed(void **state)
{
    struct request request;

    (void)state;
    assert_int_equal(pipe2(request.fds, O_CLOEXEC), 0);
    assert_int_equal(call_with_deadline(read_for_ever, &request, 20), -ETIME);
    assert_int_equal(call_with_deadline(read_for_ever, &request, 0), -ETIME);
    assert_int_equal(waitpid(-1, NULL, __WALL | WNOHANG), -1); /* nothing is left of it */
    assert_int_equal(errno, ECHILD);
    assert_int_equal(close(request.fds[0]) | close(request.fds[1]), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(call_with_deadline__what_it_opens_and_returns_is_ours),
        cmocka_unit_test(call_with_deadline__tells_of_the_failure_of_the_call),
        cmocka_unit_test(call_with_deadline__who_waits_for_ever_is_killed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
