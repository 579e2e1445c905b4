/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that are refused, as bytes on a socket: each gets one answer, and then the end. */
#include "web/raw_requests.h"

#define LONG_TEXT 65536

static void methods_other_than_get_and_head_get_405(void **state)
{
    static const char *const methods[] = {
        "POST",    "PUT",   "DELETE",
        "OPTIONS", "TRACE", "PATCH",
        "get",     "GETT",  "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX",
    };

    for (size_t i = 0; i < ARRAY_SIZE(methods); i++) {
        char request[256];

        (void)snprintf(request, sizeof(request), "%s /metrics" LINE "\r\n" SMUGGLED, methods[i]);
        assert_int_equal(405, only_status(*state, request));
    }
    assert_int_equal(405, only_status(*state, "CONNECT example.org:443" LINE "\r\n"));
    assert_int_equal(405, only_status(*state, "OPTIONS *" LINE "\r\n"));
}

static void a_405_names_what_is_allowed(void **state)
{
    const struct fixture *const fixture = *state;
    AUTO_CLOSE int fd = connect_to(fixture->port);
    struct reply reply;

    send_text(fd, "POST /metrics" LINE "Content-Length: 1000000\r\n\r\nabc");
    reply = read_reply(fd, true);
    assert_int_equal(405, reply.status);
    assert_true(header_is(&reply, "Allow", "GET, HEAD"));
    assert_true(header_is(&reply, "Connection", "close"));
    assert_true(header_is(&reply, "X-Content-Type-Options", "nosniff"));
    /* The server does not wait for the body. */
    assert_in_range(ms_until_closed(fd), 0, BEFORE_ANY_DEADLINE_MS);
    reply_done(&reply);
}

static void bodies_are_refused(void **state)
{
    assert_int_equal(413, only_status(*state, "GET /metrics" LINE "Content-Length: 3\r\n\r\nabc"));
    assert_int_equal(413, only_status(*state, "GET /metrics" LINE "content-length: 3\r\n\r\n"));
    assert_int_equal(413, only_status(*state, "GET /metrics" LINE "Transfer-Encoding: chunked\r\n"
                                              "\r\n0\r\n\r\n"));
    assert_int_equal(413, only_status(*state, "GET /metrics" LINE "Transfer-Encoding: gzip\r\n"
                                              "\r\n"));
    assert_int_equal(413, only_status(*state, "HEAD /metrics" LINE "Content-Length: 3\r\n\r\nabc"));
    assert_int_equal(413, only_status(*state, "GET /metrics" LINE "Expect: 100-continue\r\n"
                                              "Content-Length: 3\r\n\r\n"));
}

static void a_smuggled_request_is_not_run(void **state)
{
    static const char *const tricks[] = {
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
        "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n",
        "Content-Length: 0\r\nContent-Length: 43\r\n\r\n",
        "Content-Length: 43\r\nContent-Length: 0\r\n\r\n",
        "Content-Length : 43\r\n\r\n",
        "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        "Content-Length\t: 43\r\n\r\n",
        "Content-Length: 0x0\r\n\r\n",
        "Content-Length: +0\r\n\r\n",
        "Content-Length: -1\r\n\r\n",
        "Content-Length: 0,43\r\n\r\n",
        "Content-Length: 99999999999999999999999999\r\n\r\n",
        "Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding:\r\n\tchunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n \r\n\r\n0\r\n\r\n",
        "Content-Length:\r\n 43\r\n\r\n",
        "Content-Length: 0\r\n 43\r\n\r\n",
        "no colon\r\n\r\n",
    };

    for (size_t i = 0; i < ARRAY_SIZE(tricks); i++) {
        char request[512];
        int status;

        (void)snprintf(request, sizeof(request), "GET /metrics" LINE "%s" SMUGGLED, tricks[i]);
        status = only_status(*state, request);
        if (status != 400 && status != 413)
            fail_msg("%d for %s", status, tricks[i]);
    }
}

