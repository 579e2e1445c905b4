/* SPDX-License-Identifier: Apache-2.0 */
#include "client/answering_server.h"

#include <errno.h>
#include <poll.h>

#include "base/cleanup.h"
#include "client/client.h"

#define HEAD(status, type) "HTTP/1.1 " status "\r\nContent-Type: " type "\r\nConnection: close\r\n"

/* What one request gives whose answer is these bytes. The caller ends both. */
static int ask(struct answering_server *server, const char *bytes, struct pmu_client **ret_client,
               json_t **ret_value)
{
    server_start(server, bytes);
    assert_int_equal(0, pmu_client_open(server->path, ret_client));
    return pmu_client_get(*ret_client, "/api/v1/x", ret_value);
}

static void end(struct answering_server *server, struct pmu_client *client)
{
    assert_null(pmu_client_close(client));
    server_stop(server);
}

static void json_is_given_as_a_value_with_numbers_that_are_reals(void **state)
{
    struct answering_server server;
    struct pmu_client *client;
    json_t *value = NULL;

    (void)state;
    assert_int_equal(0, ask(&server,
                            HEAD("200 OK", "application/json") "\r\n{\"n\": 18446744073709551614}",
                            &client, &value));
    assert_true(json_number_value(json_object_get(value, "n")) > 1.8e19);
    assert_int_equal(200, pmu_client_status(client));
    assert_string_equal("", pmu_client_error(client));
    json_decref(value);
    assert_non_null(strstr(server.request, "GET /api/v1/x HTTP/1.1\r\n"));
    end(&server, client);
}

static void text_is_given_as_a_string(void **state)
{
    struct answering_server server;
    struct pmu_client *client;
    json_t *value = NULL;

    (void)state;
    assert_int_equal(0, ask(&server, HEAD("200 OK", "text/plain; charset=utf-8") "\r\nreloaded\n",
                            &client, &value));
    assert_string_equal("reloaded", json_string_value(value));
    json_decref(value);
    end(&server, client);
}

static void any_answer_can_be_had_as_its_bytes(void **state)
{
    struct answering_server server;
    struct pmu_client *client;
    AUTO_FREE char *bytes = NULL;
    size_t length = 0;

    (void)state;
    server_start(&server, HEAD("200 OK", "application/octet-stream") "\r\n\xff\n\n");
    assert_int_equal(0, pmu_client_open(server.path, &client));
    assert_int_equal(0, pmu_client_get_bytes(client, "/debug/pprof/profile", &bytes, &length));
    assert_int_equal(3, length);
    assert_string_equal("\xff\n\n", bytes);
    assert_int_equal(200, pmu_client_status(client));
    end(&server, client);
}

static void a_refusal_of_bytes_has_the_words_of_the_exporter_too(void **state)
{
    struct answering_server server;
    struct pmu_client *client;
    char *bytes = NULL;
    size_t length = 7;

    (void)state;
    server_start(&server, HEAD("404 Not Found", "application/json") "\r\n{\"error\": \"none\"}");
    assert_int_equal(0, pmu_client_open(server.path, &client));
    assert_int_equal(-ENOENT, pmu_client_get_bytes(client, "/x", &bytes, &length));
    assert_string_equal("none", pmu_client_error(client));
    assert_int_equal(404, pmu_client_status(client));
    assert_null(bytes);
    assert_int_equal(7, length);
    end(&server, client);
}

