/* SPDX-License-Identifier: Apache-2.0 */
#include "web/connection_pairs.h"

#include "web/room.h"

#define SECOND NS_PER_SECOND

static const struct server_limits roomy = {50, 50, 10, 20, 30, 5};

static int set_up(void **state)
{
    *state = pairs_new(&roomy);
    return 0;
}

static int tear_down(void **state)
{
    pairs_free(*state);
    return 0;
}

/* Adds a connection of this network and address that is in this phase for so many seconds. */
static struct connection *add(struct pairs *pairs, uint8_t network, uint8_t address,
                              enum connection_phase phase, unsigned seconds)
{
    struct connection *const added = pairs->connections[pairs_add(pairs, network, address)];

    connection_enter(added, phase);
    added->since_ns -= seconds * SECOND;
    return added;
}

static const struct connection *found(const struct pairs *pairs)
{
    return room_find(&pairs->table, false, NULL, clock_monotonic_ns());
}

static void nobody_is_found_where_nobody_is(void **state)
{
    assert_null(found(*state));
}

static void who_rests_longest_gives_way(void **state)
{
    struct pairs *const pairs = *state;
    const struct connection *longest;

    (void)add(pairs, 1, 0, CONNECTION_IDLE, 3);
    longest = add(pairs, 2, 0, CONNECTION_IDLE, 9);
    (void)add(pairs, 3, 0, CONNECTION_HEADERS, 5);
    assert_ptr_equal(longest, found(pairs));
}

static void who_is_being_answered_gives_way_last(void **state)
{
    struct pairs *const pairs = *state;
    const struct connection *newest;

    (void)add(pairs, 1, 0, CONNECTION_RESPONSE, 1);
    newest = add(pairs, 2, 0, CONNECTION_HEADERS, 0);
    assert_ptr_equal(newest, found(pairs));
}

static void who_only_asks_and_never_reads_keeps_nobody_out(void **state)
{
    struct pairs *const pairs = *state;
    const struct connection *first = add(pairs, 1, 0, CONNECTION_RESPONSE, 1);

    for (unsigned i = 1; i < 30; i++)
        (void)add(pairs, 1, 0, CONNECTION_RESPONSE, 0);
    (void)add(pairs, 1, 0, CONNECTION_HEADERS, 0); /* This one comes to scrape. */
    assert_ptr_equal(first, found(pairs));
}

static void who_is_answered_does_not_give_way_to_a_network_that_holds_more(void **state)
{
    struct pairs *const pairs = *state;
    const struct connection *rests = NULL;

    for (uint8_t i = 0; i < 30; i++)
        (void)add(pairs, i, 0, CONNECTION_RESPONSE, 1);
    for (unsigned i = 0; i < 2 * FEW_CONNECTIONS; i++) {
        const struct connection *added = add(pairs, 77, 0, CONNECTION_HEADERS, 0);

        rests = rests ? rests : added;
    }
    assert_ptr_equal(rests, found(pairs));
}

static void who_takes_an_answer_slowly_rests(void **state)
{
    struct pairs *const pairs = *state;
    const struct connection *slow;

    slow = add(pairs, 1, 0, CONNECTION_RESPONSE, 6);
    (void)add(pairs, 2, 0, CONNECTION_IDLE, 5);
    assert_ptr_equal(slow, found(pairs));
}

static void the_network_that_holds_most_gives_way(void **state)
{
    struct pairs *const pairs = *state;
    const struct connection *first = NULL;

    (void)add(pairs, 1, 0, CONNECTION_IDLE, 15); /* This one scrapes. */
    for (uint8_t i = 0; i < 10; i++) {
        const struct connection *added = add(pairs, 2, i, CONNECTION_IDLE, 9U - i);

        first = first ? first : added;
    }
    assert_ptr_equal(first, found(pairs));
}

static void of_a_network_the_address_that_holds_most_gives_way(void **state)
{
    struct pairs *const pairs = *state;

    (void)add(pairs, 1, 1, CONNECTION_IDLE, 15);
    for (unsigned i = 0; i < 10; i++)
        (void)add(pairs, 1, 2, CONNECTION_IDLE, 1);
    assert_ptr_not_equal(pairs->connections[0], found(pairs));
}

static void few_connections_are_as_good_as_one(void **state)
{
    struct pairs *const pairs = *state;
    const struct connection *longest;

    for (unsigned i = 0; i < FEW_CONNECTIONS; i++)
        (void)add(pairs, 1, 0, CONNECTION_IDLE, 3);
    longest = add(pairs, 2, 0, CONNECTION_IDLE, 9);
    assert_ptr_equal(longest, found(pairs));
}

static void who_awaits_us_does_not_give_way(void **state)
{
    struct pairs *const pairs = *state;

    add(pairs, 1, 0, CONNECTION_RESPONSE, 9)->awaits_us = true;
    assert_null(found(pairs));
}

static void a_network_may_be_asked_alone(void **state)
{
    struct pairs *const pairs = *state;
    const struct connection *of_it;

    (void)add(pairs, 1, 0, CONNECTION_IDLE, 9);
    of_it = add(pairs, 2, 0, CONNECTION_IDLE, 1);
    assert_ptr_equal(of_it, room_find(&pairs->table, false, of_it->network, clock_monotonic_ns()));
    assert_null(room_find(&pairs->table, true, NULL, clock_monotonic_ns()));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nobody_is_found_where_nobody_is),
        TEST(who_rests_longest_gives_way),
        TEST(who_is_being_answered_gives_way_last),
        TEST(who_only_asks_and_never_reads_keeps_nobody_out),
        TEST(who_is_answered_does_not_give_way_to_a_network_that_holds_more),
        TEST(who_takes_an_answer_slowly_rests),
        TEST(the_network_that_holds_most_gives_way),
        TEST(of_a_network_the_address_that_holds_most_gives_way),
        TEST(few_connections_are_as_good_as_one),
        TEST(who_awaits_us_does_not_give_way),
        TEST(a_network_may_be_asked_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
