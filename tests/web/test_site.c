/* SPDX-License-Identifier: Apache-2.0 */
#include "web/http_client.h"

static int set_up(void **state)
{
    static struct fixture fixture;

    fixture_up(&fixture, &usual_limits);
    *state = &fixture;
    return 0;
}

static int tear_down(void **state)
{
    fixture_down(*state);
    return 0;
}

static struct reply ask(const struct fixture *fixture, const char *method, const char *path)
{
    AUTO_CLOSE int fd = connect_to(fixture->port);
    char request[256];

    (void)snprintf(request, sizeof(request), "%s %s HTTP/1.1\r\nHost: test\r\n\r\n", method, path);
    send_text(fd, request);
    return read_reply(fd, strcmp(method, "HEAD") != 0);
}

static void the_telemetry_path_shows_the_page(void **state)
{
    struct reply reply = ask(*state, "GET", "/metrics");

    assert_int_equal(200, reply.status);
    assert_string_equal("version 1\n", reply.body);
    assert_true(header_is(&reply, "Content-Type", "text/plain; version=0.0.4; charset=utf-8"));
    assert_true(header_is(&reply, "X-Content-Type-Options", "nosniff"));
    assert_null(header_of(&reply, "Connection"));
    reply_done(&reply);
}

static void a_query_does_not_change_the_path(void **state)
{
    struct reply reply = ask(*state, "GET", "/metrics?collect%5B%5D=cpu");

    assert_int_equal(200, reply.status);
    assert_string_equal("version 1\n", reply.body);
    reply_done(&reply);
}

static void head_has_the_headers_and_no_body(void **state)
{
    const struct fixture *const fixture = *state;
    AUTO_CLOSE int fd = connect_to(fixture->port);
    struct reply reply;

    send_text(fd, "HEAD /metrics HTTP/1.1\r\nHost: test\r\n\r\n" GET_METRICS);
    reply = read_reply(fd, false);
    assert_int_equal(200, reply.status);
    assert_true(header_is(&reply, "Content-Length", "10"));
    reply_done(&reply);
    reply = read_reply(fd, true); /* The bytes that follow are the next answer. */
    assert_int_equal(200, reply.status);
    assert_string_equal("version 1\n", reply.body);
    reply_done(&reply);
}

static void a_page_has_the_headers_of_its_route(void **state)
{
    struct reply reply = ask(*state, "GET", "/");

    assert_int_equal(200, reply.status);
    assert_string_equal("fixed\n", reply.body);
    assert_true(header_is(&reply, "Content-Type", "text/html; charset=utf-8"));
    assert_true(header_is(&reply, "X-Content-Type-Options", "nosniff"));
    assert_true(header_is(&reply, "Content-Security-Policy", "default-src 'none'"));
    reply_done(&reply);
    reply = ask(*state, "GET", "/-/healthy");
    assert_int_equal(200, reply.status);
    assert_true(header_is(&reply, "Content-Type", "text/plain; charset=utf-8"));
    assert_null(header_of(&reply, "Content-Security-Policy"));
    reply_done(&reply);
}

static void a_page_gets_its_arguments_decoded(void **state)
{
    static const struct {
        const char *target;
        const char *shown;
    } cases[] = {
        {"/arguments", ""},
        {"/arguments?", ""},
        {"/arguments?a=1&b", "a=1\nb=\n"},
        {"/arguments?n%5b%5d=x+y&n[]=%2b", "n[]=x y\nn[]=+\n"},
        {"http://test/arguments?a", "a=\n"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct reply reply = ask(*state, "GET", cases[i].target);

        assert_int_equal(200, reply.status);
        assert_string_equal(cases[i].shown, reply.body);
        reply_done(&reply);
    }
}

static void a_request_leaves_no_arguments_to_the_next_one(void **state)
{
    const struct fixture *const fixture = *state;
    AUTO_CLOSE int fd = connect_to(fixture->port);
    struct reply reply;

    send_text(fd, "GET /arguments?first=1 HTTP/1.1\r\nHost: test\r\n\r\n"
                  "GET /arguments HTTP/1.1\r\nHost: test\r\n\r\n");
    reply = read_reply(fd, true);
    assert_string_equal("first=1\n", reply.body);
    reply_done(&reply);
    reply = read_reply(fd, true);
    assert_string_equal("", reply.body);
    reply_done(&reply);
}

static void a_page_refuses_arguments_in_its_own_words(void **state)
{
    static const struct {
        const char *target;
        int status;
    } cases[] = {{"/arguments?refuse=1", 400}, {"/arguments?nobody=1", 404}};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct reply reply = ask(*state, "GET", cases[i].target);

        assert_int_equal(cases[i].status, reply.status);
        assert_string_equal(strchr(cases[i].target, '?') + 1, strtok(reply.body, "\n"));
        assert_true(header_is(&reply, "Content-Type", "text/plain; charset=utf-8"));
        reply_done(&reply);
    }
}

