/* SPDX-License-Identifier: Apache-2.0 */
/* Answers that another thread gives later, never, or after the end of the server. */
#include "web/asking.h"

#define GET_HELD "GET /api/held" LINE "\r\n"

static void others_are_served_while_one_waits(void **state)
{
    struct asking *const asking = *state;
    AUTO_CLOSE int fd = connect_to(asking->fixture.port);
    struct deferred *answer;

    send_text(fd, GET_HELD);
    answer = take_question(asking, 0);
    for (unsigned i = 0; i < 10; i++)
        assert_int_equal(200, scrape(asking->fixture.port));
    answer_with(answer, "late and right");
    expect_reply(fd, 200, "late and right");
    expect(fd, "GET /metrics" LINE "\r\n", 200, "fixed\n"); /* The connection stays open. */
}

static void answers_may_come_in_any_order(void **state)
{
    struct asking *const asking = *state;
    int fds[10];
    char words[32];

    for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
        fds[i] = connect_to(asking->fixture.port);
        send_text(fds[i], GET_HELD);
        (void)take_question(asking, i); /* One after the other: so their order is known. */
    }
    for (size_t i = ARRAY_SIZE(fds); i-- > 0;) {
        (void)snprintf(words, sizeof(words), "answer %zu", i);
        answer_with(asking->held[i], words);
    }
    for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
        (void)snprintf(words, sizeof(words), "answer %zu", i);
        expect_reply(fds[i], 200, words);
        (void)close(fds[i]);
    }
}

static void *answer_all(void *context)
{
    struct asking *const asking = context;

    for (size_t i = 0; i < 100; i++)
        answer_with(take_question(asking, i), "quick");
    return NULL;
}

/* The answer often comes before the server has suspended the connection. */
static void an_answer_may_be_quicker_than_the_server(void **state)
{
    struct asking *const asking = *state;
    AUTO_CLOSE int fd = connect_to(asking->fixture.port);
    pthread_t thread;

    assert_int_equal(0, pthread_create(&thread, NULL, answer_all, asking));
    for (unsigned i = 0; i < 100; i++)
        expect(fd, GET_HELD, 200, "quick");
    assert_int_equal(0, pthread_join(thread, NULL));
}

static void a_client_that_leaves_makes_no_difference(void **state)
{
    struct asking *const asking = *state;
    AUTO_CLOSE int fd = connect_to(asking->fixture.port);

    for (size_t i = 0; i < 10; i++) {
        const int leaving = connect_to(asking->fixture.port);

        send_text(leaving, GET_HELD);
        (void)take_question(asking, i);
        (void)close(leaving);
    }
    for (size_t i = 0; i < 10; i++)
        answer_with(asking->held[i], "to nobody");
    send_text(fd, GET_HELD);
    answer_with(take_question(asking, 10), "to somebody");
    expect_reply(fd, 200, "to somebody");
}

/* A long work is spared where nobody waits for it. */
static void who_answers_can_tell_that_the_client_has_left(void **state)
{
    struct asking *const asking = *state;
    AUTO_CLOSE int fd = connect_to(asking->fixture.port);
    const int leaving = connect_to(asking->fixture.port);

    send_text(leaving, GET_HELD);
    (void)take_question(asking, 0);
    send_text(fd, GET_HELD);
    (void)take_question(asking, 1);
    (void)close(leaving);
    for (unsigned i = 0; deferred_is_wanted(asking->held[0]) && i < PATIENCE_MS / 10; i++)
        pause_ms(10);
    assert_false(deferred_is_wanted(asking->held[0]));
    assert_true(deferred_is_wanted(asking->held[1]));
    answer_with(asking->held[0], "to nobody");
    answer_with(asking->held[1], "to somebody");
    expect_reply(fd, 200, "to somebody");
}

static void who_waits_too_long_gets_504_and_the_answer_comes_to_nothing(void **state)
{
    static const struct server_limits impatient = {512, 128, 8, 1, 120, 12};
    struct asking asking;
    int fd;

    (void)state;
    asking_up_as(&asking, &impatient, true);
    fd = connect_to(asking.fixture.port);
    expect(fd, GET_HELD, 504, "{\"error\": \"no answer in time\"}\n");
    answer_with(take_question(&asking, 0), "too late");
    send_text(fd, GET_HELD);
    answer_with(take_question(&asking, 1), "in time");
    expect_reply(fd, 200, "in time");
    (void)close(fd);
    asking_down(&asking);
}

static void too_many_questions_are_503_until_some_are_answered(void **state)
{
    static const struct server_limits few = {12, 12, 8, 30, 120, 12};
    const size_t most = 12 / 4 + 1;
    struct asking asking;
    int fds[4], other;

    (void)state;
    asking_up_as(&asking, &few, true);
    other = connect_to(asking.fixture.port);
    for (size_t i = 0; i < most; i++) {
        fds[i] = connect_to(asking.fixture.port);
        send_text(fds[i], GET_HELD);
        (void)take_question(&asking, i);
    }
    expect(other, GET_HELD, 503, NULL);
    for (size_t i = 0; i < most; i++) {
        answer_with(asking.held[i], "done");
        expect_reply(fds[i], 200, "done");
        (void)close(fds[i]);
    }
    send_text(other, GET_HELD);
    answer_with(take_question(&asking, most), "done");
    expect_reply(other, 200, "done");
    (void)close(other);
    asking_down(&asking);
}

static void the_end_waits_for_nobody_and_answers_may_come_after_it(void **state)
{
    struct asking asking;
    uint64_t begin_ns;
    int fds[3];

    (void)state;
    asking_up(&asking);
    for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
        fds[i] = connect_to(asking.fixture.port);
        send_text(fds[i], GET_HELD);
        (void)take_question(&asking, i);
    }
    answer_with(asking.held[0], "just before");
    begin_ns = clock_monotonic_ns();
    asking_down(&asking);
    assert_in_range((clock_monotonic_ns() - begin_ns) / 1000000, 0, BEFORE_ANY_DEADLINE_MS);
    answer_with(asking.held[1], "after");
    deferred_name_file(asking.held[2], "name");
    deferred_refuse(asking.held[2], -EINVAL, &(struct text){0});
    for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
        (void)close(fds[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(others_are_served_while_one_waits, asking_set_up,
                                        asking_tear_down),
        cmocka_unit_test_setup_teardown(answers_may_come_in_any_order, asking_set_up,
                                        asking_tear_down),
        cmocka_unit_test_setup_teardown(an_answer_may_be_quicker_than_the_server, asking_set_up,
                                        asking_tear_down),
        cmocka_unit_test_setup_teardown(a_client_that_leaves_makes_no_difference, asking_set_up,
                                        asking_tear_down),
        cmocka_unit_test_setup_teardown(who_answers_can_tell_that_the_client_has_left,
                                        asking_set_up, asking_tear_down),
        cmocka_unit_test(who_waits_too_long_gets_504_and_the_answer_comes_to_nothing),
        cmocka_unit_test(too_many_questions_are_503_until_some_are_answered),
        cmocka_unit_test(the_end_waits_for_nobody_and_answers_may_come_after_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
