/* SPDX-License-Identifier: Apache-2.0 */
#include "web/connection_pairs.h"

#include "base/cleanup.h"
#include "web/body.h"
#include "web/room.h"

#define SECOND NS_PER_SECOND

static const struct server_limits four_places = {4, 3, 10, 20, 30, 5};

static int set_up(void **state)
{
    *state = pairs_new(&four_places);
    return 0;
}

static int tear_down(void **state)
{
    pairs_free(*state);
    return 0;
}

/* Does libmicrohttpd's part: closes each connection that was cut. */
static void remove_cut(struct pairs *pairs)
{
    for (unsigned i = 0; i < pairs->n; i++)
        if (pairs->connections[i] && pairs->connections[i]->cut)
            connection_remove(&pairs->table, TAKE(pairs->connections[i]));
}

static void a_full_table__closes_the_connection_that_rests_longest(void **state)
{
    struct pairs *const pairs = *state;

    for (uint8_t i = 0; i < 4; i++)
        (void)pairs_add(pairs, i, 0);
    connection_enter(pairs->connections[0], CONNECTION_IDLE);
    (void)pairs_add(pairs, 9, 0);
    assert_true(is_cut(pairs, 1));
    assert_false(is_cut(pairs, 0));
    assert_false(is_cut(pairs, 4));
    (void)pairs_add(pairs, 10, 0);
    assert_true(is_cut(pairs, 2));
    assert_int_equal(2, status_of_table(pairs).closed[HTTP_CLOSED_ROOM]);
    assert_int_equal(6, status_of_table(pairs).connections);
    remove_cut(pairs);
    assert_int_equal(4, status_of_table(pairs).connections);
}

static void a_network_with_all_it_may_have__closes_its_own(void **state)
{
    struct pairs *const pairs = *state;

    (void)pairs_add(pairs, 1, 0);
    for (uint8_t address = 0; address < 4; address++)
        (void)pairs_add(pairs, 2, address);
    assert_false(is_cut(pairs, 0));
    assert_true(is_cut(pairs, 1));
    assert_false(is_cut(pairs, 2));
}

static void has_place__as_many_as_may_come_at_once(void **state)
{
    struct pairs *const pairs = *state;

    for (uint8_t i = 0; i < 4 + DOOR_PLACES; i++)
        (void)pairs_add(pairs, i, 0);
    assert_false(connection_table_has_place(&pairs->table, false));
    remove_cut(pairs);
    assert_true(connection_table_has_place(&pairs->table, false));
}

static void the_control_socket_has_places_of_its_own(void **state)
{
    struct pairs *const pairs = *state;
    const struct peer control = made_up_peer(77, 0);

    for (uint8_t i = 0; i < 4 + DOOR_PLACES; i++)
        (void)pairs_add(pairs, i, 0);
    for (unsigned i = 0; i < CONTROL_PLACES; i++)
        assert_false(is_cut(pairs, pairs_add_as(pairs, &control, true)));
    assert_false(is_cut(pairs, pairs_add_as(pairs, &control, true)));
    assert_true(is_cut(pairs, 4 + DOOR_PLACES)); /* It is the first one of the control socket. */
    assert_false(is_cut(pairs, 4));              /* No client loses its place. */
    for (unsigned i = 1; i < CONTROL_PLACES; i++)
        (void)pairs_add_as(pairs, &control, true);
    assert_false(connection_table_has_place(&pairs->table, true));
}

static void all_others_await_us__the_newcomer_is_refused(void **state)
{
    struct pairs *const pairs = *state;

    for (uint8_t i = 0; i < 4; i++)
        pairs->connections[pairs_add(pairs, i, 0)]->awaits_us = true;
    assert_true(is_cut(pairs, pairs_add(pairs, 9, 0)));
    assert_int_equal(1, status_of_table(pairs).refused[HTTP_REFUSED_BUSY]);
    assert_int_equal(0, status_of_table(pairs).closed[HTTP_CLOSED_ROOM]);
    for (unsigned i = 0; i < 4; i++)
        assert_false(is_cut(pairs, i));
}

