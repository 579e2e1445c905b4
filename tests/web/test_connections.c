/* SPDX-License-Identifier: Apache-2.0 */
#include <poll.h>

#include "web/body.h"
#include "web/connections.h"
#include "web/http_client.h"

#define SECOND NS_PER_SECOND

static const struct server_limits two_places = {2, 2, 10, 20, 30};

/* Socket pairs: the server's side is in the table, the client's side sees what happens to it. */
struct pairs {
    struct connection_table table;
    int server[2];
    int client[2];
    struct connection *connections[2];
};

static int set_up(void **state)
{
    struct pairs *const pairs = calloc(1, sizeof(*pairs));

    if (!pairs || connection_table_init(&pairs->table, &two_places) < 0)
        return -1;
    for (size_t i = 0; i < 2; i++) {
        int both[2];

        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both) < 0)
            return -1;
        pairs->server[i] = both[0];
        pairs->client[i] = both[1];
        pairs->connections[i] = connection_add(&pairs->table, both[0]);
    }
    *state = pairs;
    return 0;
}

static int tear_down(void **state)
{
    struct pairs *const pairs = *state;

    for (size_t i = 0; i < 2; i++) {
        (void)close(pairs->server[i]);
        (void)close(pairs->client[i]);
    }
    connection_table_done(&pairs->table);
    free(pairs);
    return 0;
}

static bool is_cut(const struct pairs *pairs, size_t i)
{
    struct pollfd event = {.fd = pairs->client[i], .events = POLLIN};

    return poll(&event, 1, 0) == 1 && (event.revents & POLLHUP) != 0;
}

static void add__refuses_where_the_table_is_full(void **state)
{
    struct pairs *const pairs = *state;

    assert_true(connection_table_full(&pairs->table, false));
    assert_false(connection_table_full(&pairs->table, true));
    for (int i = 0; i < CONTROL_PLACES; i++)
        assert_non_null(connection_add(&pairs->table, pairs->server[1]));
    assert_true(connection_table_full(&pairs->table, true));
    assert_null(connection_add(&pairs->table, 9));
}

static void remove__makes_room_for_the_next(void **state)
{
    struct pairs *const pairs = *state;
    struct connection *added;

    connection_remove(&pairs->table, pairs->connections[1]);
    assert_false(connection_table_full(&pairs->table, false));
    added = connection_add(&pairs->table, pairs->server[1]);
    assert_non_null(added);
    assert_ptr_not_equal(added, pairs->connections[0]);
    assert_int_equal(pairs->server[1], added->fd);
    assert_null(added->body);
}

static void expire__cuts_only_what_is_past_its_deadline(void **state)
{
    struct pairs *const pairs = *state;
    const uint64_t now = clock_monotonic_ns();

    connection_enter(&pairs->table, pairs->connections[1], CONNECTION_RESPONSE);
    connection_table_expire(&pairs->table, now);
    assert_false(is_cut(pairs, 0));
    connection_table_expire(&pairs->table, now + 15 * SECOND);
    assert_true(is_cut(pairs, 0));
    assert_false(is_cut(pairs, 1));
    connection_table_expire(&pairs->table, now + 25 * SECOND);
    assert_true(is_cut(pairs, 1));
}

static void enter__each_phase_has_its_time(void **state)
{
    struct pairs *const pairs = *state;
    struct connection *const connection = pairs->connections[0];
    static const uint64_t seconds[] = {
        [CONNECTION_HEADERS] = 10, [CONNECTION_RESPONSE] = 20, [CONNECTION_IDLE] = 30};

    for (unsigned phase = 0; phase < ARRAY_SIZE(seconds); phase++) {
        const uint64_t before = clock_monotonic_ns();

        connection_enter(&pairs->table, connection, (enum connection_phase)phase);
        assert_in_range(connection->deadline_ns - seconds[phase] * SECOND, before,
                        clock_monotonic_ns());
    }
}

static void cut_readers__leaves_the_readers_of_other_bodies(void **state)
{
    struct pairs *const pairs = *state;
    const struct body bodies[2] = {0};

    pairs->connections[0]->body = &bodies[0];
    pairs->connections[1]->body = &bodies[1];
    connection_table_cut_readers(&pairs->table, pairs->connections[1]->body);
    assert_false(is_cut(pairs, 0));
    assert_true(is_cut(pairs, 1));
}

static void expire__passes_over_removed_connections(void **state)
{
    struct pairs *const pairs = *state;

    connection_remove(&pairs->table, pairs->connections[0]);
    connection_table_expire(&pairs->table, UINT64_MAX - 1);
    assert_false(is_cut(pairs, 0));
    assert_true(is_cut(pairs, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(add__refuses_where_the_table_is_full, set_up, tear_down),
        cmocka_unit_test_setup_teardown(remove__makes_room_for_the_next, set_up, tear_down),
        cmocka_unit_test_setup_teardown(expire__cuts_only_what_is_past_its_deadline, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(enter__each_phase_has_its_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cut_readers__leaves_the_readers_of_other_bodies, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(expire__passes_over_removed_connections, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
