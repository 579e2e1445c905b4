/* SPDX-License-Identifier: Apache-2.0 */
/* Commands over HTTP. The test owns the slot, and answers itself. */
#include <poll.h>
#include <sys/un.h>

#include "web/http_client.h"

#define LINE   " HTTP/1.1\r\nHost: test\r\n\r\n"
#define RELOAD "POST /-/reload" LINE

struct controlled {
    struct fixture fixture;
    struct control_slot *slot;
    char directory[64];
    char path[96];
};

static void start_with(struct controlled *c, bool everywhere, const struct server_limits *limits)
{
    const struct route_table table = usual_table(&c->fixture.page);
    const char *const address = "127.0.0.1:0";
    const char *failed;

    *c = (struct controlled){0};
    c->fixture.page.version = 1;
    (void)snprintf(c->directory, sizeof(c->directory), "/tmp/test_control_XXXXXX");
    assert_non_null(mkdtemp(c->directory));
    (void)snprintf(c->path, sizeof(c->path), "%s/control", c->directory);
    assert_int_equal(0, control_slot_new(&c->slot));
    assert_int_equal(0, http_server_new(&address, 1, &table, limits, &c->fixture.server, &failed));
    assert_int_equal(0, http_server_control(c->fixture.server, c->slot, everywhere));
    assert_int_equal(0, http_server_add_control_socket(c->fixture.server, c->path));
    assert_int_equal(0, http_server_start(c->fixture.server));
    c->fixture.port = http_server_port(c->fixture.server, 0);
}

static void start(struct controlled *c, bool everywhere, unsigned response_seconds)
{
    const struct server_limits limits = {512, 128, 8, response_seconds, 120, 12};

    start_with(c, everywhere, &limits);
}

static void stop(struct controlled *c)
{
    fixture_down(&c->fixture);
    c->slot = control_slot_free(c->slot);
    assert_int_equal(0, rmdir(c->directory)); /* It is empty: the socket has gone. */
}

static int set_up(void **state)
{
    static struct controlled controlled;

    start(&controlled, false, 30);
    *state = &controlled;
    return 0;
}

static int tear_down(void **state)
{
    stop(*state);
    return 0;
}

