/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that share a path, and what follows a path. */
#include "web/asking.h"

static void a_path_has_a_line_for_each_method(void **state)
{
    const struct asking *const asking = *state;
    AUTO_CLOSE int fd = connect_to(asking->fixture.port);

    expect(fd, "GET /api/marks?a=1" LINE "\r\n", 200, "rest=\na=1\nbody=");
    expect(fd, "POST /api/marks?b=2" LINE "Content-Length: 3\r\n\r\nabc", 200,
           "rest=\nb=2\nbody=abc");
    expect(fd, "DELETE /api/marks/17" LINE "\r\n", 200, "deleted 17");
    expect(fd, "GET /metrics" LINE "\r\n", 200, "fixed\n");
}

static void what_follows_a_path_is_decoded_and_an_ending_chooses(void **state)
{
    const struct asking *const asking = *state;
    AUTO_CLOSE int fd = connect_to(asking->fixture.port);

    expect(fd, "GET /api/runs/3%20a%c3%a9/b" LINE "\r\n", 200, "rest=3 a\xc3\xa9/b\nbody=");
    expect(fd, "GET /api/runs/" LINE "\r\n", 200, "rest=\nbody=");
    expect(fd, "GET /api/runs/3.csv?x" LINE "\r\n", 200, "csv of 3");
    expect(fd, "GET /api/runs/3%2Ecsv" LINE "\r\n", 200, "csv of 3");
    expect(fd, "GET /api/%72uns/.csv" LINE "\r\n", 200, "csv of ");
    expect(fd, "GET /api/runs/3.csv.json" LINE "\r\n", 200, "rest=3.csv.json\nbody=");
    expect(fd, "GET /api/runs" LINE "\r\n", 404, NULL);
    expect(fd, "GET /api/marksman" LINE "\r\n", 404, NULL);
}

static void head_is_answered_where_get_is(void **state)
{
    const struct asking *const asking = *state;
    AUTO_CLOSE int fd = connect_to(asking->fixture.port);
    struct reply reply;

    send_text(fd, "HEAD /api/runs/3" LINE "\r\n");
    reply = read_reply(fd, false);
    assert_int_equal(200, reply.status);
    assert_true(header_is(&reply, "Content-Length", "12"));
    reply_done(&reply);
    expect(fd, "GET /metrics" LINE "\r\n", 200, "fixed\n");
}

static void a_405_names_the_methods_of_all_lines_of_the_path(void **state)
{
    static const struct {
        const char *request;
        const char *allowed;
    } cases[] = {
        {"DELETE /api/marks", "GET, HEAD, POST"},
        {"PUT /api/marks", "GET, HEAD, POST"},
        {"PATCH /api/marks", "GET, HEAD, POST"},
        {"GET /api/marks/3", "DELETE"},
        {"POST /live", "GET"},
        {"HEAD /live", "GET"},
        {"POST /metrics", "GET, HEAD"},
        {"POST /nothing", "GET, HEAD"},
    };
    const struct asking *const asking = *state;

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO_CLOSE int fd = connect_to(asking->fixture.port);
        char request[128];
        struct reply reply;

        (void)snprintf(request, sizeof(request), "%s" LINE "\r\n", cases[i].request);
        send_text(fd, request);
        reply = read_reply(fd, strncmp(request, "HEAD", 4) != 0);
        assert_int_equal(405, reply.status);
        if (!header_is(&reply, "Allow", cases[i].allowed))
            fail_msg("%s: %s", cases[i].request, header_of(&reply, "Allow"));
        reply_done(&reply);
    }
}

static void errors_below_api_are_json_and_others_are_text(void **state)
{
    static const struct {
        const char *request;
        int status;
        const char *body;
    } cases[] = {
        {"GET /api/nothing", 404, "{\"error\": \"not found\"}\n"},
        {"GET /nothing", 404, "not found\n"},
        {"PUT /api/held", 405, "{\"error\": \"only GET, HEAD are answered here\"}\n"},
        {"GET /api/refused?error=22", 400, "{\"error\": \"no \\\"\\u0001\xef\xbf\xbd\\\\\"}\n"},
        {"GET /refused?error=22", 400, "no \"\x01\xff\\\n"},
        {"GET /api/refused?error=2", 404, NULL},
        {"GET /api/refused?error=1", 403, NULL},
        {"GET /api/refused?error=16", 429, NULL},
        {"GET /api/refused?error=11", 503, NULL},
        {"GET /api/refused?error=12", 500, "{\"error\": \"the page could not be written\"}\n"},
        {"GET /api/refused?later=22", 400, "{\"error\": \"not now\"}\n"},
        {"GET /refused?later=2", 404, "not now\n"},
        {"GET /refused", 500, "the page could not be written\n"},
    };
    const struct asking *const asking = *state;

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO_CLOSE int fd = connect_to(asking->fixture.port);
        const char *const type =
            strstr(cases[i].request, "/api/") ? CONTENT_JSON : CONTENT_PLAIN_TEXT;
        char request[128];
        struct reply reply;

        (void)snprintf(request, sizeof(request), "%s" LINE "\r\n", cases[i].request);
        send_text(fd, request);
        reply = read_reply(fd, true);
        assert_int_equal(cases[i].status, reply.status);
        if (cases[i].body)
            assert_string_equal(cases[i].body, reply.body);
        assert_true(header_is(&reply, "Content-Type", type));
        reply_done(&reply);
    }
}

static void a_file_to_save_has_a_name_that_ends_no_header(void **state)
{
    const struct asking *const asking = *state;
    AUTO_CLOSE int fd = connect_to(asking->fixture.port);
    struct reply reply;

    send_text(fd, "GET /api/runs/3.csv" LINE "\r\n");
    reply = read_reply(fd, true);
    assert_true(header_is(&reply, "Content-Type", "text/csv; charset=utf-8"));
    assert_true(header_is(&reply, "Content-Disposition", "attachment; filename=\"run__1__.csv\""));
    reply_done(&reply);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_has_a_line_for_each_method),
        cmocka_unit_test(what_follows_a_path_is_decoded_and_an_ending_chooses),
        cmocka_unit_test(head_is_answered_where_get_is),
        cmocka_unit_test(a_405_names_the_methods_of_all_lines_of_the_path),
        cmocka_unit_test(errors_below_api_are_json_and_others_are_text),
        cmocka_unit_test(a_file_to_save_has_a_name_that_ends_no_header),
    };

    return cmocka_run_group_tests(tests, asking_set_up, asking_tear_down);
}
