/* SPDX-License-Identifier: Apache-2.0 */
#include "service/notify.h"

#include "support/check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "metric/catalogue.h"
#include "metric/roster.h"
#include "support/service_manager.h"

#define S NS_PER_SECOND

static const char *stopped(uint64_t cycle_ns, uint64_t server_ns, uint64_t now_ns)
{
    const struct heartbeats heartbeats = {cycle_ns, 10 * S, server_ns, 5 * S};

    return heartbeats_stopped(&heartbeats, now_ns);
}

static void heartbeats__that_are_new_let_us_live(void **state)
{
    (void)state;
    assert_null(stopped(100 * S, 100 * S, 100 * S));
    assert_null(stopped(90 * S, 95 * S, 100 * S));
}

static void heartbeats__past_now_are_new(void **state)
{
    (void)state;
    assert_null(stopped(100 * S + 1, 100 * S + 1, 100 * S));
}

static void heartbeats__each_alone_stops(void **state)
{
    (void)state;
    assert_string_equal(stopped(90 * S - 1, 100 * S, 100 * S), "collector");
    assert_string_equal(stopped(100 * S, 95 * S - 1, 100 * S), "server");
    assert_string_equal(stopped(1 * S, 1 * S, 100 * S), "collector");
}

/* In the first seconds after the boot the time 0 is not long ago. */
static void heartbeats__without_a_cycle_stop(void **state)
{
    (void)state;
    assert_string_equal(stopped(0, 2 * S, 3 * S), "collector");
}

/* The service manager's end of the socket, and the slot whose snapshots are the cycles. */
struct fixture {
    int manager;
    struct snapshot_slot *slot;
    struct roster *roster;
    struct notify notify;
};

static int set_up(void **state)
{
    static struct fixture fixture;
    AUTO(catalogue) struct catalogue *catalogue = NULL;

    (void)unsetenv("WATCHDOG_USEC");
    fixture.manager = listen_as_manager("notify");
    fixture.slot = snapshot_slot_new();
    assert_int_equal(catalogue_new(NULL, 0, NULL, 0, &catalogue), 0);
    assert_int_equal(roster_new(catalogue, NULL, 0, &fixture.roster), 0);
    assert_int_equal(notify_init(&fixture.notify, NULL, fixture.slot, NULL, 10 * S), 0);
    *state = &fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    notify_done(&fixture->notify);
    (void)roster_unref(fixture->roster);
    (void)snapshot_slot_free(fixture->slot);
    (void)close(fixture->manager);
    return 0;
}

static void publish(struct fixture *fixture, uint64_t cgroups)
{
    const struct exporter_status status = {.targets[SCOPE_CGROUP] = cgroups,
                                           .open_counters = 8 * cgroups,
                                           .mechanisms[SCOPE_CGROUP].name = "direct"};
    struct snapshot *snapshot = snapshot_new(fixture->roster, NULL, 0, &status);

    assert_non_null(snapshot);
    snapshot->taken_ns = clock_monotonic_ns();
    snapshot_slot_publish(fixture->slot, snapshot);
}

static void ready__waits_for_a_snapshot_and_is_sent_once(void **state)
{
    struct fixture *fixture = *state;

    notify_cycle(&fixture->notify);
    assert_string_equal(heard(fixture->manager), "");
    publish(fixture, 2);
    notify_cycle(&fixture->notify);
    assert_string_equal(heard(fixture->manager),
                        "STATUS=cgroups: 2, processes: 0, open counters: 16, mechanism: direct");
    assert_string_equal(heard(fixture->manager), "READY=1");
    publish(fixture, 2);
    notify_cycle(&fixture->notify);
    assert_string_equal(heard(fixture->manager), "");
}

static void status__that_changes_is_sent_at_most_every_ten_seconds(void **state)
{
    struct fixture *fixture = *state;

    publish(fixture, 2);
    notify_cycle(&fixture->notify);
    (void)heard(fixture->manager), (void)heard(fixture->manager);
    publish(fixture, 3);
    notify_cycle(&fixture->notify);
    assert_string_equal(heard(fixture->manager), "");
    fixture->notify.status_ns -= 10 * S;
    notify_cycle(&fixture->notify);
    assert_string_equal(heard(fixture->manager),
                        "STATUS=cgroups: 3, processes: 0, open counters: 24, mechanism: direct");
    fixture->notify.status_ns -= 10 * S;
    notify_cycle(&fixture->notify);
    assert_string_equal(heard(fixture->manager), "");
}

