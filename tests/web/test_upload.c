/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies of requests: those that are taken, those that are too long, and who may send them. */
#include "web/asking.h"

static void a_body_comes_with_its_length_or_in_chunks(void **state)
{
    const struct asking *const asking = *state;
    AUTO_CLOSE int fd = connect_to(asking->fixture.port);

    expect(fd, "POST /api/marks" LINE "Content-Length: 5\r\n\r\nhello", 200, "rest=\nbody=hello");
    expect(fd,
           "POST /api/marks" LINE "Transfer-Encoding: chunked\r\n\r\n"
           "3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n",
           200, "rest=\nbody=hello");
    expect(fd, "POST /api/marks" LINE "\r\n", 200, "rest=\nbody=");
    expect(fd, "POST /api/marks" LINE "Content-Length: 0\r\n\r\n", 200, "rest=\nbody=");
    expect(fd, "GET /api/marks" LINE "\r\n", 200, "rest=\nbody="); /* Nothing is left of it. */
}

static void a_body_may_come_byte_by_byte(void **state)
{
    static const char request[] = "POST /api/marks" LINE "Content-Length: 5\r\n\r\nhello";
    const struct asking *const asking = *state;
    AUTO_CLOSE int fd = connect_to(asking->fixture.port);
    AUTO_CLOSE int other = connect_to(asking->fixture.port);

    for (size_t i = 0; i < strlen(request); i++) {
        assert_int_equal(1, send(fd, request + i, 1, MSG_NOSIGNAL));
        if (i % 16 == 0)
            let_server_turn(other);
    }
    expect_reply(fd, 200, "rest=\nbody=hello");
}

static void who_expects_it_is_told_to_go_on(void **state)
{
    const struct asking *const asking = *state;
    AUTO_CLOSE int fd = connect_to(asking->fixture.port);
    struct reply reply = {0};

    send_text(fd, "POST /api/marks" LINE "Expect: 100-continue\r\nContent-Length: 5\r\n\r\n");
    read_head(fd, &reply);
    assert_int_equal(100, reply.status);
    send_text(fd, "hello");
    expect_reply(fd, 200, "rest=\nbody=hello");
}

static void a_body_may_be_as_long_as_the_line_takes(void **state)
{
    const struct asking *const asking = *state;
    AUTO_CLOSE int fd = connect_to(asking->fixture.port);
    AUTO_FREE char *dots = malloc(100000);
    struct reply reply;

    assert_non_null(dots);
    memset(dots, '.', 100000);
    send_text(fd, "POST /large" LINE "Content-Length: 100000\r\n\r\n");
    assert_int_equal(100000, send(fd, dots, 100000, MSG_NOSIGNAL));
    reply = read_reply(fd, true);
    assert_int_equal(200, reply.status);
    assert_int_equal(strlen("rest=\nbody=") + 100000, reply.length);
    reply_done(&reply);
}

static void a_longer_one_is_413(void **state)
{
    const struct asking *const asking = *state;
    AUTO_CLOSE int with_length = connect_to(asking->fixture.port);
    AUTO_CLOSE int huge = connect_to(asking->fixture.port);
    AUTO_CLOSE int in_chunks = connect_to(asking->fixture.port);
    AUTO_CLOSE int not_taken = connect_to(asking->fixture.port);
    char request[512];

    expect(with_length, "POST /api/marks" LINE "Content-Length: 65\r\n\r\n", 413, NULL);
    assert_in_range(ms_until_closed(with_length), 0, BEFORE_ANY_DEADLINE_MS);
    expect(huge, "POST /api/marks" LINE "Content-Length: 18446744073709551615\r\n\r\n", 413, NULL);
    (void)snprintf(request, sizeof(request),
                   "POST /api/marks" LINE "Transfer-Encoding: chunked\r\n\r\n"
                   "20\r\n%032d\r\n21\r\n%033d\r\n0\r\n\r\n",
                   0, 0);
    expect(in_chunks, request, 413, NULL);
    assert_in_range(ms_until_closed(in_chunks), 0, BEFORE_ANY_DEADLINE_MS);
    expect(not_taken, "GET /metrics" LINE "Content-Length: 3\r\n\r\nabc", 413, NULL);
}

