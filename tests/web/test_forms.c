/* SPDX-License-Identifier: Apache-2.0 */
/* Pages in the form, and in the encoding, that the client asks for. */
#include "web/forms.h"

#define PROMETHEUS_2_42                                                                            \
    "Accept: application/openmetrics-text;version=1.0.0,application/openmetrics-text;"             \
    "version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1\r\n"                            \
    "Accept-Encoding: gzip\r\n"
#define PROMETHEUS_3_14                                                                            \
    "Accept: application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/"   \
    "openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,"    \
    "text/plain;version=0.0.4;q=0.3,*/*;q=0.2\r\n"                                                 \
    "Accept-Encoding: gzip\r\n"
#define GZIP "Accept-Encoding: gzip\r\n"

static int set_up(void **state)
{
    static struct fixture fixture;

    forms_up(&fixture);
    *state = &fixture;
    return 0;
}

static int tear_down(void **state)
{
    fixture_down(*state);
    return 0;
}

static void each_client_gets_its_form_with_its_type(void **state)
{
    static const struct {
        const char *headers;
        const char *begin;
        const char *type;
        bool gzip;
    } cases[] = {
        {"", "form 0\n", "text/plain; version=0.0.4; charset=utf-8", false},
        {"Accept: */*\r\n", "form 0\n", "text/plain; version=0.0.4; charset=utf-8", false},
        {PROMETHEUS_2_42, "form 1\n", "application/openmetrics-text; version=1.0.0; charset=utf-8",
         true},
        {PROMETHEUS_3_14, "form 1\n",
         "application/openmetrics-text; version=1.0.0; charset=utf-8; escaping=allow-utf-8", true},
        {"Accept: application/openmetrics-text;version=0.0.1;escaping=dots\r\n", "form 2\n",
         "application/openmetrics-text; version=0.0.1; charset=utf-8", false},
    };
    const struct fixture *const fixture = *state;

    for (size_t i = 0; i < 3 * ARRAY_SIZE(cases); i++) {
        const size_t n = i % ARRAY_SIZE(cases);
        struct reply reply = ask_for(fixture, "/metrics", cases[n].headers);

        assert_int_equal(200, reply.status);
        assert_true(header_is(&reply, "Content-Type", cases[n].type));
        assert_true(header_is(&reply, "Vary", "Accept, Accept-Encoding"));
        assert_true(header_is(&reply, "X-Content-Type-Options", "nosniff"));
        if (cases[n].gzip)
            decompress(&reply);
        else
            assert_null(header_of(&reply, "Content-Encoding"));
        assert_int_equal(5000, reply.length);
        assert_memory_equal(cases[n].begin, reply.body, strlen(cases[n].begin));
        reply_done(&reply);
    }
}

static void each_form_of_a_version_is_written_once(void **state)
{
    struct fixture *const fixture = *state;
    AUTO_CLOSE int fd = connect_to(fixture->port);

    for (unsigned version = 1; version <= 5; version++) {
        fixture->page.version = version;
        for (unsigned i = 0; i < 4; i++) {
            struct reply plain = ask_on(fd, "GET", "/metrics", "");
            struct reply new = ask_on(fd, "GET", "/metrics", PROMETHEUS_3_14);
            struct reply old = ask_on(fd, "GET", "/metrics", PROMETHEUS_2_42);

            assert_int_equal(new.length, old.length);
            assert_memory_equal(new.body, old.body, new.length);
            decompress(&old);
            assert_memory_equal("form 1\nversion ", old.body, strlen("form 1\nversion "));
            assert_int_equal('0' + version, old.body[strlen("form 1\nversion ")]);
            reply_done(&plain);
            reply_done(&new);
            reply_done(&old);
        }
        assert_int_equal(2 * version, fixture->page.n_renders);
    }
}

static void arguments_and_forms_go_together(void **state)
{
    struct reply reply = ask_for(*state, "/metrics?name[]=a", PROMETHEUS_2_42);

    assert_int_equal(200, reply.status);
    decompress(&reply);
    assert_memory_equal("form 1\n", reply.body, 7);
    reply_done(&reply);
}