static int connect_control(const struct controlled *c)
{
    const struct timeval patience = {PATIENCE_MS / 1000, 0};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    (void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", c->path);
    assert_int_equal(0, connect(fd, (const struct sockaddr *)&address, sizeof(address)));
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    return fd;
}

/* Waits for a request, as the service's loop does, and takes it. */
static struct control_request take(const struct controlled *c)
{
    struct pollfd poller = {.fd = control_slot_request_fd(c->slot), .events = POLLIN};
    struct control_request request;

    assert_int_equal(1, poll(&poller, 1, PATIENCE_MS));
    assert_true(control_slot_take(c->slot, &request));
    return request;
}

static void answer(const struct controlled *c, bool good, const char *words)
{
    struct text text = {0};

    text_append_string(&text, words);
    control_slot_answer(c->slot, good, &text);
}

static void expect(int fd, int status, const char *body)
{
    struct reply reply = read_reply(fd, true);

    assert_int_equal(status, reply.status);
    if (body)
        assert_string_equal(body, reply.body);
    reply_done(&reply);
}

static bool nobody_asked(const struct controlled *c)
{
    struct control_request request;

    return !control_slot_take(c->slot, &request);
}

static void a_reload_is_answered_by_who_carries_it_out(void **state)
{
    const struct controlled *const c = *state;
    AUTO_CLOSE int fd = connect_control(c);

    send_text(fd, RELOAD);
    assert_int_equal(CONTROL_RELOAD, take(c).action);
    answer(c, true, "done\n");
    expect(fd, 200, "done\n");
    send_text(fd, "PUT /-/reload" LINE); /* It comes over the same connection. */
    assert_int_equal(CONTROL_RELOAD, take(c).action);
    answer(c, false, "a.yml:1:2: no\n");
    expect(fd, 500, "a.yml:1:2: no\n");
    assert_int_equal(200, status_of(fd, GET_METRICS));
}

static void a_pause_has_a_duration(void **state)
{
    const struct controlled *const c = *state;
    AUTO_CLOSE int fd = connect_control(c);
    struct control_request request;

    send_text(fd, "POST /-/pause?duration=10m" LINE);
    request = take(c);
    assert_int_equal(CONTROL_PAUSE, request.action);
    assert_int_equal(600 * NS_PER_SECOND, request.duration_ns);
    answer(c, true, "");
    expect(fd, 200, "");
    send_text(fd, "POST /-/pause?duration=off" LINE);
    assert_int_equal(0, take(c).duration_ns);
    answer(c, true, "");
    expect(fd, 200, "");
}

static void a_pause_without_a_good_duration_is_400_and_nobody_is_asked(void **state)
{
    static const char *const queries[] = {
        "",
        "?",
        "?duration",
        "?duration=",
        "?duration=10",
        "?duration=0",
        "?duration=8d",
        "?duration=10m%00",

        "?seconds=10",
    };
    const struct controlled *const c = *state;

    for (size_t i = 0; i < ARRAY_SIZE(queries); i++) {
        AUTO_CLOSE int fd = connect_control(c);
        char request[128];

        (void)snprintf(request, sizeof(request), "POST /-/pause%s" LINE, queries[i]);
        assert_int_equal(400, status_of(fd, request));
        assert_true(nobody_asked(c));
    }
}

static void get_of_what_is_to_be_done_is_405_on_every_socket(void **state)
{
    static const char *const methods[] = {"GET", "HEAD", "DELETE"};
    static const char *const paths[] = {"/-/reload", "/-/pause?duration=1m"};
    const struct controlled *const c = *state;

    for (size_t i = 0; i < 2 * ARRAY_SIZE(methods) * ARRAY_SIZE(paths); i++) {
        AUTO_CLOSE int fd = i % 2 ? connect_control(c) : connect_to(c->fixture.port);
        struct reply reply;
        char request[128];

        (void)snprintf(request, sizeof(request), "%s %s" LINE, methods[i / 2 % 3], paths[i / 6]);
        send_text(fd, request);
        reply = read_reply(fd, false);
        assert_int_equal(405, reply.status);
        assert_true(header_is(&reply, "Allow", "POST, PUT"));
        reply_done(&reply);
    }
    assert_true(nobody_asked(c));
}

static void over_tcp_it_is_403_and_says_how_to_enable_it(void **state)
{
    static const char *const requests[] = {RELOAD, "POST /-/pause?duration=1m" LINE,
                                           "PUT /-/pause?duration=wrong" LINE};
    const struct controlled *const c = *state;

    for (size_t i = 0; i < ARRAY_SIZE(requests); i++) {
        AUTO_CLOSE int fd = connect_to(c->fixture.port);
        struct reply reply;

        send_text(fd, requests[i]);
        reply = read_reply(fd, true);
        assert_int_equal(403, reply.status);
        assert_non_null(strstr(reply.body, "--web.enable-lifecycle"));
        reply_done(&reply);
    }
    assert_true(nobody_asked(c));
}

static void over_tcp_it_is_answered_where_that_is_enabled(void **state)
{
    struct controlled c;
    int fd;

    (void)state;
    start(&c, true, 30);
    fd = connect_to(c.fixture.port);
    send_text(fd, RELOAD);
    assert_int_equal(CONTROL_RELOAD, take(&c).action);
    answer(&c, true, "done\n");
    expect(fd, 200, "done\n");
    (void)close(fd);
    stop(&c);
}

static void bodies_are_refused(void **state)
{
    static const char *const bodies[] = {"Content-Length: 3\r\n\r\nabc",
                                         "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"};
    const struct controlled *const c = *state;

    for (size_t i = 0; i < ARRAY_SIZE(bodies); i++) {
        AUTO_CLOSE int fd = connect_control(c);
        char request[128];

        (void)snprintf(request, sizeof(request), "POST /-/reload HTTP/1.1\r\nHost: test\r\n%s",
                       bodies[i]);
        assert_int_equal(413, status_of(fd, request));
        assert_true(nobody_asked(c));
    }
}

static void an_empty_body_is_none(void **state)
{
    const struct controlled *const c = *state;
    AUTO_CLOSE int fd = connect_control(c);

    send_text(fd, "POST /-/reload HTTP/1.1\r\nHost: test\r\nContent-Length: 0\r\n\r\n");
    (void)take(c);
    answer(c, true, "done\n");
    expect(fd, 200, "done\n");
}

static void everything_else_is_answered_on_the_socket_too(void **state)
{
    const struct controlled *const c = *state;
    AUTO_CLOSE int fd = connect_control(c);

    assert_int_equal(200, status_of(fd, GET_METRICS));
    assert_int_equal(200, status_of(fd, "GET /-/healthy" LINE));
    assert_int_equal(200, status_of(fd, "GET /" LINE));
    assert_int_equal(404, status_of(fd, "GET /-/nothing" LINE));
    assert_int_equal(405, status_of(fd, "POST /metrics" LINE));
}

static void while_one_waits_a_second_is_503_and_scrapes_go_on(void **state)
{
    const struct controlled *const c = *state;
    AUTO_CLOSE int first = connect_control(c);
    AUTO_CLOSE int second = connect_control(c);

    send_text(first, RELOAD);
    (void)take(c);
    for (unsigned i = 0; i < 20; i++) {
        assert_int_equal(503, status_of(second, "POST /-/pause?duration=1m" LINE));
        assert_int_equal(200, scrape(c->fixture.port));
    }
    answer(c, true, "done\n");
    expect(first, 200, "done\n");
    send_text(second, RELOAD);
    (void)take(c);
    answer(c, true, "too\n");
    expect(second, 200, "too\n");
}

/*
 * Returns a connection over which a reload was asked for and taken. The server answers that it is
 * busy until the request before has ended, which takes it a turn of its loop.
 */
static int ask_until_taken(const struct controlled *c)
{
    for (unsigned i = 0; i < PATIENCE_MS / 10; i++) {
        const int fd = connect_control(c);
        struct pollfd either[] = {{.fd = control_slot_request_fd(c->slot), .events = POLLIN},
                                  {.fd = fd, .events = POLLIN}};

        send_text(fd, RELOAD);
        assert_true(poll(either, 2, PATIENCE_MS) > 0);
        if (either[0].revents) {
            (void)take(c);
            return fd;
        }
        expect(fd, 503, NULL);
        (void)close(fd);
        pause_ms(10);
    }
    fail_msg("it is always busy");
    return -1;
}

static void who_leaves_in_the_middle_is_no_harm(void **state)
{
    const struct controlled *const c = *state;
    int fd;

    for (unsigned i = 0; i < 10; i++) {
        fd = ask_until_taken(c);
        (void)close(fd);
        answer(c, true, "done\n");
    }
    fd = ask_until_taken(c);
    answer(c, true, "heard\n");
    expect(fd, 200, "heard\n");
    (void)close(fd);
}

static void an_owner_that_does_not_answer_costs_a_504(void **state)
{
    struct controlled c;
    int fd;

    (void)state;
    start(&c, false, 6); /* The server waits for two thirds of that. */
    fd = connect_control(&c);
    send_text(fd, RELOAD);
    expect(fd, 504, NULL);
    assert_true(nobody_asked(&c)); /* The request was withdrawn. */
    send_text(fd, RELOAD);
    (void)take(&c);
    expect(fd, 504, NULL);
    assert_int_equal(503, status_of(fd, RELOAD)); /* The first one is still being carried out. */
    answer(&c, true, "late\n");
    send_text(fd, RELOAD);
    (void)take(&c);
    answer(&c, true, "done\n");
    expect(fd, 200, "done\n");
    (void)close(fd);
    stop(&c);
}

static void the_end_does_not_wait_for_an_answer(void **state)
{
    struct controlled c;
    uint64_t begin_ns;
    int fd;

    (void)state;
    for (unsigned taken = 0; taken < 2; taken++) {
        start(&c, false, 30);
        fd = connect_control(&c);
        send_text(fd, RELOAD);
        if (taken)
            (void)take(&c);
        else
            assert_int_equal(200, scrape(c.fixture.port));
        begin_ns = clock_monotonic_ns();
        stop(&c);
        assert_in_range((clock_monotonic_ns() - begin_ns) / 1000000, 0, BEFORE_ANY_DEADLINE_MS);
        (void)close(fd);
    }
}

static void strangers_on_every_place_do_not_keep_it_out(void **state)
{
    static const struct server_limits few = {4, 4, 8, 30, 120, 12};
    struct controlled c;
    int strangers[6], fd;

    (void)state;
    start_with(&c, true, &few);
    for (size_t i = 0; i < ARRAY_SIZE(strangers); i++)
        strangers[i] = connect_to(c.fixture.port);
    for (size_t i = 2; i < ARRAY_SIZE(strangers); i++) /* The first two have made room. */
        assert_int_equal(200, status_of(strangers[i], GET_METRICS));
    fd = connect_control(&c);
    send_text(fd, RELOAD);
    (void)take(&c);
    answer(&c, true, "done\n");
    expect(fd, 200, "done\n");
    (void)close(fd);
    for (size_t i = 0; i < ARRAY_SIZE(strangers); i++)
        (void)close(strangers[i]);
    stop(&c);
}

static void a_second_server_leaves_the_socket_alone(void **state)
{
    const struct controlled *const c = *state;
    struct fixture other = {0};
    const struct route_table table = usual_table(&other.page);
    const char *const address = "127.0.0.1:0";
    const char *failed;
    int fd;

    assert_int_equal(0,
                     http_server_new(&address, 1, &table, &usual_limits, &other.server, &failed));
    assert_int_equal(-EADDRINUSE, http_server_add_control_socket(other.server, c->path));
    assert_int_equal(0, http_server_start(other.server));
    assert_int_equal(200, scrape(http_server_port(other.server, 0)));
    fixture_down(&other);
    fd = connect_control(c);
    assert_int_equal(200, status_of(fd, GET_METRICS));
    (void)close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reload_is_answered_by_who_carries_it_out),
        cmocka_unit_test(a_pause_has_a_duration),
        cmocka_unit_test(a_pause_without_a_good_duration_is_400_and_nobody_is_asked),
        cmocka_unit_test(get_of_what_is_to_be_done_is_405_on_every_socket),
        cmocka_unit_test(over_tcp_it_is_403_and_says_how_to_enable_it),
        cmocka_unit_test(over_tcp_it_is_answered_where_that_is_enabled),
        cmocka_unit_test(bodies_are_refused),
        cmocka_unit_test(an_empty_body_is_none),
        cmocka_unit_test(everything_else_is_answered_on_the_socket_too),
        cmocka_unit_test(while_one_waits_a_second_is_503_and_scrapes_go_on),
        cmocka_unit_test(who_leaves_in_the_middle_is_no_harm),
        cmocka_unit_test(an_owner_that_does_not_answer_costs_a_504),
        cmocka_unit_test(the_end_does_not_wait_for_an_answer),
        cmocka_unit_test(strangers_on_every_place_do_not_keep_it_out),
        cmocka_unit_test(a_second_server_leaves_the_socket_alone),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