static void all_others_are_being_answered__who_is_so_longest_gives_way(void **state)
{
    struct pairs *const pairs = *state;

    for (uint8_t i = 0; i < 4; i++)
        connection_enter(pairs->connections[pairs_add(pairs, i, 0)], CONNECTION_RESPONSE);
    assert_false(is_cut(pairs, pairs_add(pairs, 9, 0)));
    assert_true(is_cut(pairs, 0));
    assert_int_equal(0, status_of_table(pairs).refused[HTTP_REFUSED_BUSY]);
    assert_int_equal(1, status_of_table(pairs).closed[HTTP_CLOSED_ROOM]);
}

static void expire__who_has_ended_between_two_requests_goes(void **state)
{
    struct pairs *const pairs = *state;

    for (uint8_t i = 0; i < 4; i++)
        connection_enter(pairs->connections[pairs_add(pairs, i, 0)], CONNECTION_IDLE);
    connection_enter(pairs->connections[3],
                     CONNECTION_RESPONSE); /* It may still read its answer. */
    assert_int_equal(0, shutdown(pairs->client[1], SHUT_WR));
    assert_int_equal(0, shutdown(pairs->client[3], SHUT_WR));
    assert_int_equal(1, write(pairs->client[2], "G", 1));
    connection_table_expire(&pairs->table, clock_monotonic_ns());
    assert_false(is_cut(pairs, 1)); /* libmicrohttpd may see it first. */
    connection_table_expire(&pairs->table, clock_monotonic_ns() + 2 * SECOND);
    assert_false(is_cut(pairs, 0));
    assert_true(is_cut(pairs, 1));
    assert_false(is_cut(pairs, 2));
    assert_false(is_cut(pairs, 3));
    assert_int_equal(0, status_of_table(pairs).closed[HTTP_CLOSED_IDLE]);
}

static void remove__makes_a_place_free(void **state)
{
    struct pairs *const pairs = *state;

    for (unsigned round = 0; round < 15; round++) {
        const unsigned i = pairs_add(pairs, 1, 0);

        assert_int_equal(1, status_of_table(pairs).connections);
        connection_remove(&pairs->table, TAKE(pairs->connections[i]));
    }
    assert_int_equal(0, status_of_table(pairs).connections);
    assert_int_equal(15, status_of_table(pairs).accepted);
    assert_int_equal(0, status_of_table(pairs).closed[HTTP_CLOSED_ROOM]);
}

static void expire__each_phase_has_its_time(void **state)
{
    static const unsigned seconds[] = {
        [CONNECTION_HEADERS] = 10, [CONNECTION_RESPONSE] = 20, [CONNECTION_IDLE] = 30};
    struct pairs *const pairs = *state;

    for (unsigned phase = 0; phase < ARRAY_SIZE(seconds); phase++) {
        const unsigned i = pairs_add(pairs, 1, 0);
        struct connection *const connection = TAKE(pairs->connections[i]);

        connection_enter(connection, (enum connection_phase)phase);
        connection_table_expire(&pairs->table, connection->since_ns + seconds[phase] * SECOND - 1);
        assert_false(is_cut(pairs, i));
        connection_table_expire(&pairs->table, connection->since_ns + seconds[phase] * SECOND);
        assert_true(is_cut(pairs, i));
        connection_remove(&pairs->table, connection);
    }
    assert_int_equal(2, status_of_table(pairs).closed[HTTP_CLOSED_SLOW]);
    assert_int_equal(1, status_of_table(pairs).closed[HTTP_CLOSED_IDLE]);
}