static void a_restricted_page_is_403_for_who_may_not_control(void **state)
{
    struct reply reply = ask(*state, "GET", "/restricted");

    assert_int_equal(403, reply.status);
    assert_null(strstr(reply.body, "fixed"));
    reply_done(&reply);
}

static void any_other_path_is_404(void **state)
{
    static const char *const paths[] = {
        "/metrics/",    "/Metrics",    "//metrics",       "/-/",       "/-/reload",
        "/favicon.ico", "/../metrics", "/%2e%2e/metrics", "/-/ready/", "/metrics#x",
    };

    for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
        struct reply reply = ask(*state, "GET", paths[i]);

        assert_int_equal(404, reply.status);
        assert_string_equal("not found\n", reply.body);
        reply_done(&reply);
    }
}

static void a_failed_rendering_is_500_nothing_to_show_503_and_the_next_is_tried(void **state)
{
    struct fixture *const fixture = *state;
    struct reply reply;

    fixture->page.version = 2;
    fixture->page.error = -ENOMEM;
    reply = ask(fixture, "GET", "/metrics");
    assert_int_equal(500, reply.status);
    assert_null(strstr(reply.body, "version"));
    reply_done(&reply);
    fixture->page.error = -EAGAIN;
    reply = ask(fixture, "GET", "/metrics");
    assert_int_equal(503, reply.status);
    reply_done(&reply);
    fixture->page.error = 0;
    reply = ask(fixture, "GET", "/metrics");
    assert_int_equal(200, reply.status);
    assert_string_equal("version 2\n", reply.body);
    reply_done(&reply);
    fixture->page.version = 1;
}

static void a_path_may_have_any_characters_and_the_first_route_of_it_is_taken(void **state)
{
    static const struct {
        const char *path;
        const char *asked;
    } cases[] = {
        {"/", "/"},
        {"/pmu", "/pmu"},
        {"/a\"><b>&%", "/a%22%3e%3cb%3e%26%25"},
        {"/a b\xc3\xa9", "/a%20b%c3%a9"},
    };
    const char *const address = "127.0.0.1:0";
    const char *failed;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const struct route routes[] = {
            {.path = cases[i].path, .content_type = CONTENT_PLAIN_TEXT, .render = page_render},
            {.path = "/", .content_type = CONTENT_PLAIN_TEXT, .render = fixed_render},
        };
        struct fixture fixture = {.page = {.version = 1}};
        const struct route_table table = {routes, ARRAY_SIZE(routes), &fixture.page};
        struct reply reply;

        assert_int_equal(
            0, http_server_new(&address, 1, &table, &usual_limits, &fixture.server, &failed));
        assert_int_equal(0, http_server_start(fixture.server));
        fixture.port = http_server_port(fixture.server, 0);
        reply = ask(&fixture, "GET", cases[i].asked);
        assert_string_equal("version 1\n", reply.body);
        reply_done(&reply);
        reply = ask(&fixture, "GET", "/");
        assert_string_equal(i == 0 ? "version 1\n" : "fixed\n", reply.body);
        reply_done(&reply);
        reply = ask(&fixture, "GET", "/metrics");
        assert_int_equal(404, reply.status);
        reply_done(&reply);
        fixture_down(&fixture);
    }
}

