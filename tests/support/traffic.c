/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Known traffic over the loopback of a network namespace of its own, where nobody else sends.
 *
 *     traffic datagrams N     N datagrams to itself
 *     traffic connects N      N connects to itself that succeed
 *     traffic refused N       N connects that are refused
 *     traffic retransmits N   connections to itself whose receiver drops what comes, and connects
 *                             that are never answered, until N segments were sent again
 *
 * Prints "took N", the ns of all of it. retransmits prints "RetransSegs N" as the kernel has
 * counted them, and "unanswered N", how many connects were given up.
 */

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/filter.h>
#include <net/if.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CONNECTIONS 20
#define UNANSWERED  5

static void fail(const char *what)
{
    (void)fprintf(stderr, "traffic: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int check(int r, const char *what)
{
    if (r < 0)
        fail(what);
    return r;
}

static void enter_namespace(void)
{
    struct ifreq lo = {.ifr_name = "lo", .ifr_flags = IFF_UP};
    int fd;

    check(unshare(CLONE_NEWNET), "unshare");
    fd = check(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), "socket");
    check(ioctl(fd, SIOCSIFFLAGS, &lo), "lo");
    (void)close(fd);
}

/* A socket that is bound to a port of its own, which is put into *ret_address. */
static int bound(int type, struct sockaddr_in *ret_address)
{
    const int fd = check(socket(AF_INET, type | SOCK_CLOEXEC, 0), "socket");
    socklen_t size = sizeof(*ret_address);

    *ret_address =
        (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    check(bind(fd, (struct sockaddr *)ret_address, size), "bind");
    check(getsockname(fd, (struct sockaddr *)ret_address, &size), "getsockname");
    return fd;
}

static void send_datagrams(long n)
{
    struct sockaddr_in address;
    const int fd = bound(SOCK_DGRAM, &address);
    char byte = 0;

    check(connect(fd, (struct sockaddr *)&address, sizeof(address)), "connect");
    for (long i = 0; i < n; i++)
        if (send(fd, &byte, 1, 0) != 1 || recv(fd, &byte, 1, 0) != 1)
            fail("datagram");
}

static int listen_on(struct sockaddr_in *ret_address)
{
    const int fd = bound(SOCK_STREAM, ret_address);

    check(listen(fd, CONNECTIONS), "listen");
    return fd;
}

/* One end of a new connection; the other in *ret_accepted. */
static int connect_to(int listener, const struct sockaddr_in *address, int *ret_accepted)
{
    const int fd = check(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");

    check(connect(fd, (const struct sockaddr *)address, sizeof(*address)), "connect");
    *ret_accepted = check(accept(listener, NULL, NULL), "accept");
    return fd;
}

/* It is closed by a reset, so that nothing is left of it and ports do not run out. */
static void close_at_once(int fd)
{
    const struct linger linger = {.l_onoff = 1};

    check(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)), "linger");
    (void)close(fd);
}

static void make_connects(long n)
{
    struct sockaddr_in address;
    const int listener = listen_on(&address);

    for (long i = 0; i < n; i++) {
        int accepted, fd = connect_to(listener, &address, &accepted);

        close_at_once(fd);
        close_at_once(accepted);
    }
}

static void be_refused(long n)
{
    struct sockaddr_in address;

    (void)close(bound(SOCK_STREAM, &address)); /* nobody listens there */
    for (long i = 0; i < n; i++) {
        const int fd = check(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");

        if (connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0 || errno != ECONNREFUSED)
            fail("refused");
        (void)close(fd);
    }
}

/* The socket drops all that comes, as if the network did. */
static void drop_all(int fd)
{
    struct sock_filter nothing = BPF_STMT(BPF_RET | BPF_K, 0);
    const struct sock_fprog filter = {.len = 1, .filter = &nothing};

    check(setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)), "filter");
}

/* RetransSegs of the namespace. */
static long read_retransmits(void)
{
    FILE *file = fopen("/proc/self/net/snmp", "re");
    char line[4096];
    long n = -1;

    while (file && fgets(line, sizeof(line), file))
        if (sscanf(line, "Tcp: %*d %*d %*d %*d %*d %*d %*d %*d %*d %*d %*d %ld", &n) == 1)
            break;
    if (file)
        (void)fclose(file);
    return n;
}

static void lose_segments(long n)
{
    struct sockaddr_in address, deaf;
    const int listener = listen_on(&address), deaf_listener = listen_on(&deaf);
    int fds[CONNECTIONS], accepted[CONNECTIONS], unanswered[UNANSWERED];
    static const char bytes[100000];

    drop_all(deaf_listener);
    for (size_t i = 0; i < CONNECTIONS; i++) {
        fds[i] = connect_to(listener, &address, &accepted[i]);
        drop_all(accepted[i]);
        if (send(fds[i], bytes, sizeof(bytes), MSG_DONTWAIT) <= 0)
            fail("send");
    }
    for (size_t i = 0; i < UNANSWERED; i++) {
        const int type = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
        const bool asks_the_deaf = i % 2;

        unanswered[i] = check(socket(AF_INET, type, 0), "socket");
        if (!asks_the_deaf)
            drop_all(unanswered[i]); /* it is answered again and again, and does not hear it */
        (void)connect(unanswered[i], (struct sockaddr *)(asks_the_deaf ? &deaf : &address),
                      sizeof(address));
    }
    while (read_retransmits() < n)
        (void)usleep(50000);
    for (size_t i = 0; i < UNANSWERED; i++)
        (void)close(unanswered[i]);
    (void)close(listener);
    for (size_t i = 0; i < CONNECTIONS; i++) {
        close_at_once(fds[i]);
        close_at_once(accepted[i]);
    }
    printf("RetransSegs %ld\nunanswered %d\n", read_retransmits(), UNANSWERED);
}

static uint64_t now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* In a namespace that is there already. */
static void run_timed(void (*run)(long n), long n)
{
    const uint64_t began = now_ns();

    run(n);
    printf("took %" PRIu64 "\n", now_ns() - began);
}

static const struct {
    const char *name;
    void (*run)(long n);
} kinds[] = {
    {"datagrams", send_datagrams},
    {"connects", make_connects},
    {"refused", be_refused},
    {"retransmits", lose_segments},
};

int main(int argc, char **argv)
{
    if (argc == 3)
        for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
            if (strcmp(argv[1], kinds[i].name) == 0) {
                enter_namespace();
                run_timed(kinds[i].run, strtol(argv[2], NULL, 10));
                return 0;
            }
    (void)fprintf(stderr, "traffic: datagrams, connects, refused or retransmits, and how many\n");
    return 2;
}
