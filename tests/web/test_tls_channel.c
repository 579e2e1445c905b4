/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "support/certificate.h"
#include "web/tls_channel.h"

#define PATIENCE_NS (30 * NS_PER_SECOND)
#define MUCH        (1 << 20)

/* A channel between a client of GnuTLS and the end that libmicrohttpd would have. */
struct scene {
    struct tls_channels channels;
    struct protection *protection;
    gnutls_certificate_credentials_t trust;
    gnutls_session_t client;
    int client_fd, server_fd;
};

static void turn(struct scene *scene)
{
    while (sd_event_run(scene->channels.event, 0) > 0)
        ;
}

static int set_up(void **state)
{
    struct scene *const scene = calloc(1, sizeof(*scene));
    struct certificate made = certificate_make("localhost");
    const struct protection_spec spec = {
        .tls = {made.certificate, made.key, .oldest = TLS_1_2, .newest = TLS_1_3}};
    struct protection_fault fault;
    int pair[2];

    assert_non_null(scene);
    assert_int_equal(protection_new(&spec, &scene->protection, &fault), 0);
    certificate_done(&made);
    assert_int_equal(sd_event_new(&scene->channels.event), 0);
    scene->channels.patience_ns = PATIENCE_NS;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    scene->client_fd = pair[0];
    assert_int_equal(
        tls_channel_open(&scene->channels, pair[1], scene->protection, &scene->server_fd), 0);
    assert_int_equal(gnutls_certificate_allocate_credentials(&scene->trust), 0);
    assert_int_equal(
        gnutls_init(&scene->client, GNUTLS_CLIENT | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL), 0);
    assert_int_equal(gnutls_set_default_priority(scene->client), 0);
    assert_int_equal(gnutls_credentials_set(scene->client, GNUTLS_CRD_CERTIFICATE, scene->trust),
                     0);
    gnutls_transport_set_int(scene->client, scene->client_fd);
    *state = scene;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *const scene = *state;

    tls_channels_done(&scene->channels);
    gnutls_deinit(scene->client);
    gnutls_certificate_free_credentials(scene->trust);
    (void)close(scene->client_fd);
    if (scene->server_fd >= 0)
        (void)close(scene->server_fd);
    (void)protection_unref(scene->protection);
    (void)sd_event_unref(scene->channels.event);
    free(scene);
    return 0;
}

static void shake_hands(struct scene *scene)
{
    int r;

    while ((r = gnutls_handshake(scene->client)) != 0) {
        assert_false(gnutls_error_is_fatal(r));
        turn(scene);
    }
    turn(scene);
}

/* Fills what the client does not read, until the channel takes no more. */
static void get_stuck(struct scene *scene)
{
    static const char bytes[4096];

    for (size_t sent = 0; sent < MUCH;) {
        const ssize_t n = send(scene->server_fd, bytes, sizeof(bytes), MSG_DONTWAIT);

        if (n > 0) {
            sent += (size_t)n;
            continue;
        }
        turn(scene);
        if (send(scene->server_fd, bytes, 1, MSG_DONTWAIT) < 0)
            return; /* the channel was asked, and has taken nothing */
    }
    fail_msg("a channel took %d bytes that nobody reads", MUCH);
}

static void bytes__pass_both_ways(void **state)
{
    struct scene *const scene = *state;
    char bytes[64] = "";

    shake_hands(scene);
    assert_int_equal(gnutls_record_send(scene->client, "question", 8), 8);
    turn(scene);
    assert_int_equal(recv(scene->server_fd, bytes, sizeof(bytes), MSG_DONTWAIT), 8);
    assert_memory_equal(bytes, "question", 8);
    assert_int_equal(send(scene->server_fd, "answer", 6, 0), 6);
    turn(scene);
    assert_int_equal(gnutls_record_recv(scene->client, bytes, sizeof(bytes)), 6);
    assert_memory_equal(bytes, "answer", 6);
}