static void head_has_the_headers_of_the_form_and_encoding(void **state)
{
    const struct fixture *const fixture = *state;
    AUTO_CLOSE int fd = connect_to(fixture->port);
    struct reply head = ask_on(fd, "HEAD", "/metrics", PROMETHEUS_3_14);
    struct reply reply = ask_on(fd, "GET", "/metrics", PROMETHEUS_3_14);
    char length[32];

    (void)snprintf(length, sizeof(length), "%zu", reply.length);
    assert_int_equal(200, head.status);
    assert_true(header_is(&head, "Content-Length", length));
    assert_true(header_is(&head, "Content-Encoding", "gzip"));
    assert_true(header_is(
        &head, "Content-Type",
        "application/openmetrics-text; version=1.0.0; charset=utf-8; escaping=allow-utf-8"));
    assert_null(header_of(&head, "Connection"));
    reply_done(&head);
    reply_done(&reply);
}

static void a_short_text_is_not_compressed(void **state)
{
    struct fixture *const fixture = *state;
    struct reply reply = ask_for(fixture, "/-/healthy", GZIP);

    assert_null(header_of(&reply, "Content-Encoding"));
    assert_string_equal("fixed\n", reply.body);
    reply_done(&reply);
}

static void what_never_changes_is_not_sent_twice(void **state)
{
    const struct fixture *const fixture = *state;
    AUTO_CLOSE int fd = connect_to(fixture->port);
    struct reply plain = ask_on(fd, "GET", "/main.js", "");
    struct reply gzip = ask_on(fd, "GET", "/main.js", GZIP);
    static const char *const known[] = {"", "", "W/", "\"x\", ", "*"};
    char etags[2][64], headers[256];

    assert_int_equal(1, sscanf(header_of(&plain, "ETag"), "%63s", etags[0]));
    assert_int_equal(1, sscanf(header_of(&gzip, "ETag"), "%63s", etags[1]));
    assert_string_not_equal(etags[0], etags[1]); /* They are not the same bytes. */
    assert_true(header_is(&plain, "Cache-Control", "no-cache"));
    decompress(&gzip);
    assert_string_equal(plain.body, gzip.body);
    reply_done(&plain);
    reply_done(&gzip);
    for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
        struct reply reply;

        (void)snprintf(headers, sizeof(headers), "If-None-Match: %s%s\r\n", known[i],
                       strcmp(known[i], "*") == 0 ? "" : etags[i % 2]);
        reply = ask_on(fd, "GET", "/main.js", headers);
        assert_int_equal(304, reply.status);
        assert_int_equal(0, reply.length);
        assert_non_null(header_of(&reply, "ETag"));
        reply_done(&reply);
    }
    plain = ask_on(fd, "GET", "/main.js", "If-None-Match: \"0123456789abcdef\"\r\n");
    assert_int_equal(200, plain.status);
    reply_done(&plain);
}

static void what_changes_has_no_etag(void **state)
{
    struct reply reply = ask_for(*state, "/metrics", "If-None-Match: *\r\n");

    assert_int_equal(200, reply.status);
    assert_null(header_of(&reply, "ETag"));
    reply_done(&reply);
}

static void deferred_answers_are_compressed_too(void **state)
{
    struct reply plain = ask_for(*state, "/api/history", "");
    struct reply gzip = ask_for(*state, "/api/history", GZIP);

    assert_true(gzip.length < plain.length);
    assert_true(header_is(&plain, "Vary", "Accept-Encoding"));
    assert_true(header_is(&gzip, "Vary", "Accept-Encoding"));
    assert_true(header_is(&gzip, "Content-Type", "application/json"));
    decompress(&gzip);
    assert_string_equal(plain.body, gzip.body);
    reply_done(&plain);
    reply_done(&gzip);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_client_gets_its_form_with_its_type, set_up, tear_down),
        cmocka_unit_test_setup_teardown(each_form_of_a_version_is_written_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(arguments_and_forms_go_together, set_up, tear_down),
        cmocka_unit_test_setup_teardown(head_has_the_headers_of_the_form_and_encoding, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_short_text_is_not_compressed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_never_changes_is_not_sent_twice, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_changes_has_no_etag, set_up, tear_down),
        cmocka_unit_test_setup_teardown(deferred_answers_are_compressed_too, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
