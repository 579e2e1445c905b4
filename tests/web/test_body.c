/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies as clients see them: they are made once for a version, do not change, and are few. */
#include <unistd.h>

#include "support/resident.h"
#include "sys/memory.h"
#include "web/body.h"
#include "web/http_client.h"

#define LARGE ((size_t)5 * 1000 * 1000)

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

/* Returns a client that has asked and has begun to get its answer, but does not read it. */
static int start_reading_slowly(const struct fixture *fixture)
{
    const int fd = connect_slowly_to(fixture->port);
    char byte;

    send_text(fd, GET_METRICS);
    assert_int_equal(1, recv(fd, &byte, 1, MSG_PEEK));
    return fd;
}

/* Reads what a slow reader gets, and tells whether that is the whole body of this version. */
static bool reads_whole_version(int fd, unsigned version)
{
    struct reply reply = read_reply(fd, true);
    unsigned shown = 0;
    bool whole;

    whole = reply.status == 200 && reply.length == LARGE &&
            sscanf(reply.body, "version %u\n", &shown) == 1 && shown == version &&
            strspn(strchr(reply.body, '\n') + 1, ".") == LARGE - strlen("version N\n");
    reply_done(&reply);
    return whole;
}

static int render_nothing(void *context, const struct route_request *request, size_t form,
                          struct text *text)
{
    (void)context, (void)request, (void)form, (void)text;
    return 0;
}

static void a_version_is_made_once(void **state)
{
    struct fixture *const fixture = *state;

    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(200, scrape(fixture->port));
    assert_int_equal(1, fixture->page.n_renders);
}

static void a_new_version_is_made_at_its_first_scrape(void **state)
{
    struct fixture *const fixture = *state;
    AUTO_CLOSE int fd = connect_to(fixture->port);

    for (unsigned version = 1; version <= 20; version++) {
        char expected[32];
        struct reply reply;

        fixture->page.version = version;
        (void)snprintf(expected, sizeof(expected), "version %u\n", version);
        for (unsigned i = 0; i < 3; i++) {
            send_text(fd, GET_METRICS);
            reply = read_reply(fd, true);
            assert_string_equal(expected, reply.body);
            reply_done(&reply);
        }
        assert_int_equal(version, fixture->page.n_renders);
    }
}

static void version_0_is_made_for_each_request(void **state)
{
    struct fixture *const fixture = *state;

    fixture->page.version = 0;
    for (unsigned i = 0; i < 2 * BODIES; i++)
        assert_int_equal(200, scrape(fixture->port));
    assert_int_equal(2 * BODIES, fixture->page.n_renders);
}

static void an_empty_text_is_an_empty_body(void **state)
{
    static const struct route empty = {
        .path = "/metrics", .content_type = CONTENT_PLAIN_TEXT, .render = render_nothing};
    const struct route_table table = {&empty, 1, NULL};
    const char *const address = "127.0.0.1:0";
    struct fixture other = {0};
    const char *failed;

    (void)state;
    assert_int_equal(0,
                     http_server_new(&address, 1, &table, &usual_limits, &other.server, &failed));
    assert_int_equal(0, http_server_start(other.server));
    assert_int_equal(200, scrape(http_server_port(other.server, 0)));
    fixture_down(&other);
}

static int status_of_arguments(const struct fixture *fixture, const char *query)
{
    AUTO_CLOSE int fd = connect_to(fixture->port);
    char request[128];

    (void)snprintf(request, sizeof(request), "GET /arguments%s HTTP/1.1\r\nHost: test\r\n\r\n",
                   query);
    return status_of(fd, request);
}

static void a_page_is_shared_by_requests_without_arguments_only(void **state)
{
    struct fixture *const fixture = *state;

    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(200, status_of_arguments(fixture, ""));
        assert_int_equal(200, status_of_arguments(fixture, "?"));
    }
    assert_int_equal(1, fixture->page.n_renders);
    for (unsigned i = 0; i < 2 * BODIES; i++)
        assert_int_equal(200, status_of_arguments(fixture, "?a=1"));
    assert_int_equal(1 + 2 * BODIES, fixture->page.n_renders);
    assert_int_equal(200, status_of_arguments(fixture, "")); /* It is still kept. */
    assert_int_equal(1 + 2 * BODIES, fixture->page.n_renders);
}

static void readers_of_one_page_are_not_in_the_way_of_another(void **state)
{
    struct fixture *const fixture = *state;
    int slow[BODIES];

    fixture->page.size = LARGE;
    for (unsigned i = 0; i < ARRAY_SIZE(slow); i++) {
        fixture->page.version = i + 1;
        slow[i] = start_reading_slowly(fixture);
    }
    for (unsigned i = 0; i < 2 * BODIES; i++)
        assert_int_equal(200, status_of_arguments(fixture, "?a=1"));
    for (unsigned i = 0; i < ARRAY_SIZE(slow); i++)
        (void)close(slow[i]);
}