static void a_client_that_says_goodbye__still_gets_its_answer(void **state)
{
    struct scene *const scene = *state;
    char bytes[64];

    shake_hands(scene);
    assert_int_equal(gnutls_bye(scene->client, GNUTLS_SHUT_WR), 0);
    turn(scene);
    assert_int_equal(recv(scene->server_fd, bytes, sizeof(bytes), MSG_DONTWAIT), 0);
    assert_int_equal(send(scene->server_fd, "answer", 6, 0), 6);
    (void)close(TAKE_FD(scene->server_fd));
    turn(scene);
    assert_int_equal(gnutls_record_recv(scene->client, bytes, sizeof(bytes)), 6);
    assert_int_equal(gnutls_record_recv(scene->client, bytes, sizeof(bytes)), 0);
    assert_null(scene->channels.first);
}

static void an_end_that_is_cut__ends_a_half_handshake(void **state)
{
    struct scene *const scene = *state;
    char byte;

    assert_int_equal(send(scene->client_fd, "\x16\x03", 2, 0), 2);
    turn(scene);
    assert_non_null(scene->channels.first);
    assert_int_equal(shutdown(scene->server_fd, SHUT_RDWR), 0);
    turn(scene);
    assert_null(scene->channels.first);
    assert_true(recv(scene->client_fd, &byte, 1, MSG_DONTWAIT) <= 0);
}

static void a_client_that_takes_nothing__is_cut_after_its_patience(void **state)
{
    struct scene *const scene = *state;
    uint64_t now_ns;

    shake_hands(scene);
    get_stuck(scene);
    now_ns = clock_monotonic_ns();
    tls_channels_expire(&scene->channels, now_ns);
    assert_non_null(scene->channels.first);
    tls_channels_expire(&scene->channels, now_ns + PATIENCE_NS);
    assert_null(scene->channels.first);
}

static void a_client_that_takes_nothing__is_cut_soon_after_the_server_has_closed(void **state)
{
    struct scene *const scene = *state;
    uint64_t now_ns;

    shake_hands(scene);
    get_stuck(scene);
    (void)close(TAKE_FD(scene->server_fd));
    now_ns = clock_monotonic_ns();
    tls_channels_expire(&scene->channels, now_ns);
    assert_non_null(scene->channels.first);
    tls_channels_expire(&scene->channels, now_ns + PATIENCE_NS / 2);
    assert_null(scene->channels.first);
}

static void what_the_server_has_no_room_for__waits_in_order(void **state)
{
    struct scene *const scene = *state;
    size_t sent = 0, taken = 0;
    uint32_t next = 0, expected = 0;

    shake_hands(scene);
    while (sent < MUCH) {
        const ssize_t n = gnutls_record_send(scene->client, &next, sizeof(next));

        if (n == GNUTLS_E_AGAIN) {
            turn(scene);
            if (gnutls_record_send(scene->client, NULL, 0) == GNUTLS_E_AGAIN)
                break;
        }
        sent += sizeof(next);
        next++;
    }
    assert_true(sent > 0);
    for (;;) {
        uint32_t number;
        const ssize_t n = recv(scene->server_fd, &number, sizeof(number), MSG_DONTWAIT);

        if (n != sizeof(number))
            break;
        assert_int_equal(number, expected++);
        taken += sizeof(number);
        turn(scene);
    }
    assert_true(taken > 0 && taken <= sent);
    assert_non_null(scene->channels.first);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(bytes__pass_both_ways),
        TEST(a_client_that_says_goodbye__still_gets_its_answer),
        TEST(an_end_that_is_cut__ends_a_half_handshake),
        TEST(a_client_that_takes_nothing__is_cut_after_its_patience),
        TEST(a_client_that_takes_nothing__is_cut_soon_after_the_server_has_closed),
        TEST(what_the_server_has_no_room_for__waits_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
