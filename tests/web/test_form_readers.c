/* SPDX-License-Identifier: Apache-2.0 */
/* Slow readers of all forms and encodings: what they keep is bounded, and the others are served. */
#include <unistd.h>

#include "support/resident.h"
#include "sys/memory.h"
#include "web/body.h"
#include "web/forms.h"

#define LARGE     ((size_t)4 * 1000 * 1000)
#define MEGABYTES ((size_t)1024 * 1024)

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

static void expect_resident_below(size_t bytes)
{
    assert_true(resident_bytes() < bytes || IS_SANITIZED);
}

/* A client that has asked and has begun to get its answer, but does not read it. */
static int read_slowly(const struct fixture *fixture, size_t form, bool gzip)
{
    const int fd = connect_slowly_to(fixture->port);
    char request[256], byte;

    (void)snprintf(request, sizeof(request),
                   "GET /metrics HTTP/1.1\r\nHost: test\r\nAccept: %s\r\n%s\r\n", accepts[form],
                   gzip ? "Accept-Encoding: gzip\r\n" : "");
    send_text(fd, request);
    assert_int_equal(1, recv(fd, &byte, 1, MSG_PEEK));
    return fd;
}

static void a_hundred_readers_of_all_forms_share_one_body_of_each(void **state)
{
    struct fixture *const fixture = *state;
    int slow[100];
    size_t before;

    fixture->page.size = LARGE;
    before = resident_bytes();
    for (size_t i = 0; i < ARRAY_SIZE(slow); i++)
        slow[i] = read_slowly(fixture, i % 3, i % 2 == 0);
    assert_int_equal(3, fixture->page.n_renders);
    expect_resident_below(before + 3 * LARGE + 12 * MEGABYTES);
    for (size_t i = 0; i < ARRAY_SIZE(slow); i++)
        (void)close(slow[i]);
}

static void readers_of_many_versions_keep_a_bounded_number_of_bodies(void **state)
{
    struct fixture *const fixture = *state;
    AUTO_CLOSE int other = connect_to(fixture->port);
    int slow[102];
    size_t before;

    fixture->page.size = LARGE;
    before = resident_bytes();
    for (size_t i = 0; i < ARRAY_SIZE(slow); i++) {
        fixture->page.version = 1 + i / 3;
        slow[i] = read_slowly(fixture, i % 3, false);
        let_server_turn(other); /* A connection that was cut is closed in the server's next turn. */
    }
    expect_resident_below(before + MOST_BODIES * LARGE + 12 * MEGABYTES);
    for (size_t form = 0; form < 3; form++) {
        struct reply reply = {0};
        char header[128];

        (void)snprintf(header, sizeof(header), "Accept: %s\r\n", accepts[form]);
        reply = ask_for(fixture, "/metrics", header);
        assert_int_equal(200, reply.status);
        assert_int_equal(LARGE, reply.length);
        assert_int_equal('0' + (int)form, reply.body[5]);
        reply_done(&reply);
    }
    for (size_t i = 0; i < ARRAY_SIZE(slow); i++)
        (void)close(slow[i]);
}

/* Three forms of a version are read slowly, while the next version is there for all. */
static void readers_of_one_version_do_not_cut_each_other(void **state)
{
    struct fixture *const fixture = *state;
    int slow[3];

    fixture->page.size = LARGE;
    for (size_t form = 0; form < 3; form++)
        slow[form] = read_slowly(fixture, form, false);
    fixture->page.version = 2;
    for (size_t form = 0; form < 2; form++) {
        char header[128];
        struct reply reply;

        (void)snprintf(header, sizeof(header), "Accept: %s\r\n", accepts[form]);
        reply = ask_for(fixture, "/metrics", header);
        assert_int_equal(LARGE, reply.length);
        reply_done(&reply);
    }
    for (size_t form = 0; form < 3; form++) {
        struct reply reply = read_reply(slow[form], true);

        assert_int_equal(LARGE, reply.length);
        assert_int_equal('0' + (int)form, reply.body[5]);
        assert_memory_equal("version 1\n", reply.body + strlen("form N\n"), 10);
        reply_done(&reply);
        (void)close(slow[form]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_hundred_readers_of_all_forms_share_one_body_of_each,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(readers_of_many_versions_keep_a_bounded_number_of_bodies,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(readers_of_one_version_do_not_cut_each_other, set_up,
                                        tear_down),
    };

    memory_settle(); /* Freed memory goes back to the kernel, as in the service. */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
