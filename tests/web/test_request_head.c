/* SPDX-License-Identifier: Apache-2.0 */
/* Heads that are wrong by a byte. */
#include "web/raw_requests.h"

static void what_a_nul_hides_is_400(void **state)
{
    EXPECT_BYTES(*state, 400, "GET\0 /metrics" LINE "\r\n");
    EXPECT_BYTES(*state, 400, "GET\0X /metrics" LINE "\r\n");
    EXPECT_BYTES(*state, 400, "GET /metrics\0abc" LINE "\r\n");
    EXPECT_BYTES(*state, 400, "GET /metrics\0" LINE "\r\n");
    EXPECT_BYTES(*state, 400, "GET /metrics?\0" LINE "\r\n");
    EXPECT_BYTES(*state, 400, "GET /metrics?a=\0b" LINE "\r\n");
    EXPECT_BYTES(*state, 400, "GET /metrics HTTP/1.1\0\r\nHost: test\r\n\r\n");
    EXPECT_BYTES(*state, 400, "GET /metrics" LINE "X: a\0b\r\n\r\n");
    EXPECT_BYTES(*state, 400, "GET /metrics" LINE "X: a\0\r\n\r\n");
    EXPECT_BYTES(*state, 400, "GET /metrics" LINE "X: \0\r\n\r\n");
    EXPECT_BYTES(*state, 400, "GET /metrics" LINE "X:\0\r\n\r\n");
    EXPECT_BYTES(*state, 400, "GET /metrics" LINE "X: a\0b\r\nY: c\r\n\r\n");
    EXPECT_BYTES(*state, 400, "GET /metrics" LINE "X\0: a\r\n\r\n");
    EXPECT_BYTES(*state, 400, "GET /metrics" LINE "X\0Y: a\r\n\r\n");
    EXPECT_BYTES(*state, 400, "GET /metrics HTTP/1.1\r\nHost: test\0\r\n\r\n");
    EXPECT_BYTES(*state, 400, "GET /metrics" LINE "Content-Length: 0\0 5\r\n\r\n");
    EXPECT_BYTES(*state, 400, "GET /metrics" LINE "\0\r\n\r\n");
}

static void control_characters_are_400(void **state)
{
    EXPECT_BYTES(*state, 400, "GET /metrics" LINE "X: a\rb\r\n\r\n");
    EXPECT_BYTES(*state, 400, "GET /metrics" LINE "X: a\r\r\n\r\n");
    EXPECT_BYTES(*state, 400, "GET /metrics" LINE "X\r: a\r\n\r\n");
    EXPECT_BYTES(*state, 400,
                 "GET /metrics" LINE "X: a\x01"
                 "b\r\n\r\n");
    EXPECT_BYTES(*state, 400, "GET /metrics" LINE "X: a\x7f\r\n\r\n");
    EXPECT_BYTES(*state, 400, "GET /metrics" LINE "\r\r\n\r\n");
    EXPECT_BYTES(*state, 400, "GET /met\rrics" LINE "\r\n");
    EXPECT_BYTES(*state, 400, "GET /metrics\t" LINE "\r\n");
    EXPECT_BYTES(*state, 400, "\rGET /metrics" LINE "\r\n");
    EXPECT_BYTES(*state, 400, "GE\rT /metrics" LINE "\r\n");
    EXPECT_BYTES(*state, 400,
                 "G\x7f"
                 "T /metrics" LINE "\r\n");
    EXPECT_BYTES(*state, 400, "GET /metrics HTTP/1.1\rHost: test\r\n\r\n");
}

