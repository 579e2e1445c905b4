/* SPDX-License-Identifier: Apache-2.0 */
/* One network takes a part of the places for streams and for answers; the others still get in. */
#include <sys/un.h>

#include "web/asking.h"
#include "web/connections.h"

#define SHARE 2 /* of 11 places, as 10 connections of 40 */

/* A server on TCP and on a Unix socket, whose client is of another network. */
struct shared {
    struct asking asking;
    char path[64];
};

static int listen_at(int family, const struct sockaddr *address, socklen_t length)
{
    const int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_true(fd >= 0);
    assert_int_equal(0, bind(fd, address, length));
    assert_int_equal(0, listen(fd, 16));
    return fd;
}

static struct sockaddr_un place_of(const struct shared *shared)
{
    struct sockaddr_un place = {.sun_family = AF_UNIX};

    (void)snprintf(place.sun_path, sizeof(place.sun_path), "%s", shared->path);
    return place;
}

static void shared_up(struct shared *shared, bool on_control)
{
    static const struct server_limits few = {40, 10, 8, 30, 120, 12};
    const struct route_table table = {asking_routes, ARRAY_SIZE(asking_routes), &shared->asking};
    const struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    struct sockaddr_un place;
    int fds[2] = {-1, -1};

    *shared = (struct shared){
        .asking = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER}};
    (void)snprintf(shared->path, sizeof(shared->path), "/tmp/test_shares.%d.socket", getpid());
    (void)unlink(shared->path);
    place = place_of(shared);
    fds[0] = listen_at(AF_INET, (const struct sockaddr *)&any, sizeof(any));
    if (!on_control)
        fds[1] = listen_at(AF_UNIX, (const struct sockaddr *)&place, sizeof(place));
    assert_int_equal(0, control_slot_new(&shared->asking.slot));
    assert_int_equal(0, http_server_new_on_sockets(fds, on_control ? 1 : 2, &table, &few,
                                                   &shared->asking.fixture.server));
    assert_int_equal(0,
                     http_server_control(shared->asking.fixture.server, shared->asking.slot, true));
    if (on_control)
        assert_int_equal(
            0, http_server_add_control_socket(shared->asking.fixture.server, shared->path));
    assert_int_equal(0, http_server_start(shared->asking.fixture.server));
    shared->asking.fixture.port = http_server_port(shared->asking.fixture.server, 0);
}

static void shared_down(struct shared *shared)
{
    asking_down(&shared->asking);
    (void)unlink(shared->path);
}

static int connect_to_socket(const struct shared *shared)
{
    const struct timeval patience = {.tv_sec = PATIENCE_MS / 1000};
    const struct sockaddr_un place = place_of(shared);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_int_equal(0, setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)));
    assert_int_equal(0, connect(fd, (const struct sockaddr *)&place, sizeof(place)));
    return fd;
}

/* Asks, and reads the head of the answer. */
static int status_of_head(int fd, const char *request)
{
    struct reply reply = {0};

    send_text(fd, request);
    read_head(fd, &reply);
    return reply.status;
}

static void streams_of_one_network_leave_places_for_others(void **state)
{
    const bool *const on_control = *state;
    struct shared shared;
    int fds[SHARE], more, other;

    shared_up(&shared, *on_control);
    for (size_t i = 0; i < SHARE; i++) {
        fds[i] = connect_to(shared.asking.fixture.port);
        assert_int_equal(200, status_of_head(fds[i], "GET /live" LINE "\r\n"));
    }
    more = connect_to(shared.asking.fixture.port);
    assert_int_equal(503, status_of(more, "GET /live" LINE "\r\n"));
    other = connect_to_socket(&shared);
    assert_int_equal(200, status_of_head(other, "GET /live" LINE "\r\n"));
    (void)close(other);
    (void)close(more);
    for (size_t i = 0; i < SHARE; i++)
        (void)close(fds[i]);
    shared_down(&shared);
}