static void a_target_that_is_none_is_400(void **state)
{
    static const char *const targets[] = {
        "*",           "metrics",         "%2fmetrics",     "/%2fmetrics",
        "/metrics%00", "/metrics%00abc",  "/-/ready%00abc", "/metrics?a=%00",
        "/metrics%2f", "/metrics%",       "/metrics%zz",    "?x",
        "http://",     "http:///metrics",
    };

    for (size_t i = 0; i < ARRAY_SIZE(targets); i++) {
        char request[256];
        int status;

        (void)snprintf(request, sizeof(request), "GET %s" LINE "\r\n" SMUGGLED, targets[i]);
        status = only_status(*state, request);
        if (status != 400)
            fail_msg("%d for %s", status, targets[i]);
        (void)snprintf(request, sizeof(request), "POST %s" LINE "\r\n" SMUGGLED, targets[i]);
        assert_int_equal(400, only_status(*state, request));
    }
}

static void what_is_unusual_and_right_is_served(void **state)
{
    static const char *const requests[] = {
        "GET /metrics?" LINE "\r\n",
        "GET /%6detrics" LINE "\r\n",
        "GET /metrics?x=%zz&&=&y" LINE "\r\n",
        "GET http://test/metrics" LINE "\r\n",
        "GET http://127.0.0.1:1/metrics?x" LINE "\r\n",
        "GET /metrics" LINE "X:\r\nY: \t b c \t\r\nZ:d\xc3\xa9\r\n\r\n",
        "GET /metrics HTTP/1.1\nHost: test\nX: y\n\n",
        "GET /metrics" LINE "Content-Length: 0 \r\n\r\n",
        "GET /metrics" LINE "Content-Length: 000\r\n\r\n",
        "\r\nGET /metrics" LINE "\r\n",
        "GET /metrics" LINE "Cookie: a=b; c=d\r\n\r\n",
        "GET /metrics" LINE "Expect: 100-continue\r\n\r\n", /* There is no body to go on to. */
        "GET /metrics HTTP/1.1\r\nHost:\r\n\r\n",
        "GET /metrics HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n",
    };

    for (size_t i = 0; i < ARRAY_SIZE(requests); i++)
        expect_served(*state, requests[i]);
}

/* Each of these is a record in libmicrohttpd's memory, which has not room for them. */
static void many_arguments_are_answered(void **state)
{
    static const unsigned numbers[] = {10, 250, 1000, 3000};

    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
        AUTO_TEXT struct text request = {0};

        text_append_string(&request, "GET /metrics?a");
        for (unsigned n = 0; n < numbers[i]; n++)
            text_append_string(&request, "&b=");
        text_append_string(&request, LINE "\r\n");
        text_append_char(&request, '\0');
        expect_served(*state, request.data);
    }
}

/* A second request over a connection is judged like the first. */
static void a_malformed_request_after_a_good_one_is_answered_once(void **state)
{
    const struct fixture *const fixture = *state;
    static const char *const second[] = {
        "GET /metrics%00" LINE "\r\n",
        "GET /metrics" LINE "Content-Length: +0\r\n\r\n",
        "GET /metrics" LINE "X: a\rb\r\n\r\n",
    };

    for (size_t i = 0; i < ARRAY_SIZE(second); i++) {
        AUTO_CLOSE int fd = connect_to(fixture->port);
        AUTO_TEXT struct text request = {0};
        AUTO_FREE char *all = NULL;

        text_append_format(&request, "%s%s%s", SMUGGLED, second[i], SMUGGLED);
        text_append_char(&request, '\0');
        send_text(fd, request.data);
        all = read_to_the_end(fd);
        assert_non_null(all);
        assert_int_equal(2, count(all, "HTTP/1.1 "));
        assert_int_equal(1, count(all, "HTTP/1.1 200 "));
        assert_int_equal(1, count(all, "HTTP/1.1 400 "));
    }
}

