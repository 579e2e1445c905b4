/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/late_close.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

static void a_descriptor_without_a_mark_is_closed_at_once(void **state)
{
    const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

    (void)state;
    late_close(fd);
    assert_false(is_open(fd));
}

/*
 * A connection whose peer takes nothing, and which lingers: close() waits for a minute, or until
 * the peer has taken all.
 */
static int open_slow(int *ret_peer)
{
    const struct linger linger = {.l_onoff = 1, .l_linger = 60};
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof(address);
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    static const char bytes[65536];

    assert_int_equal(bind(listener, (struct sockaddr *)&address, length), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &length), 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, length), 0);
    *ret_peer = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    assert_true(*ret_peer >= 0);
    assert_int_equal(close(listener), 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)), 0);
    while (send(fd, bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
        ;
    return fd;
}

/* Takes all that was sent, until the other end has been closed. */
static void take_all(int peer)
{
    char bytes[65536];

    while (recv(peer, bytes, sizeof(bytes), 0) > 0)
        ;
    assert_int_equal(close(peer), 0);
}

static void wait_for_thread(void)
{
    while (late_close_n_probes() > 0)
        (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static void what_is_marked_is_closed_by_a_thread(void **state)
{
    int peers[3], fds[3];

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
        fds[i] = open_slow(&peers[i]);
        late_close_mark(fds[i], LATE_CLOSE_PROBE);
    }
    assert_int_equal(late_close_n_probes(), 3);
    for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
        late_close(fds[i]);
    assert_int_equal(late_close_n_probes(), 3); /* the thread waits for the first */
    for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
        take_all(peers[i]);
    wait_for_thread();
}

static void a_mark_ends_with_its_descriptor(void **state)
{
    int peer, other, fd = open_slow(&peer);

    (void)state;
    late_close_mark(fd, LATE_CLOSE_PROBE);
    late_close(fd);
    take_all(peer);
    wait_for_thread();
    other = open("/dev/null", O_RDONLY | O_CLOEXEC);
    assert_true(other == fd ||
                dup3(other, fd, O_CLOEXEC) == fd); /* another file, the same number */
    late_close(fd);
    assert_false(is_open(fd));
}

static void many_may_wait(void **state)
{
    int slow, peer;

    (void)state;
    slow = open_slow(&peer);
    late_close_mark(slow, LATE_CLOSE_PROBE);
    late_close(slow);
    for (size_t i = 0; i < 300; i++) {
        const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

        late_close_mark(fd, LATE_CLOSE_PROBE);
        late_close(fd);
    }
    assert_int_equal(late_close_n_probes(), 301);
    take_all(peer);
    wait_for_thread();
}

static void a_tracepoint_is_closed_by_the_thread_too_and_is_no_probe(void **state)
{
    int peer, fd = open_slow(&peer);

    (void)state;
    late_close_mark(fd, LATE_CLOSE_TRACEPOINT);
    assert_int_equal(late_close_n_probes(), 0);
    late_close(fd); /* it would wait for ever, if the thread did not close it */
    assert_int_equal(late_close_n_probes(), 0);
    take_all(peer);
    while (is_open(fd))
        (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_descriptor_without_a_mark_is_closed_at_once),
        cmocka_unit_test(what_is_marked_is_closed_by_a_thread),
        cmocka_unit_test(a_tracepoint_is_closed_by_the_thread_too_and_is_no_probe),
        cmocka_unit_test(many_may_wait),
        cmocka_unit_test(a_mark_ends_with_its_descriptor),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
