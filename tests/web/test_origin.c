/* SPDX-License-Identifier: Apache-2.0 */
/* Which web pages may give commands: the function alone, and requests to a server. */
#include <limits.h>

#include "web/http_client.h"
#include "web/origin.h"

static bool may_act(const char *origin, const char *fetch_site, const char *host)
{
    const struct piece pieces[] = {{origin, origin ? strlen(origin) : 0},
                                   {fetch_site, fetch_site ? strlen(fetch_site) : 0}};

    return origin_may_act(origin ? &pieces[0] : NULL, fetch_site ? &pieces[1] : NULL,
                          (struct piece){host, strlen(host)});
}

static void who_is_no_browser_may_act_under_any_name(void **state)
{
    (void)state;
    assert_true(may_act(NULL, NULL, "db1.example.com:10138"));
    assert_true(may_act(NULL, NULL, ""));
}

static void a_page_of_this_address_may_act(void **state)
{
    (void)state;
    assert_true(may_act("http://127.0.0.1:10138", "same-origin", "127.0.0.1:10138"));
    assert_true(may_act("http://127.0.0.1:10138", NULL, "127.0.0.1:10138"));
    assert_true(may_act("https://192.0.2.1", NULL, "192.0.2.1"));
    assert_true(may_act("http://[::1]:10138", NULL, "[::1]:10138"));
    assert_true(may_act("http://localhost:10138", "same-origin", "LocalHost:10138"));
    assert_true(may_act(NULL, "none", "localhost:10138"));
}

static void a_page_of_another_origin_may_not(void **state)
{
    static const char *const origins[] = {
        "null",
        "",
        "http://evil.example",
        "http://127.0.0.1",
        "http://127.0.0.1:3000",
        "http://127.0.0.1:101380",
        "http://127.0.0.1:10138/",
        "http://127.0.0.1:10138.evil.example",
        "http://evil.example/127.0.0.1:10138",
        "http://evil.example@127.0.0.1:10138",
        "file://127.0.0.1:10138",
        "127.0.0.1:10138",
        "http://localhost:10138",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(origins); i++)
        if (may_act(origins[i], NULL, "127.0.0.1:10138"))
            fail_msg("%s may act", origins[i]);
}

static void a_browser_that_tells_of_another_site_is_believed(void **state)
{
    (void)state;
    assert_false(may_act(NULL, "cross-site", "127.0.0.1:10138"));
    assert_false(may_act(NULL, "same-site", "127.0.0.1:10138"));
    assert_false(may_act(NULL, "", "127.0.0.1:10138"));
    assert_false(may_act("http://127.0.0.1:10138", "cross-site", "127.0.0.1:10138"));
    assert_false(may_act("http://evil.example", "same-origin", "127.0.0.1:10138"));
}

/* When the page was loaded, its name meant another address; now it means ours. */
static void a_name_that_others_control_is_no_origin(void **state)
{
    (void)state;
    assert_false(may_act("http://evil.example:10138", "same-origin", "evil.example:10138"));
    assert_false(may_act("http://evil.example:10138", NULL, "evil.example:10138"));
    assert_false(may_act(NULL, "same-origin", "evil.example:10138"));
    assert_false(may_act("http://localhost.evil.example", NULL, "localhost.evil.example"));
    assert_false(may_act("http://127.0.0.1.evil.example", NULL, "127.0.0.1.evil.example"));
    assert_false(may_act("http://[evil.example]", NULL, "[evil.example]"));
    assert_false(may_act("http://", NULL, ""));
}

static void the_name_of_this_machine_is_its_own(void **state)
{
    char own[HOST_NAME_MAX + 1] = "", host[HOST_NAME_MAX + 32], origin[HOST_NAME_MAX + 64];

    (void)state;
    assert_int_equal(0, gethostname(own, sizeof(own) - 1));
    (void)snprintf(host, sizeof(host), "%s:10138", own);
    (void)snprintf(origin, sizeof(origin), "http://%s", host);
    assert_true(may_act(origin, NULL, host));
    (void)snprintf(host, sizeof(host), "%s.evil.example:10138", own);
    (void)snprintf(origin, sizeof(origin), "http://%s", host);
    assert_false(may_act(origin, NULL, host));
}

/* A server on which anybody may reload; the test takes the requests. */
struct controlled {
    struct fixture fixture;
    struct control_slot *slot;
};