static void status__names_a_pause(void **state)
{
    struct fixture *fixture = *state;
    const struct exporter_status status = {.mechanisms[SCOPE_SYSTEM].name = "direct", .paused = 1};
    struct snapshot *snapshot = snapshot_new(fixture->roster, NULL, 0, &status);

    assert_non_null(snapshot);
    snapshot_slot_publish(fixture->slot, snapshot);
    notify_cycle(&fixture->notify);
    assert_string_equal(heard(fixture->manager),
                        "STATUS=cgroups: 0, processes: 0, open counters: 0, "
                        "mechanism: direct, hardware events paused");
}

static void stopping__is_sent(void **state)
{
    struct fixture *fixture = *state;

    notify_stopping(&fixture->notify);
    assert_string_equal(heard(fixture->manager), "STOPPING=1");
}

static void empty_queue(const struct fixture *fixture)
{
    while (*heard(fixture->manager))
        ;
}

static void ready__that_could_not_be_sent_is_sent_after_the_next_cycle(void **state)
{
    struct fixture *fixture = *state;

    fill_manager_queue();
    publish(fixture, 2);
    notify_cycle(&fixture->notify);
    empty_queue(fixture);
    publish(fixture, 2);
    notify_cycle(&fixture->notify);
    assert_string_equal(heard(fixture->manager),
                        "STATUS=cgroups: 2, processes: 0, open counters: 16, mechanism: direct");
    assert_string_equal(heard(fixture->manager), "READY=1");
    notify_cycle(&fixture->notify);
    assert_string_equal(heard(fixture->manager), "");
}

static void reload__sends_its_begin_and_its_end(void **state)
{
    struct fixture *fixture = *state;

    notify_reloading(&fixture->notify);
    notify_reloaded(&fixture->notify);
    assert_string_equal(heard(fixture->manager), ""); /* READY has not been sent. */
    publish(fixture, 2);
    notify_cycle(&fixture->notify);
    empty_queue(fixture);
    notify_reloading(&fixture->notify);
    assert_memory_equal(heard(fixture->manager), "RELOADING=1\n", strlen("RELOADING=1\n"));
    notify_reloaded(&fixture->notify);
    assert_string_equal(heard(fixture->manager), "READY=1");
    assert_string_equal(heard(fixture->manager), "");
}

static void reload__that_could_not_be_sent_is_sent_in_order_after_the_next_cycle(void **state)
{
    struct fixture *fixture = *state;

    publish(fixture, 2);
    notify_cycle(&fixture->notify);
    fill_manager_queue();
    notify_reloading(&fixture->notify);
    notify_reloaded(&fixture->notify);
    empty_queue(fixture);
    notify_cycle(&fixture->notify);
    assert_memory_equal(heard(fixture->manager), "RELOADING=1\n", strlen("RELOADING=1\n"));
    assert_string_equal(heard(fixture->manager), "READY=1");
    assert_string_equal(heard(fixture->manager), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heartbeats__that_are_new_let_us_live),
        cmocka_unit_test(heartbeats__past_now_are_new),
        cmocka_unit_test(heartbeats__each_alone_stops),
        cmocka_unit_test(heartbeats__without_a_cycle_stop),
        cmocka_unit_test_setup_teardown(ready__waits_for_a_snapshot_and_is_sent_once, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(ready__that_could_not_be_sent_is_sent_after_the_next_cycle,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(reload__sends_its_begin_and_its_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            reload__that_could_not_be_sent_is_sent_in_order_after_the_next_cycle, set_up,
            tear_down),
        cmocka_unit_test_setup_teardown(status__that_changes_is_sent_at_most_every_ten_seconds,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(status__names_a_pause, set_up, tear_down),
        cmocka_unit_test_setup_teardown(stopping__is_sent, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
