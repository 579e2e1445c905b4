/* SPDX-License-Identifier: Apache-2.0 */
/*
 * We open the sockets, and not libmicrohttpd, for two reasons: if a port is taken we get the errno
 * and know the address, and IPv6 and IPv4 share one socket if no host is given. An address that is
 * written as IPv6 gets IPv6 only, so that [::]:P and 0.0.0.0:P can be given together.
 */
#include "web/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/parse.h"
#include "web/server.h"

#define HOST_SIZE    256 /* a DNS name has at most 253 characters */
#define LISTEN_QUEUE 511

/*
 * How many bytes of a body the kernel takes before they can be sent. Without this limit megabytes
 * are copied for each slow reader (measured over loopback, with 100 readers of a body of 5 MB: 375
 * MB without it, 10 MB with it). Fast readers do not notice.
 */
#define UNSENT_BYTES (64 * 1024)

struct host_port {
    char host[HOST_SIZE]; /* empty: every address of the machine */
    char port[8];
};

/* What was expected, in the words of the user's manual. */
static const char expected_form[] = "HOST:PORT, [IPV6]:PORT or :PORT";
static const char expected_port[] = "a port from 0 to 65535 after the last colon";
static const char expected_ipv6[] = "an IPv6 address in brackets, as in [::1]:10138";
static const char expected_host[] = "a host name or an IP address before the colon";

static bool is_port(const char *text)
{
    uint64_t port;

    return strlen(text) <= 5 && parse_u64(text, &port) == 0 && port <= UINT16_MAX;
}

/* An IPv6 address may have a zone ("fe80::1%eth0"). */
static bool is_ipv6(const char *text)
{
    char address[INET6_ADDRSTRLEN];
    const size_t length = strcspn(text, "%");
    struct in6_addr binary;

    if (length >= sizeof(address) || (text[length] == '%' && text[length + 1] == '\0'))
        return false;
    memcpy(address, text, length);
    address[length] = '\0';
    return inet_pton(AF_INET6, address, &binary) == 1;
}

static bool is_name_or_ipv4(const char *text)
{
    static const char name_characters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
    struct in_addr binary;

    if (text[strspn(text, "0123456789.")] == '\0')
        return inet_pton(AF_INET, text, &binary) == 1;
    return text[strspn(text, name_characters)] == '\0';
}

/* Splits an address at its last colon. Returns NULL, or what was expected. */
static const char *split(const char *address, struct host_port *ret)
{
    const char *const colon = strrchr(address, ':');
    const bool brackets = address[0] == '[';
    const char *host = address + (brackets ? 1 : 0);
    struct host_port result = {0};
    size_t length;

    if (!colon || (brackets && (colon == address || colon[-1] != ']')))
        return expected_form;
    if (!is_port(colon + 1))
        return expected_port;
    length = (size_t)(colon - host) - (brackets ? 1 : 0);
    if (length >= sizeof(result.host))
        return expected_host;
    memcpy(result.host, host, length);
    memcpy(result.port, colon + 1, strlen(colon + 1));
    if (brackets ? !is_ipv6(result.host) : strchr(result.host, ':') != NULL)
        return expected_ipv6;
    if (!brackets && length > 0 && !is_name_or_ipv4(result.host))
        return expected_host;
    *ret = result;
    return NULL;
}

const char *server_listen_check(const char *address)
{
    struct host_port unused;

    return split(address, &unused);
}

static int set_option(int fd, int level, int option, int value)
{
    return setsockopt(fd, level, option, &value, sizeof(value)) < 0 ? -errno : 0;
}

/* The connections of a socket inherit these options. */
static int set_tcp_options(int fd)
{
    int r = set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);

    return r < 0 ? r : set_option(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, UNSENT_BYTES);
}

