/* SPDX-License-Identifier: Apache-2.0 */
/* Server-sent events: each client gets what it has not had, and none can hold the others up. */
#include "web/asking.h"

#define GET_LIVE "GET /live" LINE "\r\n"

static void tell(struct asking *asking, uint64_t number)
{
    (void)pthread_mutex_lock(&asking->mutex);
    asking->number = number;
    (void)pthread_mutex_unlock(&asking->mutex);
    http_server_news(asking->fixture.server);
}

/* Reads until the words have come, and fails if they do not. */
static void expect_words(int fd, const char *words)
{
    AUTO_TEXT struct text all = {0};
    char byte;

    while (recv(fd, &byte, 1, 0) == 1) {
        text_append_char(&all, byte);
        if (all.length >= strlen(words) &&
            memcmp(all.data + all.length - strlen(words), words, strlen(words)) == 0)
            return;
    }
    fail_msg("%s has not come, but %.*s", words, (int)all.length, all.data);
}

/* The same for large events: reads in blocks, and what comes in the same block is lost. */
static void expect_words_in_blocks(int fd, const char *words)
{
    static char block[65536];
    size_t kept = 0;
    ssize_t n;

    while ((n = recv(fd, block + kept, sizeof(block) - kept, 0)) > 0) {
        const size_t length = kept + (size_t)n;

        if (memmem(block, length, words, strlen(words)))
            return;
        kept = length < strlen(words) ? length : strlen(words);
        memmove(block, block + length - kept, kept);
    }
    fail_msg("%s has not come", words);
}

static int follow(const struct asking *asking)
{
    const int fd = connect_to(asking->fixture.port);
    struct reply reply = {0};

    send_text(fd, GET_LIVE);
    read_head(fd, &reply);
    assert_int_equal(200, reply.status);
    assert_true(header_is(&reply, "Content-Type", "text/event-stream"));
    assert_true(header_is(&reply, "Cache-Control", "no-store"));
    return fd;
}

static void each_client_gets_each_event_once(void **state)
{
    struct asking *const asking = *state;
    int fds[5];

    for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
        fds[i] = follow(asking);
    for (unsigned number = 1; number <= 20; number++) {
        tell(asking, number);
        for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
            char words[32];

            (void)snprintf(words, sizeof(words), "id: %u\ndata: \n\n", number);
            expect_words(fds[i], words);
        }
    }
    for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
        (void)close(fds[i]);
    assert_int_equal(200, scrape(asking->fixture.port));
}

static void a_new_client_gets_what_stands_at_once(void **state)
{
    struct asking *const asking = *state;
    AUTO_CLOSE int fd = connect_to(asking->fixture.port);

    tell(asking, 7);
    send_text(fd, "GET /live/some%20rest" LINE "\r\n");
    expect_words(fd, "id: 7\ndata: some rest\n\n");
    tell(asking, 8);
    expect_words(fd, "id: 8\ndata: some rest\n\n");
}

static void news_without_an_event_send_nothing(void **state)
{
    struct asking *const asking = *state;
    AUTO_CLOSE int fd = follow(asking);
    char byte;

    tell(asking, 1);
    expect_words(fd, "id: 1\ndata: \n\n\r\n");
    for (unsigned i = 0; i < 10; i++) {
        tell(asking, 1);
        assert_int_equal(200, scrape(asking->fixture.port));
    }
    assert_int_equal(-1, recv(fd, &byte, 1, MSG_DONTWAIT));
}

static void what_all_get_is_written_once(void **state)
{
    struct asking *const asking = *state;
    int fds[10];

    for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
        fds[i] = follow(asking);
        expect_words(fds[i], ":\n\n\r\n"); /* The first comment: it waits for events now. */
    }
    assert_int_equal(200, scrape(asking->fixture.port));
    tell(asking, 1);
    for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
        expect_words(fds[i], "id: 1\ndata: \n\n");
        (void)close(fds[i]);
    }
    assert_in_range(asking->n_events, 1, 2);
}

static void a_stream_that_cannot_begin_is_refused_and_one_that_cannot_go_on_ends(void **state)
{
    struct asking *const asking = *state;
    AUTO_CLOSE int fd = follow(asking);
    AUTO_CLOSE int other = connect_to(asking->fixture.port);

    expect_words(fd, ":\n\n\r\n");
    (void)pthread_mutex_lock(&asking->mutex);
    asking->stream_error = -EAGAIN;
    (void)pthread_mutex_unlock(&asking->mutex);
    http_server_news(asking->fixture.server);
    expect_words(fd, "0\r\n\r\n"); /* the last chunk */
    expect(other, GET_LIVE, 503, "no stream\n");
    assert_int_equal(200, status_of(other, GET_METRICS));
}