static void a_body_does_not_change_while_it_is_read(void **state)
{
    struct fixture *const fixture = *state;
    int slow[2];

    fixture->page.size = LARGE;
    for (unsigned i = 0; i < 2; i++) {
        fixture->page.version = i + 1;
        slow[i] = start_reading_slowly(fixture);
    }
    fixture->page.version = 3;
    assert_int_equal(200, scrape(fixture->port));
    for (unsigned i = 0; i < 2; i++) {
        assert_true(reads_whole_version(slow[i], i + 1));
        (void)close(slow[i]);
    }
}

static void slow_readers_of_many_versions_lose_the_oldest(void **state)
{
    struct fixture *const fixture = *state;
    AUTO_CLOSE int done = connect_to(fixture->port), other = connect_to(fixture->port);
    int slow[BODIES + 2];

    fixture->page.size = LARGE;
    assert_int_equal(200, status_of(done, GET_METRICS));
    for (unsigned i = 0; i < ARRAY_SIZE(slow); i++) {
        fixture->page.version = i + 1;
        slow[i] = start_reading_slowly(fixture);
        let_server_turn(other); /* A connection that was cut is closed in the server's next turn. */
    }
    for (unsigned i = 0; i < ARRAY_SIZE(slow); i++) {
        const bool cut = i + BODIES <= ARRAY_SIZE(slow);

        assert_int_equal(!cut, reads_whole_version(slow[i], i + 1));
        (void)close(slow[i]);
    }
    assert_int_equal(200, status_of(done, GET_METRICS)); /* It is reading none of them. */
}

static void a_hundred_slow_readers_share_one_body(void **state)
{
    struct fixture *const fixture = *state;
    size_t before, after;
    int slow[100];

    fixture->page.size = LARGE;
    assert_int_equal(200, scrape(fixture->port));
    before = resident_bytes();
    for (size_t i = 0; i < ARRAY_SIZE(slow); i++)
        slow[i] = start_reading_slowly(fixture);
    after = resident_bytes();
    assert_int_equal(1, fixture->page.n_renders);
    assert_true(after < before + 10 * 1024 * 1024);
    assert_true(reads_whole_version(slow[99], 1));
    for (size_t i = 0; i < ARRAY_SIZE(slow); i++)
        (void)close(slow[i]);
    assert_int_equal(200, scrape(fixture->port));
}

/* Two versions of a large page are read at one time; then the page is small. */
static void what_a_large_page_took_is_given_back(void **state)
{
    struct fixture *const fixture = *state;
    AUTO_CLOSE int other = connect_to(fixture->port);
    size_t before;
    int slow;

    if (IS_SANITIZED) {
        print_message("skipped: the sanitizer keeps what is freed\n");
        skip();
    }
    assert_int_equal(200, scrape(fixture->port));
    before = resident_bytes();
    fixture->page.size = LARGE;
    fixture->page.version++;
    slow = start_reading_slowly(fixture);
    fixture->page.version++;
    assert_int_equal(200, scrape(fixture->port));
    assert_true(resident_bytes() > before + LARGE);
    (void)close(slow);
    fixture->page.size = 1000;
    for (int i = 0; i < 3; i++) {
        fixture->page.version++;
        assert_int_equal(200, scrape(fixture->port));
        let_server_turn(other);
    }
    assert_true(resident_bytes() < before + LARGE / 2);
}

static void a_reset_in_mid_body_harms_nobody(void **state)
{
    const struct linger reset = {1, 0};
    struct fixture *const fixture = *state;

    fixture->page.size = LARGE;
    for (unsigned i = 0; i < 20; i++) {
        const int fd = start_reading_slowly(fixture);

        (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
        (void)close(fd);
    }
    fixture->page.version = 2;
    assert_int_equal(200, scrape(fixture->port));
    assert_int_equal(2, fixture->page.n_renders);
}

static void a_failed_rendering_is_tried_again(void **state)
{
    struct fixture *const fixture = *state;

    fixture->page.error = -EIO;
    for (unsigned i = 0; i < 2 * BODIES; i++)
        assert_int_equal(500, scrape(fixture->port));
    fixture->page.error = 0;
    assert_int_equal(200, scrape(fixture->port));
    assert_int_equal(2 * BODIES + 1, fixture->page.n_renders);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_version_is_made_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_new_version_is_made_at_its_first_scrape, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(version_0_is_made_for_each_request, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_empty_text_is_an_empty_body, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_page_is_shared_by_requests_without_arguments_only, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(readers_of_one_page_are_not_in_the_way_of_another, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_body_does_not_change_while_it_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(slow_readers_of_many_versions_lose_the_oldest, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_hundred_slow_readers_share_one_body, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_a_large_page_took_is_given_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_reset_in_mid_body_harms_nobody, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_failed_rendering_is_tried_again, set_up, tear_down),
    };

    memory_settle(); /* Freed memory goes back to the kernel, as in the service. */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
