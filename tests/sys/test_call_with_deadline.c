/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/call_with_deadline.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define PATIENCE_MS 60000

struct request {
    int fds[2];
    pid_t process;
};

static bool is_unkillable;

int __real_pidfd_send_signal(int process, int number, siginfo_t *info, unsigned flags);
int __wrap_pidfd_send_signal(int process, int number, siginfo_t *info, unsigned flags);

int __wrap_pidfd_send_signal(int process, int number, siginfo_t *info, unsigned flags)
{
    return is_unkillable ? 0 : __real_pidfd_send_signal(process, number, info, flags);
}

static struct request *make_request(void)
{
    struct request *request = calloc(1, sizeof(*request));

    assert_non_null(request);
    assert_int_equal(pipe2(request->fds, O_CLOEXEC), 0);
    return request;
}

static void drop_request(struct request *request)
{
    assert_int_equal(close(request->fds[0]) | close(request->fds[1]), 0);
    free(request);
}

/* Whether nothing is left of any process. */
static bool are_all_taken(void)
{
    siginfo_t info;

    return waitid(P_ALL, 0, &info, WEXITED | __WALL | WNOHANG | WNOWAIT) == -1 && errno == ECHILD;
}

static int open_null(void *context)
{
    struct request *request = context;

    request->process = getpid();
    (void)close(request->fds[0]);
    request->fds[0] = open("/dev/null", O_RDWR | O_CLOEXEC);
    return request->fds[0] < 0 ? -errno : 7;
}

static void call_with_deadline__what_it_opens_and_returns_is_ours(void **state)
{
    struct request *request = make_request();

    (void)state;
    assert_int_equal(call_with_deadline(open_null, request, PATIENCE_MS), 7);
    assert_int_not_equal(request->process, getpid());
    assert_int_equal(write(request->fds[0], "x", 1), 1);
    drop_request(request);
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

static int read_byte(void *context)
{
    struct request *request = context;

    request->process = getpid();
    return (int)read(request->fds[0], &request->process, 1);
}

static void call_with_deadline__who_waits_for_ever_is_killed(void **state)
{
    struct request *request = make_request();

    (void)state;
    assert_int_equal(call_with_deadline(read_byte, request, 20), -ETIME);
    assert_int_equal(call_with_deadline(read_byte, request, 0), -ETIME);
    assert_true(are_all_taken());
    drop_request(request);
}

/* Their memory is theirs until they end, which a later call notices. */
static void call_with_deadline__who_cannot_be_killed_is_left_behind(void **state)
{
    struct request *request = make_request();
    const int ends[] = {request->fds[0], request->fds[1]};

    (void)state;
    is_unkillable = true;
    assert_int_equal(call_with_deadline(read_byte, request, 1), -EINPROGRESS);
    is_unkillable = false;
    assert_false(are_all_taken());
    assert_int_equal(call_with_deadline(give_up, NULL, PATIENCE_MS), -ENOTTY);
    assert_false(are_all_taken());
    assert_int_equal(write(ends[1], "x", 1), 1);
    for (int i = 0; i < PATIENCE_MS && !are_all_taken(); i++) {
        assert_int_equal(call_with_deadline(give_up, NULL, PATIENCE_MS), -ENOTTY);
        (void)usleep(1000);
    }
    assert_true(are_all_taken());
    assert_int_equal(close(ends[0]) | close(ends[1]), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(call_with_deadline__what_it_opens_and_returns_is_ours),
        cmocka_unit_test(call_with_deadline__tells_of_the_failure_of_the_call),
        cmocka_unit_test(call_with_deadline__who_waits_for_ever_is_killed),
        cmocka_unit_test(call_with_deadline__who_cannot_be_killed_is_left_behind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