static void a_first_line_that_is_none_is_400(void **state)
{
    EXPECT_BYTES(*state, 400, "GET  /metrics" LINE "\r\n");
    EXPECT_BYTES(*state, 400, "GET /metrics  HTTP/1.1\r\nHost: test\r\n\r\n");
    EXPECT_BYTES(*state, 400, "GET /metrics HTTP/1.1 \r\nHost: test\r\n\r\n");
    EXPECT_BYTES(*state, 400, "GET\t/metrics" LINE "\r\n");
    EXPECT_BYTES(*state, 400, "GET /met rics" LINE "\r\n");
    EXPECT_BYTES(*state, 400, "GET /metrics\r\n\r\n");
    EXPECT_BYTES(*state, 400, "GET /metrics http/1.1\r\nHost: test\r\n\r\n");
    EXPECT_BYTES(*state, 505, "GET /metrics HTTP/0.9\r\n\r\n");
    EXPECT_BYTES(*state, 505, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
}

static void a_content_length_that_is_no_number_is_400(void **state)
{
    static const char *const lengths[] = {
        "",
        "+0",
        "-1",
        "0x0",
        "1.5",
        "abc",
        "5 5",
        "0,43",
        "0, 0",
        "1e3",
        "\t",
        "\"0\"",
        "0;",
        "\xd9\xa0",
        "0\r\nContent-Length: 0",
        "3\r\nContent-Length: 4",
        "0\r\nTransfer-Encoding: chunked",
        "5\r\nTransfer-Encoding: identity",
    };

    for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
        char request[256];
        int status;

        (void)snprintf(request, sizeof(request),
                       "GET /metrics" LINE "Content-Length: %s\r\n\r\n" SMUGGLED, lengths[i]);
        status = only_status(*state, request);
        if (status != 400)
            fail_msg("%d for %s", status, lengths[i]);
    }
    assert_int_equal(413, only_status(*state, "GET /metrics" LINE "Content-Length: "
                                              "99999999999999999999999999\r\n\r\n" SMUGGLED));
}

static void folded_and_broken_headers_are_400(void **state)
{
    EXPECT_BYTES(*state, 400, "GET /metrics" LINE "X: a\r\n b\r\n\r\n");
    EXPECT_BYTES(*state, 400, "GET /metrics" LINE "X: a\r\n\tb\r\nY: c\r\n\r\n");
    EXPECT_BYTES(*state, 400, "GET /metrics" LINE "X: a\r\n \r\n\r\n");
    EXPECT_BYTES(*state, 400, "GET /metrics HTTP/1.1\r\n Host: test\r\n\r\n");
    EXPECT_BYTES(*state, 400, "GET /metrics" LINE "no colon\r\n\r\n");
    EXPECT_BYTES(*state, 400, "GET /metrics" LINE "no colon\r\nX: y\r\n\r\n");
    EXPECT_BYTES(*state, 400, "GET /metrics" LINE ": no name\r\n\r\n");
    EXPECT_BYTES(*state, 400, "GET /metrics" LINE "X : blank\r\n\r\n");
}

static void many_cookies_are_answered_once(void **state)
{
    AUTO_TEXT struct text request = {0};

    text_append_string(&request, "GET /metrics" LINE "Connection: close\r\nCookie: a");
    for (unsigned i = 0; i < 1500; i++)
        text_append_string(&request, ";b=");
    text_append_string(&request, "\r\n\r\n");
    text_append_char(&request, '\0');
    assert_int_equal(200, only_status(*state, request.data));
}

/* libmicrohttpd closes without an answer. */
static void a_line_of_one_word_is_400(void **state)
{
    EXPECT_BYTES(*state, 400, "GET\r\n\r\n");
    EXPECT_BYTES(*state, 400, "garbage\n");
    EXPECT_BYTES(*state, 400, " GET /metrics" LINE "\r\n");
    EXPECT_BYTES(*state, 400, "\x16\x03\x01\x02\x01\x01\xfc\x03\x03\r\n\r\n");
}

/* A client that has sent nothing, or has had an answer, gets no 400. */
static void who_only_leaves_is_not_answered(void **state)
{
    const struct fixture *const fixture = *state;
    AUTO_CLOSE int silent = connect_to(fixture->port);
    AUTO_CLOSE int content = connect_to(fixture->port);
    char byte;

    assert_int_equal(0, shutdown(silent, SHUT_WR));
    assert_int_equal(0, recv(silent, &byte, 1, 0));
    assert_int_equal(200, status_of(content, GET_METRICS));
    assert_int_equal(0, shutdown(content, SHUT_WR));
    assert_int_equal(0, recv(content, &byte, 1, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_nul_hides_is_400),
        cmocka_unit_test(control_characters_are_400),
        cmocka_unit_test(a_first_line_that_is_none_is_400),
        cmocka_unit_test(a_content_length_that_is_no_number_is_400),
        cmocka_unit_test(folded_and_broken_headers_are_400),
        cmocka_unit_test(many_cookies_are_answered_once),
        cmocka_unit_test(a_line_of_one_word_is_400),
        cmocka_unit_test(who_only_leaves_is_not_answered),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
