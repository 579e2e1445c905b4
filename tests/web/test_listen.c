/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "web/http_client.h"
#include "web/listen.h"

static bool has_ipv6(void)
{
    AUTO_CLOSE int fd = -1;
    uint16_t port;

    return listen_open("[::1]:0", &fd, &port) == 0;
}

static bool takes(int family, uint16_t port)
{
    AUTO_CLOSE int fd = try_connect(family, port, 0);

    return fd >= 0;
}

static void check__takes_every_documented_form(void **state)
{
    static const char *const valid[] = {
        ":10138",         ":0",
        ":65535",         "0.0.0.0:10138",
        "127.0.0.1:1",    "localhost:80",
        "[::1]:10138",    "[::]:0",
        "[fe80::1%lo]:1", "a-b.example.org:1",
        "host_name:443",  "[::ffff:1.2.3.4]:7",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(valid); i++)
        assert_null(server_listen_check(valid[i]));
}

static void check__says_what_was_expected(void **state)
{
    static const struct {
        const char *address;
        const char *expected;
    } cases[] = {
        {"", "HOST:PORT"},
        {"10138", "HOST:PORT"},
        {"localhost", "HOST:PORT"},
        {"[::1]", "HOST:PORT"},
        {"[::1]10138", "HOST:PORT"},
        {"[::1:10138", "HOST:PORT"},
        {"[:1", "HOST:PORT"},
        {":", "a port"},
        {"localhost:", "a port"},
        {":65536", "a port"},
        {":000000080", "a port"},
        {":-1", "a port"},
        {": 80", "a port"},
        {":http", "a port"},
        {":80 ", "a port"},
        {"::1:10138", "an IPv6 address in brackets"},
        {"[]:1", "an IPv6 address"},
        {"[1.2.3.4]:1", "an IPv6 address"},
        {"[::g]:1", "an IPv6 address"},
        {"[fe80::1%]:1", "an IPv6 address"},
        {"[host]:1", "an IPv6 address"},
        {"127.1:80", "a host name"},
        {"1.2.3.4.5:80", "a host name"},
        {"256.1.1.1:80", "a host name"},
        {"*:80", "a host name"},
        {"a b:80", "a host name"},
        {"http//host:80", "a host name"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const char *const expected = server_listen_check(cases[i].address);

        assert_non_null(expected);
        assert_int_equal(0, strncmp(cases[i].expected, expected, strlen(cases[i].expected)));
    }
}

static void check__refuses_a_host_that_is_too_long(void **state)
{
    char address[400];

    (void)state;
    memset(address, 'a', sizeof(address));
    memcpy(address + sizeof(address) - 4, ":80", 4);
    assert_non_null(server_listen_check(address));
}

static void open__without_a_host_takes_both_families(void **state)
{
    AUTO_CLOSE int fd = -1;
    uint16_t port;

    (void)state;
    if (!has_ipv6()) {
        print_message("skipped: this machine has no IPv6\n");
        skip();
    }
    assert_int_equal(0, listen_open(":0", &fd, &port));
    assert_true(takes(AF_INET, port));
    assert_true(takes(AF_INET6, port));
}

/*
 * Listens on a port that is free in the other family too. By chance another process may have it
 * there, but not each time.
 */
static uint16_t open_not_taken_elsewhere(const char *address, int other_family, int *ret_fd)
{
    int fds[10];
    uint16_t port;
    int n = 0;

    do {
        assert_true(n < (int)ARRAY_SIZE(fds));
        assert_int_equal(0, listen_open(address, &fds[n++], &port));
    } while (takes(other_family, port));
    *ret_fd = fds[--n];
    while (n > 0)
        (void)close(fds[--n]);
    return port;
}

static void open__an_ipv6_address_leaves_ipv4_alone(void **state)
{
    char address[32];
    uint16_t port;
    int r, tries = 0;

    (void)state;
    if (!has_ipv6()) {
        print_message("skipped: this machine has no IPv6\n");
        skip();
    }
    do { /* Another process may have the port, also for a connection of its own. */
        AUTO_CLOSE int ipv6 = -1;
        AUTO_CLOSE int ipv4 = -1;

        port = open_not_taken_elsewhere("[::]:0", AF_INET, &ipv6);
        assert_true(takes(AF_INET6, port));
        (void)snprintf(address, sizeof(address), "0.0.0.0:%u", port);
        r = listen_open(address, &ipv4, &port);
        assert_true(r != 0 || takes(AF_INET, port));
    } while (r == -EADDRINUSE && ++tries < 10);
    assert_int_equal(0, r);
}

static void open__localhost_is_ipv4(void **state)
{
    AUTO_CLOSE int fd = -1;
    uint16_t port;

    (void)state;
    port = open_not_taken_elsewhere("localhost:0", AF_INET6, &fd);
    assert_true(takes(AF_INET, port));
}

static void open__tells_a_taken_port(void **state)
{
    AUTO_CLOSE int fd = -1;
    char address[32];
    uint16_t port;
    int other = -2;

    (void)state;
    assert_int_equal(0, listen_open("127.0.0.1:0", &fd, &port));
    (void)snprintf(address, sizeof(address), "127.0.0.1:%u", port);
    assert_int_equal(-EADDRINUSE, listen_open(address, &other, &port));
    assert_int_equal(-2, other);
    (void)snprintf(address, sizeof(address), ":%u", port);
    assert_int_equal(-EADDRINUSE, listen_open(address, &other, &port));
}

static void open__tells_an_address_that_is_not_ours(void **state)
{
    uint16_t port;
    int fd;

    (void)state;
    assert_int_equal(-EADDRNOTAVAIL, listen_open("192.0.2.1:0", &fd, &port));
    assert_int_equal(-EINVAL, listen_open("10138", &fd, &port));
}

static void open__the_socket_does_not_block_and_ends_at_exec(void **state)
{
    AUTO_CLOSE int fd = -1;
    uint16_t port;

    (void)state;
    assert_int_equal(0, listen_open(":0", &fd, &port));
    assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
    assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
}

static void open__a_slow_reader_does_not_fill_the_kernel(void **state)
{
    static const char bytes[65536];
    AUTO_CLOSE int fd = -1;
    AUTO_CLOSE int client = -1;
    AUTO_CLOSE int server = -1;
    size_t total = 0;
    uint16_t port;
    ssize_t n;

    (void)state;
    assert_int_equal(0, listen_open("127.0.0.1:0", &fd, &port));
    client = connect_slowly_to(port);
    assert_int_equal(1, poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, PATIENCE_MS));
    server = accept4(fd, NULL, NULL, SOCK_NONBLOCK);
    assert_true(server >= 0);
    while ((n = send(server, bytes, sizeof(bytes), MSG_NOSIGNAL)) > 0)
        total += (size_t)n;
    assert_int_equal(EAGAIN, errno);
    assert_in_range(total, 1, 512 * 1024);
}