static void an_empty_body_is_no_body(void **state)
{
    const struct fixture *const fixture = *state;
    AUTO_CLOSE int fd = connect_to(fixture->port);

    assert_int_equal(200, status_of(fd, "GET /metrics" LINE "Content-Length: 0\r\n\r\n"));
    assert_int_equal(200, status_of(fd, GET_METRICS));
}

static void http_1_1_needs_one_host(void **state)
{
    assert_int_equal(400, only_status(*state, "GET /metrics HTTP/1.1\r\n\r\n" SMUGGLED));
    assert_int_equal(400, only_status(*state, "GET /metrics" LINE "Host: b\r\n\r\n" SMUGGLED));
    assert_int_equal(400, only_status(*state, "GET /metrics HTTP/1.2\r\n\r\n" SMUGGLED));
    assert_int_equal(400, only_status(*state, "GET /metrics HTTP/1.1\r\nHost: a/b\r\n\r\n"));
    assert_int_equal(400, only_status(*state, "GET /metrics HTTP/1.1\r\nHost: a b\r\n\r\n"));
    assert_int_equal(200, only_status(*state, "GET /metrics HTTP/1.0\r\n\r\n" SMUGGLED));
}

static void what_is_too_long_is_refused(void **state)
{
    AUTO_TEXT struct text request = {0};
    AUTO_FREE char *dots = NULL;

    dots = malloc(LONG_TEXT + 1);
    assert_non_null(dots);
    memset(dots, 'a', LONG_TEXT);
    dots[LONG_TEXT] = '\0';
    text_append_format(&request, "GET /%s" LINE "\r\n", dots);
    text_append_char(&request, '\0');
    assert_int_equal(414, only_status(*state, request.data));
    text_clear(&request);
    text_append_format(&request, "GET /metrics" LINE "X: %s\r\n\r\n", dots);
    text_append_char(&request, '\0');
    assert_int_equal(431, only_status(*state, request.data));
}

static void a_thousand_headers_are_refused(void **state)
{
    AUTO_TEXT struct text request = {0};

    text_append_string(&request, "GET /metrics" LINE);
    for (unsigned i = 0; i < 1000; i++)
        text_append_format(&request, "X-Header-%u: value\r\n", i);
    text_append_string(&request, "\r\n");
    text_append_char(&request, '\0');
    assert_int_equal(431, only_status(*state, request.data));
}

static void garbage_is_not_answered_with_200(void **state)
{
    static const char *const garbage[] = {
        "\x16\x03\x01\x02\x01\x01\xfc\x03\x03\r\n\r\n", /* This is what a TLS client sends. */
        "GET\r\n\r\n",
        "GET /metrics HTTP/9.9\r\nHost: test\r\n\r\n",
        "GET /metrics FTP/1.1\r\nHost: test\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "\xff\xfe\xfd /metrics HTTP/1.1\r\nHost: test\r\n\r\n",
    };

    for (size_t i = 0; i < ARRAY_SIZE(garbage); i++)
        assert_int_not_equal(200, only_status(*state, garbage[i]));
}

static void the_server_goes_on(void **state)
{
    const struct fixture *const fixture = *state;

    assert_int_equal(200, scrape(fixture->port));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_other_than_get_and_head_get_405),
        cmocka_unit_test(a_405_names_what_is_allowed),
        cmocka_unit_test(bodies_are_refused),
        cmocka_unit_test(a_smuggled_request_is_not_run),
        cmocka_unit_test(a_target_that_is_none_is_400),
        cmocka_unit_test(what_is_unusual_and_right_is_served),
        cmocka_unit_test(many_arguments_are_answered),
        cmocka_unit_test(a_malformed_request_after_a_good_one_is_answered_once),
        cmocka_unit_test(an_empty_body_is_no_body),
        cmocka_unit_test(http_1_1_needs_one_host),
        cmocka_unit_test(what_is_too_long_is_refused),
        cmocka_unit_test(a_thousand_headers_are_refused),
        cmocka_unit_test(garbage_is_not_answered_with_200),
        cmocka_unit_test(the_server_goes_on),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