static int open_socket(const struct sockaddr *address, socklen_t length, bool ipv6_only,
                       int *ret_fd)
{
    AUTO_CLOSE int fd = -1;
    int r;

    fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP);
    if (fd < 0)
        return -errno;
    r = set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1);
    if (r == 0 && address->sa_family == AF_INET6)
        r = set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, ipv6_only);
    if (r == 0)
        r = set_tcp_options(fd);
    if (r < 0)
        return r;
    if (bind(fd, address, length) < 0 || listen(fd, LISTEN_QUEUE) < 0)
        return -errno;
    *ret_fd = TAKE_FD(fd);
    return 0;
}

static int open_any(uint16_t port, int *ret_fd)
{
    const struct sockaddr_in6 ipv6 = {
        .sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = IN6ADDR_ANY_INIT};
    const struct sockaddr_in ipv4 = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_ANY)}};
    int r;

    r = open_socket((const struct sockaddr *)&ipv6, sizeof(ipv6), false, ret_fd);
    if (r != -EAFNOSUPPORT && r != -EADDRNOTAVAIL)
        return r;
    return open_socket((const struct sockaddr *)&ipv4, sizeof(ipv4), false, ret_fd);
}

static int resolver_error(int code)
{
    switch (code) {
    case EAI_MEMORY:
        return -ENOMEM;
    case EAI_SYSTEM:
        return errno > 0 ? -errno : -EIO;
    case EAI_AGAIN:
        return -EAGAIN;
    default:
        return -EADDRNOTAVAIL;
    }
}

/* IPv4 comes first, because most who write "localhost:10138" mean 127.0.0.1. */
static const struct addrinfo *choose(const struct addrinfo *list)
{
    for (const struct addrinfo *entry = list; entry; entry = entry->ai_next)
        if (entry->ai_family == AF_INET)
            return entry;
    return list;
}

static int open_host(const struct host_port *where, int *ret_fd)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC,
                                   .ai_socktype = SOCK_STREAM,
                                   .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    const struct addrinfo *chosen;
    struct addrinfo *list;
    int r;

    r = getaddrinfo(where->host, where->port, &hints, &list);
    if (r != 0)
        return resolver_error(r);
    chosen = choose(list);
    r = chosen ? open_socket(chosen->ai_addr, chosen->ai_addrlen, true, ret_fd) : -EADDRNOTAVAIL;
    freeaddrinfo(list);
    return r;
}

union address {
    struct sockaddr_in6 ipv6;
    struct sockaddr_in ipv4;
    struct sockaddr any;
};

static bool has_port(const union address *address)
{
    return address->any.sa_family == AF_INET || address->any.sa_family == AF_INET6;
}

static int bound_address(int fd, union address *ret_address)
{
    union address address = {0};
    socklen_t length = sizeof(address);

    if (getsockname(fd, &address.any, &length) < 0)
        return -errno;
    *ret_address = address;
    return 0;
}

static uint16_t port_of(const union address *address)
{
    if (!has_port(address))
        return 0;
    return ntohs(address->any.sa_family == AF_INET6 ? address->ipv6.sin6_port
                                                    : address->ipv4.sin_port);
}

int listen_open(const char *address, int *ret_fd, uint16_t *ret_port)
{
    AUTO_CLOSE int fd = -1;
    struct host_port where;
    union address bound = {0};
    uint64_t port;
    int r;

    if (split(address, &where))
        return -EINVAL;
    r = parse_u64(where.port, &port);
    if (r < 0)
        return r;
    r = where.host[0] == '\0' ? open_any((uint16_t)port, &fd) : open_host(&where, &fd);
    if (r < 0)
        return r;
    r = bound_address(fd, &bound);
    if (r < 0)
        return r;
    *ret_port = port_of(&bound);
    *ret_fd = TAKE_FD(fd);
    return 0;
}

int listen_adopt(int fd, uint16_t *ret_port)
{
    const int flags = fcntl(fd, F_GETFL);
    union address bound = {0};
    int r;

    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 ||
        fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
        return -errno;
    r = bound_address(fd, &bound);
    if (r == 0 && has_port(&bound))
        r = set_tcp_options(fd);
    if (r < 0)
        return r;
    *ret_port = port_of(&bound);
    return 0;
}