static int option_of(int fd, int level, int option)
{
    socklen_t length = sizeof(int);
    int value = -1;

    assert_int_equal(0, getsockopt(fd, level, option, &value, &length));
    return value;
}

static void adopt__makes_a_socket_like_one_of_ours(void **state)
{
    AUTO_CLOSE int theirs = -1;
    AUTO_CLOSE int ours = -1;
    uint16_t port, adopted;

    (void)state;
    assert_int_equal(0, listen_open("127.0.0.1:0", &ours, &port));
    theirs = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(0, listen(theirs, 16));
    assert_int_equal(0, listen_adopt(theirs, &adopted));
    assert_int_not_equal(0, adopted);
    assert_true(takes(AF_INET, adopted));
    assert_int_equal(fcntl(ours, F_GETFL), fcntl(theirs, F_GETFL));
    assert_int_equal(fcntl(ours, F_GETFD), fcntl(theirs, F_GETFD));
    for (size_t i = 0; i < 2; i++) {
        const int option = i == 0 ? TCP_NODELAY : TCP_NOTSENT_LOWAT;

        assert_int_equal(option_of(ours, IPPROTO_TCP, option),
                         option_of(theirs, IPPROTO_TCP, option));
    }
}

static void adopt__a_unix_socket_has_no_port(void **state)
{
    AUTO_CLOSE int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    uint16_t port = 77;

    (void)state;
    assert_int_equal(0, listen_adopt(fd, &port));
    assert_int_equal(0, port);
    assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
}

static void adopt__tells_what_is_no_socket(void **state)
{
    AUTO_CLOSE int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    uint16_t port = 77;

    (void)state;
    assert_int_equal(-ENOTSOCK, listen_adopt(fd, &port));
    assert_int_equal(-EBADF, listen_adopt(-1, &port));
    assert_int_equal(77, port);
}

/* From here on socket(AF_INET6, …) fails as on a kernel without IPv6. */
static int take_ipv6_away(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAFNOSUPPORT),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {ARRAY_SIZE(filter), filter};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return -errno;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0 ? -errno : 0;
}

static int listen_without_ipv6(void)
{
    uint16_t port;
    int fd;

    if (take_ipv6_away() < 0)
        return 77;
    if (listen_open(":0", &fd, &port) < 0)
        return 1;
    return takes(AF_INET, port) ? 0 : 2;
}

static void open__without_a_host_falls_back_to_ipv4(void **state)
{
    int status = -1;
    pid_t child;

    (void)state;
    child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(listen_without_ipv6());
    assert_int_equal(child, waitpid(child, &status, 0));
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77) {
        print_message("skipped: seccomp filters are not allowed here\n");
        skip();
    }
    assert_int_equal(0, WEXITSTATUS(status));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check__takes_every_documented_form),
        cmocka_unit_test(check__says_what_was_expected),
        cmocka_unit_test(check__refuses_a_host_that_is_too_long),
        cmocka_unit_test(open__without_a_host_takes_both_families),
        cmocka_unit_test(open__an_ipv6_address_leaves_ipv4_alone),
        cmocka_unit_test(open__localhost_is_ipv4),
        cmocka_unit_test(open__tells_a_taken_port),
        cmocka_unit_test(open__tells_an_address_that_is_not_ours),
        cmocka_unit_test(open__the_socket_does_not_block_and_ends_at_exec),
        cmocka_unit_test(open__a_slow_reader_does_not_fill_the_kernel),
        cmocka_unit_test(adopt__makes_a_socket_like_one_of_ours),
        cmocka_unit_test(adopt__a_unix_socket_has_no_port),
        cmocka_unit_test(adopt__tells_what_is_no_socket),
        cmocka_unit_test(open__without_a_host_falls_back_to_ipv4),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
