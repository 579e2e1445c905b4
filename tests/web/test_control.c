/* SPDX-License-Identifier: Apache-2.0 */
/* The slot without a server: one side asks, the other one answers. */
#include "web/control.h"

#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"

static const struct control_request reload = {.action = CONTROL_RELOAD};
static const struct control_request minute = {CONTROL_PAUSE, 60 * NS_PER_SECOND};

static int set_up(void **state)
{
    struct control_slot *slot;

    assert_int_equal(control_slot_new(&slot), 0);
    *state = slot;
    return 0;
}

static int tear_down(void **state)
{
    assert_null(control_slot_free(*state));
    return 0;
}

static bool is_readable(int fd)
{
    struct pollfd poller = {.fd = fd, .events = POLLIN};

    return poll(&poller, 1, 0) == 1;
}

static void answer(struct control_slot *slot, bool good, const char *words)
{
    struct text text = {0};

    text_append_string(&text, words);
    control_slot_answer(slot, good, &text);
    assert_null(text.data);
}

static void a_request_wakes_the_owner_and_its_answer_the_asker(void **state)
{
    struct control_slot *slot = *state;
    struct control_request request;
    struct text text = {0};
    bool good = true;

    assert_false(is_readable(control_slot_request_fd(slot)));
    assert_true(control_slot_ask(slot, &minute));
    assert_true(is_readable(control_slot_request_fd(slot)));
    assert_true(control_slot_take(slot, &request));
    assert_false(is_readable(control_slot_request_fd(slot)));
    assert_int_equal(request.action, CONTROL_PAUSE);
    assert_int_equal(request.duration_ns, 60 * NS_PER_SECOND);
    assert_false(control_slot_collect(slot, &good, &text));
    answer(slot, false, "no");
    assert_true(is_readable(control_slot_answer_fd(slot)));
    assert_true(control_slot_collect(slot, &good, &text));
    assert_false(is_readable(control_slot_answer_fd(slot)));
    assert_false(good);
    assert_memory_equal(text.data, "no", text.length);
    text_done(&text);
}

static void a_second_request_waits_until_the_first_is_collected(void **state)
{
    struct control_slot *slot = *state;
    struct control_request request;
    struct text text = {0};
    bool good;

    assert_true(control_slot_ask(slot, &minute));
    assert_false(control_slot_ask(slot, &reload));
    assert_true(control_slot_take(slot, &request));
    assert_false(control_slot_ask(slot, &reload));
    answer(slot, true, "");
    assert_false(control_slot_ask(slot, &reload));
    assert_true(control_slot_collect(slot, &good, &text));
    text_done(&text);
    assert_true(control_slot_ask(slot, &reload));
    assert_true(control_slot_take(slot, &request));
    assert_int_equal(request.action, CONTROL_RELOAD);
}

static void what_is_abandoned_before_it_is_taken_is_never_done(void **state)
{
    struct control_slot *slot = *state;
    struct control_request request;

    assert_true(control_slot_ask(slot, &reload));
    control_slot_abandon(slot);
    assert_false(control_slot_take(slot, &request));
    assert_true(control_slot_ask(slot, &reload));
}

static void the_answer_to_what_was_abandoned_reaches_nobody(void **state)
{
    struct control_slot *slot = *state;
    struct control_request request;
    struct text text = {0};
    bool good;

    assert_true(control_slot_ask(slot, &reload));
    assert_true(control_slot_take(slot, &request));
    control_slot_abandon(slot);
    assert_false(control_slot_ask(slot, &minute)); /* The owner has not answered the first. */
    answer(slot, true, "late");
    assert_false(control_slot_collect(slot, &good, &text));
    assert_true(control_slot_ask(slot, &minute));
    assert_true(control_slot_take(slot, &request));
    answer(slot, true, "in time");
    assert_true(control_slot_collect(slot, &good, &text));
    assert_memory_equal(text.data, "in time", text.length);
    text_done(&text);
}

static void an_answer_that_is_abandoned_is_freed(void **state)
{
    struct control_slot *slot = *state;
    struct control_request request;
    struct text text = {0};
    bool good;

    assert_true(control_slot_ask(slot, &reload));
    assert_true(control_slot_take(slot, &request));
    answer(slot, true, "too late");
    control_slot_abandon(slot);
    assert_false(control_slot_collect(slot, &good, &text));
    assert_true(control_slot_ask(slot, &reload));
}

#define ROUNDS 2000

/* Answers each request with its duration. */
static void *own(void *context)
{
    struct control_slot *slot = context;

    for (unsigned i = 0; i < ROUNDS;) {
        struct pollfd poller = {.fd = control_slot_request_fd(slot), .events = POLLIN};
        struct control_request request;
        struct text text = {0};

        (void)poll(&poller, 1, 30000);
        if (!control_slot_take(slot, &request))
            continue;
        text_append_u64(&text, request.duration_ns);
        control_slot_answer(slot, true, &text);
        i++;
    }
    return NULL;
}

static void two_threads_lose_nothing(void **state)
{
    struct control_slot *slot = *state;
    pthread_t owner;

    assert_int_equal(pthread_create(&owner, NULL, own, slot), 0);
    for (unsigned i = 0; i < ROUNDS; i++) {
        const struct control_request request = {CONTROL_PAUSE, i};
        struct pollfd poller = {.fd = control_slot_answer_fd(slot), .events = POLLIN};
        struct text text = {0}, expected = {0};
        bool good;

        assert_true(control_slot_ask(slot, &request));
        assert_int_equal(poll(&poller, 1, 30000), 1);
        assert_true(control_slot_collect(slot, &good, &text));
        text_append_u64(&expected, i);
        assert_int_equal(text.length, expected.length);
        assert_memory_equal(text.data, expected.data, text.length);
        text_done(&text);
        text_done(&expected);
    }
    assert_int_equal(pthread_join(owner, NULL), 0);
}

static void pauses_are_off_or_of_1s_to_7d(void **state)
{
    static const struct {
        const char *text;
        uint64_t ns;
    } good[] = {{"off", 0},
                {"1s", NS_PER_SECOND},
                {"10m", 600 * NS_PER_SECOND},
                {"1h30m", 5400 * NS_PER_SECOND},
                {"7d", 7 * 24 * 3600 * NS_PER_SECOND}};
    static const char *const bad[] = {"",     "0",    "10",  "-1s", " 1s",  "1s ",      "999ms",
                                      "7d1s", "10 m", "OFF", "on",  "1.5h", "99999999d"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
        uint64_t ns = 1;

        assert_int_equal(control_parse_pause(good[i].text, &ns), 0);
        assert_int_equal(ns, good[i].ns);
    }
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        uint64_t ns = 12345;

        assert_int_not_equal(control_parse_pause(bad[i], &ns), 0);
        assert_int_equal(ns, 12345);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_request_wakes_the_owner_and_its_answer_the_asker),
        TEST(a_second_request_waits_until_the_first_is_collected),
        TEST(what_is_abandoned_before_it_is_taken_is_never_done),
        TEST(the_answer_to_what_was_abandoned_reaches_nobody),
        TEST(an_answer_that_is_abandoned_is_freed),
        TEST(two_threads_lose_nothing),
        cmocka_unit_test(pauses_are_off_or_of_1s_to_7d),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