static int set_up(void **state)
{
    static struct controlled c;
    const struct route_table table = usual_table(&c.fixture.page);
    const char *const address = "127.0.0.1:0";
    const char *failed;

    c.fixture.page.version = 1;
    *state = &c;
    if (control_slot_new(&c.slot) < 0 ||
        http_server_new(&address, 1, &table, &usual_limits, &c.fixture.server, &failed) < 0 ||
        http_server_control(c.fixture.server, c.slot, true) < 0)
        return -1;
    c.fixture.port = http_server_port(c.fixture.server, 0);
    return http_server_start(c.fixture.server);
}

static int tear_down(void **state)
{
    struct controlled *const c = *state;

    fixture_down(&c->fixture);
    c->slot = control_slot_free(c->slot);
    return 0;
}

/* Gives each command with these headers. */
static void expect_foreign(const struct controlled *c, const char *headers)
{
    static const char *const lines[] = {"POST /-/reload", "PUT /-/reload",
                                        "POST /-/pause?duration=1m", "PUT /-/pause?duration=off"};

    for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
        AUTO_CLOSE int fd = connect_to(c->fixture.port);
        struct control_request request;
        struct reply reply;
        char text[512];

        (void)snprintf(text, sizeof(text), "%s HTTP/1.1\r\n%s\r\n", lines[i], headers);
        send_text(fd, text);
        reply = read_reply(fd, true);
        if (reply.status != 403 || !strstr(reply.body, "web page"))
            fail_msg("%d for %s", reply.status, text);
        assert_true(header_is(&reply, "Connection", "close"));
        reply_done(&reply);
        assert_false(control_slot_take(c->slot, &request));
    }
}

static void requests_of_other_pages_are_403_and_nobody_is_asked(void **state)
{
    expect_foreign(*state, "Host: 127.0.0.1\r\nOrigin: http://evil.example\r\n");
    expect_foreign(*state, "Host: 127.0.0.1\r\norigin: null\r\n");
    expect_foreign(*state, "Host: 127.0.0.1\r\nSec-Fetch-Site: cross-site\r\n");
    expect_foreign(*state, "Host: 127.0.0.1\r\nOrigin: http://127.0.0.1\r\n"
                           "Origin: http://evil.example\r\n");
    expect_foreign(*state, "Host: evil.example\r\nOrigin: http://evil.example\r\n"
                           "Sec-Fetch-Site: same-origin\r\n");
}

static void expect_taken(const struct controlled *c, const char *text)
{
    AUTO_CLOSE int fd = connect_to(c->fixture.port);
    AUTO_TEXT struct text done = {0};
    struct control_request request;
    bool taken = false;

    send_text(fd, text);
    for (unsigned ms = 0; ms < PATIENCE_MS && !taken; ms += 10) {
        taken = control_slot_take(c->slot, &request);
        pause_ms(10);
    }
    assert_true(taken);
    text_append_string(&done, "done\n");
    control_slot_answer(c->slot, true, &done);
    assert_int_equal(200, status_of(fd, ""));
}

static void requests_of_nobody_and_of_this_address_are_carried_out(void **state)
{
    expect_taken(*state, "POST /-/reload HTTP/1.1\r\nHost: db1.example.com\r\n\r\n");
    expect_taken(*state, "POST /-/reload HTTP/1.1\r\nHost: 127.0.0.1 \r\n"
                         "Origin: http://127.0.0.1\r\nSec-Fetch-Site: same-origin\r\n\r\n");
    /* The target overrules the Host header. */
    expect_taken(*state, "POST http://localhost/-/reload HTTP/1.1\r\nHost: evil.example\r\n"
                         "Origin: http://localhost\r\n\r\n");
}

static void what_is_only_shown_is_for_every_page(void **state)
{
    const struct controlled *const c = *state;
    AUTO_CLOSE int fd = connect_to(c->fixture.port);

    assert_int_equal(200, status_of(fd, "GET /metrics HTTP/1.1\r\nHost: a.example\r\n"
                                        "Origin: http://b.example\r\n\r\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_is_no_browser_may_act_under_any_name),
        cmocka_unit_test(a_page_of_this_address_may_act),
        cmocka_unit_test(a_page_of_another_origin_may_not),
        cmocka_unit_test(a_browser_that_tells_of_another_site_is_believed),
        cmocka_unit_test(a_name_that_others_control_is_no_origin),
        cmocka_unit_test(the_name_of_this_machine_is_its_own),
        cmocka_unit_test(requests_of_other_pages_are_403_and_nobody_is_asked),
        cmocka_unit_test(requests_of_nobody_and_of_this_address_are_carried_out),
        cmocka_unit_test(what_is_only_shown_is_for_every_page),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