static void expire__who_is_idle_waits_less_where_there_is_no_room(void **state)
{
    struct pairs *const pairs = *state;
    const uint64_t later_ns = clock_monotonic_ns() + 6 * SECOND;

    for (uint8_t i = 0; i < 3; i++)
        connection_enter(pairs->connections[pairs_add(pairs, i, 0)], CONNECTION_IDLE);
    connection_remove(&pairs->table, TAKE(pairs->connections[2]));
    connection_table_expire(&pairs->table, later_ns); /* With two of four there is room. */
    assert_false(is_cut(pairs, 0));
    connection_enter(pairs->connections[pairs_add(pairs, 3, 0)], CONNECTION_IDLE);
    connection_table_expire(&pairs->table, later_ns);
    assert_true(is_cut(pairs, 0));
}

static void expire__an_address_with_many_waits_less(void **state)
{
    static const struct server_limits many = {40, 10, 10, 20, 30, 5};
    struct pairs *const pairs = pairs_new(&many);

    (void)state;
    for (unsigned i = 0; i < 6; i++)
        connection_enter(pairs->connections[pairs_add(pairs, 1, 1)], CONNECTION_IDLE);
    connection_enter(pairs->connections[pairs_add(pairs, 1, 2)], CONNECTION_IDLE);
    connection_table_expire(&pairs->table, clock_monotonic_ns() + 6 * SECOND);
    assert_true(is_cut(pairs, 0));
    assert_false(is_cut(pairs, 6));
    pairs_free(pairs);
}

static void cut_readers__leaves_the_readers_of_other_bodies(void **state)
{
    struct pairs *const pairs = *state;
    const struct body bodies[2] = {0};

    (void)pairs_add(pairs, 1, 0);
    (void)pairs_add(pairs, 2, 0);
    pairs->connections[0]->body = &bodies[0];
    pairs->connections[1]->body = &bodies[1];
    connection_table_cut_readers(&pairs->table, &bodies[1]);
    assert_false(is_cut(pairs, 0));
    assert_true(is_cut(pairs, 1));
}

static void expire__passes_over_removed_connections(void **state)
{
    struct pairs *const pairs = *state;

    (void)pairs_add(pairs, 1, 0);
    (void)pairs_add(pairs, 2, 0);
    connection_remove(&pairs->table, TAKE(pairs->connections[0]));
    connection_table_expire(&pairs->table, UINT64_MAX / 2);
    assert_false(is_cut(pairs, 0));
    assert_true(is_cut(pairs, 1));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static void the_limit_of_scrapes__counts_those_who_read_now(void **state)
{
    struct pairs *const pairs = *state;
    static const struct body body;

    for (uint8_t i = 0; i < 3; i++)
        (void)pairs_add(pairs, i, 0);
    pairs->connections[0]->body = pairs->connections[1]->body = &body;
    assert_true(connection_table_may_read(&pairs->table, pairs->connections[2]));
    pairs->table.limits.scrapes = 2;
    assert_false(connection_table_may_read(&pairs->table, pairs->connections[2]));
    pairs->connections[2]->on_control = true;
    assert_true(connection_table_may_read(&pairs->table, pairs->connections[2]));
    pairs->connections[2]->on_control = false;
    pairs->connections[1]->body = NULL;
    assert_true(connection_table_may_read(&pairs->table, pairs->connections[2]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_full_table__closes_the_connection_that_rests_longest),
        TEST(a_network_with_all_it_may_have__closes_its_own),
        TEST(has_place__as_many_as_may_come_at_once),
        TEST(the_control_socket_has_places_of_its_own),
        TEST(all_others_await_us__the_newcomer_is_refused),
        TEST(all_others_are_being_answered__who_is_so_longest_gives_way),
        TEST(expire__who_has_ended_between_two_requests_goes),
        TEST(remove__makes_a_place_free),
        TEST(expire__each_phase_has_its_time),
        TEST(expire__who_is_idle_waits_less_where_there_is_no_room),
        cmocka_unit_test(expire__an_address_with_many_waits_less),
        TEST(cut_readers__leaves_the_readers_of_other_bodies),
        TEST(expire__passes_over_removed_connections),
        TEST(the_limit_of_scrapes__counts_those_who_read_now),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