static void clients_that_leave_make_room_for_others(void **state)
{
    static const struct server_limits few = {40, 40, 8, 30, 120, 12};
    const unsigned most = 40 / 4 + 1;
    struct asking asking;
    int fds[11], fd, status = 503;

    (void)state;
    asking_up_as(&asking, &few, true);
    for (unsigned i = 0; i < most; i++)
        fds[i] = follow(&asking);
    fd = connect_to(asking.fixture.port);
    assert_int_equal(503, status_of(fd, GET_LIVE));
    for (unsigned i = 0; i < most; i++)
        (void)close(fds[i]);
    for (unsigned i = 0; status == 503 && i < PATIENCE_MS / 10; i++) {
        status = status_of(fd, GET_LIVE);
        pause_ms(10);
    }
    assert_int_equal(200, status);
    (void)close(fd);
    asking_down(&asking);
}

static void a_comment_keeps_a_silent_stream_alive(void **state)
{
    static const struct server_limits impatient = {512, 128, 8, 2, 120, 12};
    struct asking asking;
    int fd;

    (void)state;
    asking_up_as(&asking, &impatient, true);
    fd = follow(&asking);
    for (unsigned i = 0; i < 4; i++) /* That is longer than a response may take. */
        expect_words(fd, ":\n\n\r\n");
    tell(&asking, 1);
    expect_words(fd, "id: 1\ndata: \n\n");
    (void)close(fd);
    asking_down(&asking);
}

static void one_that_does_not_read_is_cut_and_the_others_go_on(void **state)
{
    static const struct server_limits impatient = {512, 128, 8, 2, 120, 12};
    struct asking asking;
    struct http_status status = {0};
    int slow, quick;

    (void)state;
    asking_up_as(&asking, &impatient, true);
    asking.event_size = (size_t)8 * 1024 * 1024;
    slow = connect_slowly_to(asking.fixture.port);
    send_text(slow, GET_LIVE);
    quick = follow(&asking);
    for (unsigned number = 1; status.closed[HTTP_CLOSED_SLOW] == 0; number++) {
        char words[32];

        tell(&asking, number);
        (void)snprintf(words, sizeof(words), "id: %u\n", number);
        expect_words_in_blocks(quick, words);
        http_server_status(asking.fixture.server, &status);
    }
    assert_in_range(ms_until_closed(slow), 0, PATIENCE_MS);
    tell(&asking, 1000000);
    expect_words_in_blocks(quick, "id: 1000000\n");
    (void)close(slow);
    (void)close(quick);
    asking_down(&asking);
}

static void the_end_waits_for_no_stream(void **state)
{
    struct asking asking;
    uint64_t begin_ns;
    int fds[3];

    (void)state;
    asking_up(&asking);
    for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
        fds[i] = follow(&asking);
    tell(&asking, 1);
    begin_ns = clock_monotonic_ns();
    asking_down(&asking);
    assert_in_range((clock_monotonic_ns() - begin_ns) / 1000000, 0, BEFORE_ANY_DEADLINE_MS);
    for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
        (void)close(fds[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_client_gets_each_event_once, asking_set_up,
                                        asking_tear_down),
        cmocka_unit_test_setup_teardown(a_new_client_gets_what_stands_at_once, asking_set_up,
                                        asking_tear_down),
        cmocka_unit_test_setup_teardown(news_without_an_event_send_nothing, asking_set_up,
                                        asking_tear_down),
        cmocka_unit_test_setup_teardown(what_all_get_is_written_once, asking_set_up,
                                        asking_tear_down),
        cmocka_unit_test_setup_teardown(
            a_stream_that_cannot_begin_is_refused_and_one_that_cannot_go_on_ends, asking_set_up,
            asking_tear_down),
        cmocka_unit_test(clients_that_leave_make_room_for_others),
        cmocka_unit_test(a_comment_keeps_a_silent_stream_alive),
        cmocka_unit_test(one_that_does_not_read_is_cut_and_the_others_go_on),
        cmocka_unit_test(the_end_waits_for_no_stream),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