static void questions_of_one_network_leave_places_for_others(void **state)
{
    const bool *const on_control = *state;
    struct shared shared;
    int fds[SHARE], more, other;

    shared_up(&shared, *on_control);
    for (size_t i = 0; i < SHARE; i++) {
        fds[i] = connect_to(shared.asking.fixture.port);
        send_text(fds[i], "GET /api/held" LINE "\r\n");
        (void)take_question(&shared.asking, i);
    }
    more = connect_to(shared.asking.fixture.port);
    expect(more, "GET /api/held" LINE "\r\n", 503, NULL);
    other = connect_to_socket(&shared);
    send_text(other, "GET /api/held" LINE "\r\n");
    answer_with(take_question(&shared.asking, SHARE), "to another");
    expect_reply(other, 200, "to another");
    for (size_t i = 0; i < SHARE; i++) {
        answer_with(shared.asking.held[i], "done");
        expect_reply(fds[i], 200, "done");
        (void)close(fds[i]);
    }
    send_text(more, "GET /api/held" LINE "\r\n");
    answer_with(take_question(&shared.asking, SHARE + 1), "now");
    expect_reply(more, 200, "now");
    (void)close(more);
    (void)close(other);
    shared_down(&shared);
}

#define LARGE ((size_t)15 * 1024 * 1024)

static void ask_for_a_large_answer(struct shared *shared, int fd, size_t i)
{
    struct text text = {0};
    struct deferred *answer;

    send_text(fd, "GET /api/held HTTP/1.1\r\nHost: test\r\nAccept-Encoding: gzip\r\n\r\n");
    answer = take_question(&shared->asking, i);
    assert_true(text_reserve(&text, LARGE));
    memset(text.data, '.', LARGE);
    text.length = LARGE;
    deferred_answer(answer, CONTENT_PLAIN_TEXT, &text);
}

/* Who asks for much and does not read it loses what it has waited for longest, and nobody else. */
static void answers_that_are_not_read_are_bounded(void **state)
{
    const size_t bound = HTTP_ANSWER_BYTES / LARGE;
    struct http_status status = {0};
    struct shared shared;
    struct reply reply;
    int fds[8], other;

    (void)state;
    shared_up(&shared, false);
    for (size_t i = 0; i < bound; i++) {
        fds[i] = connect_slowly_to(shared.asking.fixture.port);
        ask_for_a_large_answer(&shared, fds[i], i);
    }
    other = connect_to_socket(&shared);
    ask_for_a_large_answer(&shared, other, bound);
    reply = read_reply(other, true);
    assert_int_equal(200, reply.status);
    assert_int_equal(LARGE, reply.length);
    reply_done(&reply);
    assert_in_range(ms_until_closed(fds[0]), 0, BEFORE_ANY_DEADLINE_MS);
    http_server_status(shared.asking.fixture.server, &status);
    assert_int_equal(1, status.closed[HTTP_CLOSED_SLOW]);
    for (size_t i = 0; i < bound; i++)
        (void)close(fds[i]);
    (void)close(other);
    shared_down(&shared);
}

/* It would take some 20 ms for each megabyte, of the thread that serves everybody. */
static void a_large_answer_is_not_compressed(void **state)
{
    struct shared shared;
    struct reply reply;
    int fd;

    (void)state;
    shared_up(&shared, false);
    fd = connect_to(shared.asking.fixture.port);
    ask_for_a_large_answer(&shared, fd, 0);
    reply = read_reply(fd, true);
    assert_null(header_of(&reply, "Content-Encoding"));
    assert_int_equal(LARGE, reply.length);
    reply_done(&reply);
    (void)close(fd);
    shared_down(&shared);
}

int main(void)
{
    static bool elsewhere = false, on_control = true;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(streams_of_one_network_leave_places_for_others, &elsewhere),
        cmocka_unit_test_prestate(streams_of_one_network_leave_places_for_others, &on_control),
        cmocka_unit_test_prestate(questions_of_one_network_leave_places_for_others, &elsewhere),
        cmocka_unit_test_prestate(questions_of_one_network_leave_places_for_others, &on_control),
        cmocka_unit_test(answers_that_are_not_read_are_bounded),
        cmocka_unit_test(a_large_answer_is_not_compressed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