/* Over TCP, without --web.enable-lifecycle: the body is not even read. */
static void who_may_not_change_anything_is_403_before_the_body(void **state)
{
    struct asking asking;
    int fd;

    (void)state;
    asking_up_as(&asking, &usual_limits, false);
    fd = connect_to(asking.fixture.port);
    expect(fd, "DELETE /api/marks/1" LINE "\r\n", 403, NULL);
    expect(fd, "POST /api/marks" LINE "\r\n", 403, NULL);
    expect(fd, "POST /api/marks" LINE "Content-Length: 60\r\n\r\n", 403, NULL);
    assert_in_range(ms_until_closed(fd), 0, BEFORE_ANY_DEADLINE_MS);
    (void)close(fd);
    asking_down(&asking);
}

static void a_web_page_of_another_origin_is_403(void **state)
{
    static const char *const requests[] = {
        "POST /api/marks" LINE "Origin: http://example.org\r\nContent-Length: 2\r\n\r\n{}",
        "POST /api/marks" LINE "Sec-Fetch-Site: cross-site\r\n\r\n",
        "DELETE /api/marks/1" LINE "Origin: null\r\n\r\n",
    };
    const struct asking *const asking = *state;
    AUTO_CLOSE int own = connect_to(asking->fixture.port);

    for (size_t i = 0; i < ARRAY_SIZE(requests); i++) {
        AUTO_CLOSE int fd = connect_to(asking->fixture.port);

        expect(fd, requests[i], 403, NULL);
    }
    expect(own, "POST /api/marks" LINE "Origin: http://127.0.0.1\r\nContent-Length: 2\r\n\r\n{}",
           200, "rest=\nbody={}");
    expect(own, "GET /api/marks" LINE "Origin: http://example.org\r\n\r\n", 200, NULL);
}

static void a_client_that_sends_half_a_body_is_cut(void **state)
{
    static const struct server_limits impatient = {512, 128, 1, 30, 120, 12};
    struct asking asking;
    int fd;

    (void)state;
    asking_up_as(&asking, &impatient, true);
    fd = connect_to(asking.fixture.port);
    send_text(fd, "POST /api/marks" LINE "Content-Length: 5\r\n\r\nhel");
    assert_in_range(ms_until_closed(fd), 0, PATIENCE_MS);
    assert_int_equal(200, scrape(asking.fixture.port));
    (void)close(fd);
    asking_down(&asking);
}

static void two_lengths_are_400(void **state)
{
    static const char *const heads[] = {
        "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
        "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    };
    const struct asking *const asking = *state;

    for (size_t i = 0; i < ARRAY_SIZE(heads); i++) {
        AUTO_CLOSE int fd = connect_to(asking->fixture.port);
        char request[256];

        (void)snprintf(request, sizeof(request), "POST /api/marks" LINE "%s", heads[i]);
        expect(fd, request, 400, NULL);
        assert_in_range(ms_until_closed(fd), 0, BEFORE_ANY_DEADLINE_MS);
    }
}

/* libmicrohttpd answers some of them before we see them, with a head that it writes twice. */
static void a_length_that_is_no_number_is_400_and_the_end(void **state)
{
    static const char *const lengths[] = {"abc", "-1", "+5", "0x5", "5 5", "99999999999999999999"};
    const struct asking *const asking = *state;

    for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
        AUTO_CLOSE int fd = connect_to(asking->fixture.port);
        AUTO_FREE char *all = NULL;
        char request[256];

        (void)snprintf(request, sizeof(request),
                       "POST /api/marks" LINE "Content-Length: %s\r\n\r\nhello" GET_METRICS,
                       lengths[i]);
        send_text(fd, request);
        all = read_to_the_end(fd);
        assert_non_null(all);
        assert_true(strncmp(all, "HTTP/1.1 4", 10) == 0);
        assert_null(strstr(all, "HTTP/1.1 2"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_comes_with_its_length_or_in_chunks),
        cmocka_unit_test(a_body_may_come_byte_by_byte),
        cmocka_unit_test(who_expects_it_is_told_to_go_on),
        cmocka_unit_test(a_body_may_be_as_long_as_the_line_takes),
        cmocka_unit_test(a_longer_one_is_413),
        cmocka_unit_test(who_may_not_change_anything_is_403_before_the_body),
        cmocka_unit_test(a_web_page_of_another_origin_is_403),
        cmocka_unit_test(a_client_that_sends_half_a_body_is_cut),
        cmocka_unit_test(two_lengths_are_400),
        cmocka_unit_test(a_length_that_is_no_number_is_400_and_the_end),
    };

    return cmocka_run_group_tests(tests, asking_set_up, asking_tear_down);
}