static void a_refusal_is_an_errno_with_the_words_of_the_exporter(void **state)
{
    static const struct {
        const char *bytes;
        int error;
        const char *words;
    } cases[] = {
        {HEAD("400 Bad Request", "application/json") "\r\n{\"error\": \"no target a\"}", -EINVAL,
         "no target a"},
        {HEAD("403 Forbidden", "text/plain") "\r\nnot here\nnor there\n", -EPERM, "not here"},
        {HEAD("404 Not Found", "text/plain") "\r\n", -ENOENT,
         "refused without a reason, with status 404 of HTTP"},
        {HEAD("429 Too Many Requests", "text/plain") "\r\nslowly\n", -EBUSY, "slowly"},
        {HEAD("503 Service Unavailable", "text/plain") "\r\nnot ready\n", -EAGAIN, "not ready"},
        {HEAD("500 Internal Server Error", "text/plain") "\r\noh\n", -EREMOTEIO, "oh"},
        {HEAD("200 OK", "application/json") "\r\n{", -EPROTO, "what answered is not pmu_exporter"},
        {HEAD("200 OK", "text/plain") "\r\n\xff\n", -EPROTO, "what answered is not pmu_exporter"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct answering_server server;
        struct pmu_client *client;
        json_t *const untouched = NULL;
        json_t *value = untouched;

        assert_int_equal(cases[i].error, ask(&server, cases[i].bytes, &client, &value));
        assert_string_equal(cases[i].words, pmu_client_error(client));
        assert_ptr_equal(untouched, value);
        end(&server, client);
    }
}

static void what_is_no_http_is_not_taken_for_an_exporter(void **state)
{
    static const char *const answers[] = {
        "", "SSH-2.0-OpenSSH\r\n", "HTTP/1.1 2000 OK\r\n\r\n{}",
        HEAD("200 OK", "text/plain") "Content-Length: 9\r\n\r\na"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(answers); i++) {
        struct answering_server server;
        struct pmu_client *client;
        json_t *value = NULL;
        const int r = ask(&server, answers[i], &client, &value);

        assert_true(r == -EPROTO || r == -ECONNRESET);
        assert_string_not_equal("", pmu_client_error(client));
        end(&server, client);
    }
}

static void a_body_is_sent_as_json_and_methods_are_what_they_are_called(void **state)
{
    struct answering_server server;
    struct pmu_client *client;
    json_t *const body = json_pack("{s:s}", "text", "release 1.2");
    json_t *value = NULL;

    (void)state;
    server_start(&server, HEAD("200 OK", "application/json") "\r\n{}");
    assert_int_equal(0, pmu_client_open(server.path, &client));
    assert_int_equal(0, pmu_client_post(client, "/api/v1/marks", body, &value));
    json_decref(value);
    assert_non_null(strstr(server.request, "POST /api/v1/marks HTTP/1.1\r\n"));
    assert_non_null(strstr(server.request, "Content-Type: application/json\r\n"));
    assert_non_null(strstr(server.request, "Content-Length: 22\r\n"));
    assert_int_equal(0, pmu_client_delete(client, "/api/v1/marks/1", &value));
    json_decref(value);
    assert_non_null(strstr(server.request, "DELETE /api/v1/marks/1 HTTP/1.1\r\n"));
    assert_int_equal(0, pmu_client_get(client, "/api/v1/marks", &value));
    json_decref(value);
    assert_non_null(strstr(server.request, "GET /api/v1/marks HTTP/1.1\r\n"));
    json_decref(body);
    end(&server, client);
}

static void nobody_there_is_told_in_words(void **state)
{
    struct answering_server server;
    struct pmu_client *client;
    json_t *value = NULL;

    (void)state;
    assert_int_equal(0, pmu_client_open("/nowhere/control", &client));
    assert_int_equal(-ENOENT, pmu_client_get(client, "/", &value));
    assert_non_null(strstr(pmu_client_error(client), "there is no such socket"));
    assert_null(pmu_client_close(client));
    server_start(&server, "");
    assert_int_equal(0, pmu_client_open(server.path, &client));
    (void)shutdown(server.fd, SHUT_RDWR);
    assert_int_equal(-ECONNREFUSED, pmu_client_get(client, "/", &value));
    assert_non_null(strstr(pmu_client_error(client), "nobody listens"));
    end(&server, client);
}

static void places_and_paths_that_are_none_are_refused(void **state)
{
    struct pmu_client *client = NULL;
    json_t *value = NULL;
    char longest[200] = "/";

    (void)state;
    memset(longest + 1, 'a', sizeof(longest) - 2);
    assert_int_equal(-EINVAL, pmu_client_open("", &client));
    assert_int_equal(-EINVAL, pmu_client_open("ftp://localhost", &client));
    assert_int_equal(-ENAMETOOLONG, pmu_client_open(longest, &client));
    assert_null(client);
    assert_int_equal(0, pmu_client_open(NULL, &client));
    assert_int_equal(-EINVAL, pmu_client_get(client, "api", &value));
    assert_int_equal(-EINVAL, pmu_client_get(client, "/a b", &value));
    assert_int_equal(-EINVAL, pmu_client_get(client, "/a\r\nX: y", &value));
    assert_null(pmu_client_close(client));
    assert_null(pmu_client_close(NULL));
}

static void a_question_can_be_waited_for_beside_other_things(void **state)
{
    struct answering_server server;
    struct pmu_client *client;
    struct pollfd ready = {.events = POLLIN};
    json_t *value = NULL;
    int r;

    (void)state;
    server_start(&server, HEAD("200 OK", "application/json") "\r\n[1]");
    assert_int_equal(0, pmu_client_open(server.path, &client));
    ready.fd = pmu_client_descriptor(client);
    assert_int_equal(0, pmu_client_ask(client, "/"));
    while ((r = pmu_client_answer(client, &value)) == -EINPROGRESS)
        assert_int_equal(1, poll(&ready, 1, 25000));
    assert_int_equal(0, r);
    assert_int_equal(1, json_array_size(value));
    json_decref(value);
    end(&server, client);
}

static void a_stream_gives_its_events_and_then_its_end(void **state)
{
    struct answering_server server;
    struct pmu_client *client;
    struct pmu_event event;

    (void)state;
    server_start(&server, HEAD("200 OK", "text/event-stream") "\r\n"
                                                              "event: snapshot\nid: 7\ndata: "
                                                              "{\"a\": 1}\n\ndata: 2\n\ndata: cut");
    assert_int_equal(0, pmu_client_open(server.path, &client));
    assert_int_equal(0, pmu_client_follow(client, "/api/v1/live"));
    assert_int_equal(1, pmu_client_next(client, -1, &event));
    assert_string_equal("snapshot", event.name);
    assert_string_equal("7", event.id);
    assert_non_null(json_object_get(event.data, "a"));
    assert_int_equal(1, pmu_client_next(client, 25000, &event));
    assert_true(json_number_value(event.data) > 1.5);
    assert_int_equal(-ECONNRESET, pmu_client_next(client, -1, &event));
    assert_int_equal(0, pmu_client_follow(client, "/api/v1/live"));
    assert_int_equal(1, pmu_client_next(client, -1, &event));
    end(&server, client);
}

static void a_stream_without_news_is_waited_for_as_long_as_was_asked(void **state)
{
    struct answering_server server;
    struct pmu_client *client;
    struct pmu_event event;

    (void)state;
    server_start(&server, NULL);
    assert_int_equal(0, pmu_client_open(server.path, &client));
    assert_int_equal(0, pmu_client_follow(client, "/api/v1/live"));
    assert_int_equal(0, pmu_client_next(client, 0, &event));
    assert_int_equal(0, pmu_client_next(client, 20, &event));
    end(&server, client);
}

static void a_stream_that_is_refused_is_told_so(void **state)
{
    struct answering_server server;
    struct pmu_client *client;
    struct pmu_event event;

    (void)state;
    server_start(&server, HEAD("503 Service Unavailable",
                               "application/json") "\r\n{\"error\": \"too many follow\"}");
    assert_int_equal(0, pmu_client_open(server.path, &client));
    assert_int_equal(0, pmu_client_follow(client, "/api/v1/live"));
    assert_int_equal(-EAGAIN, pmu_client_next(client, -1, &event));
    assert_string_equal("too many follow", pmu_client_error(client));
    end(&server, client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_is_given_as_a_value_with_numbers_that_are_reals),
        cmocka_unit_test(text_is_given_as_a_string),
        cmocka_unit_test(any_answer_can_be_had_as_its_bytes),
        cmocka_unit_test(a_refusal_of_bytes_has_the_words_of_the_exporter_too),
        cmocka_unit_test(a_refusal_is_an_errno_with_the_words_of_the_exporter),
        cmocka_unit_test(what_is_no_http_is_not_taken_for_an_exporter),
        cmocka_unit_test(a_body_is_sent_as_json_and_methods_are_what_they_are_called),
        cmocka_unit_test(nobody_there_is_told_in_words),
        cmocka_unit_test(places_and_paths_that_are_none_are_refused),
        cmocka_unit_test(a_question_can_be_waited_for_beside_other_things),
        cmocka_unit_test(a_stream_gives_its_events_and_then_its_end),
        cmocka_unit_test(a_stream_without_news_is_waited_for_as_long_as_was_asked),
        cmocka_unit_test(a_stream_that_is_refused_is_told_so),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
