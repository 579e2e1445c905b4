/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "web/peer.h"

static struct peer of_text(const char *text)
{
    struct sockaddr_in6 ipv6 = {.sin6_family = AF_INET6};
    struct sockaddr_in ipv4 = {.sin_family = AF_INET};
    struct peer peer;

    if (inet_pton(AF_INET, text, &ipv4.sin_addr) == 1) {
        peer_init(&peer, -1, (const struct sockaddr *)&ipv4, false);
    } else {
        assert_int_equal(1, inet_pton(AF_INET6, text, &ipv6.sin6_addr));
        peer_init(&peer, -1, (const struct sockaddr *)&ipv6, false);
    }
    return peer;
}

static bool same_address(const char *a, const char *b)
{
    const struct peer one = of_text(a), other = of_text(b);

    return peer_name_equal(&one.address, &other.address);
}

static bool same_network(const char *a, const char *b)
{
    const struct peer one = of_text(a), other = of_text(b);

    return peer_name_equal(&one.network, &other.network);
}

static void an_ipv4_address_is_its_own_network(void **state)
{
    (void)state;
    assert_true(same_address("192.0.2.1", "192.0.2.1"));
    assert_true(same_network("192.0.2.1", "192.0.2.1"));
    assert_false(same_address("192.0.2.1", "192.0.2.2"));
    assert_false(same_network("192.0.2.1", "192.0.2.2"));
}

static void an_ipv6_network_is_a_64(void **state)
{
    (void)state;
    assert_true(same_network("2001:db8:0:1::1", "2001:db8:0:1:ffff:ffff:ffff:ffff"));
    assert_false(same_address("2001:db8:0:1::1", "2001:db8:0:1::2"));
    assert_false(same_network("2001:db8:0:1::1", "2001:db8:0:2::1"));
}

static void ipv4_within_ipv6_is_ipv4(void **state)
{
    (void)state;
    assert_true(same_address("192.0.2.1", "::ffff:192.0.2.1"));
    assert_true(same_network("192.0.2.1", "::ffff:192.0.2.1"));
    assert_false(same_network("::ffff:192.0.2.1", "::ffff:192.0.2.2"));
}

static void loopback_is_one_network_of_many_addresses(void **state)
{
    (void)state;
    assert_true(same_network("127.0.0.1", "127.255.255.254"));
    assert_true(same_network("127.0.0.1", "::1"));
    assert_true(same_network("127.0.0.1", "::ffff:127.9.9.9"));
    assert_false(same_address("127.0.0.1", "127.0.0.2"));
    assert_false(same_network("127.0.0.1", "128.0.0.1"));
}

static void who_comes_over_a_unix_socket_is_its_user(void **state)
{
    const struct sockaddr nameless = {.sa_family = AF_UNIX};
    struct peer mine, other, nobody;
    int both[2];

    (void)state;
    assert_int_equal(0, socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both));
    peer_init(&mine, both[0], &nameless, false);
    peer_init(&other, both[1], &nameless, false);
    assert_true(peer_name_equal(&mine.address, &other.address));
    assert_true(peer_name_equal(&mine.network, &mine.address));
    peer_init(&nobody, -1, &nameless, false);
    assert_false(peer_name_equal(&mine.network, &nobody.network));
    (void)close(both[0]);
    (void)close(both[1]);
}

static void the_control_socket_is_one_peer(void **state)
{
    const struct sockaddr nameless = {.sa_family = AF_UNIX};
    struct peer control, again, plain;

    (void)state;
    peer_init(&control, -1, &nameless, true);
    peer_init(&again, -1, &nameless, true);
    peer_init(&plain, -1, &nameless, false);
    assert_true(peer_name_equal(&control.network, &again.network));
    assert_true(peer_name_equal(&control.address, &again.address));
    assert_false(peer_name_equal(&control.network, &plain.network));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_ipv4_address_is_its_own_network),
        cmocka_unit_test(an_ipv6_network_is_a_64),
        cmocka_unit_test(ipv4_within_ipv6_is_ipv4),
        cmocka_unit_test(loopback_is_one_network_of_many_addresses),
        cmocka_unit_test(who_comes_over_a_unix_socket_is_its_user),
        cmocka_unit_test(the_control_socket_is_one_peer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