static void a_route_is_a_path_and_either_a_page_or_a_command(void **state)
{
    static const struct route wrong[] = {
        {.path = "metrics", .content_type = CONTENT_PLAIN_TEXT, .render = fixed_render},
        {.content_type = CONTENT_PLAIN_TEXT, .render = fixed_render},
        {.path = "/metrics", .render = fixed_render},
        {.path = "/metrics"},
        {.path = "/metrics",
         .content_type = CONTENT_PLAIN_TEXT,
         .render = fixed_render,
         .command = ask_reload},
    };
    const char *const address = "127.0.0.1:0";
    struct http_server *server = NULL;
    const char *failed;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        const struct route_table table = {&wrong[i], 1, NULL};

        assert_int_equal(-EINVAL,
                         http_server_new(&address, 1, &table, &usual_limits, &server, &failed));
        assert_null(failed);
    }
    assert_null(server);
}

static void a_connection_stays_open(void **state)
{
    const struct fixture *const fixture = *state;
    AUTO_CLOSE int fd = connect_to(fixture->port);

    assert_int_equal(200, status_of(fd, GET_METRICS));
    assert_int_equal(404, status_of(fd, "GET /nothing HTTP/1.1\r\nHost: test\r\n\r\n"));
    assert_int_equal(200, status_of(fd, "GET / HTTP/1.1\r\nHost: test\r\n\r\n"));
    assert_int_equal(200, status_of(fd, GET_METRICS));
}

static void a_client_may_close_or_speak_http_1_0(void **state)
{
    const struct fixture *const fixture = *state;
    AUTO_CLOSE int closing = connect_to(fixture->port);
    AUTO_CLOSE int old = connect_to(fixture->port);
    struct reply reply;

    send_text(closing, "GET /metrics HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n");
    reply = read_reply(closing, true);
    assert_int_equal(200, reply.status);
    assert_true(header_is(&reply, "Connection", "close"));
    assert_in_range(ms_until_closed(closing), 0, BEFORE_ANY_DEADLINE_MS);
    reply_done(&reply);
    assert_int_equal(200, status_of(old, "GET /metrics HTTP/1.0\r\n\r\n"));
    assert_in_range(ms_until_closed(old), 0, BEFORE_ANY_DEADLINE_MS);
}

static void requests_may_be_sent_ahead(void **state)
{
    static const int expected[] = {200, 404, 200, 200};
    const struct fixture *const fixture = *state;
    AUTO_CLOSE int fd = connect_to(fixture->port);

    send_text(fd, GET_METRICS "GET /nothing HTTP/1.1\r\nHost: test\r\n\r\n" GET_METRICS
                              "GET /-/healthy HTTP/1.1\r\nHost: test\r\n\r\n");
    for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
        struct reply reply = read_reply(fd, true);

        assert_int_equal(expected[i], reply.status);
        reply_done(&reply);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_telemetry_path_shows_the_page),
        cmocka_unit_test(a_query_does_not_change_the_path),
        cmocka_unit_test(head_has_the_headers_and_no_body),
        cmocka_unit_test(a_page_has_the_headers_of_its_route),
        cmocka_unit_test(a_page_gets_its_arguments_decoded),
        cmocka_unit_test(a_request_leaves_no_arguments_to_the_next_one),
        cmocka_unit_test(a_page_refuses_arguments_in_its_own_words),
        cmocka_unit_test(a_restricted_page_is_403_for_who_may_not_control),
        cmocka_unit_test(any_other_path_is_404),
        cmocka_unit_test(a_failed_rendering_is_500_nothing_to_show_503_and_the_next_is_tried),
        cmocka_unit_test(a_path_may_have_any_characters_and_the_first_route_of_it_is_taken),
        cmocka_unit_test(a_route_is_a_path_and_either_a_page_or_a_command),
        cmocka_unit_test(a_connection_stays_open),
        cmocka_unit_test(a_client_may_close_or_speak_http_1_0),
        cmocka_unit_test(requests_may_be_sent_ahead),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
