/* SPDX-License-Identifier: Apache-2.0 */

/* Targets that live for four seconds, a hundred born at each, each with a name of its own. */
#include "history/store_fixture.h"

#include <inttypes.h>
#include <malloc.h>
#include <sqlite3.h>

#include "support/resident.h"

#define BORN      100 /* in each second */
#define LIVES     4
#define SECONDS   (IS_SANITIZED ? 12 : 40) /* for which they come and go, and then once more */
#define FEW_BYTES ((uint64_t)1 << 18)

struct crowd {
    struct store_fixture fixture;
    struct account *accounts[BORN * LIVES];
    unsigned n_born;
    bool goes_on; /* the last snapshot left some of what was too much for later */
};

static void open_crowd(void **state, const char *where)
{
    struct crowd *crowd = calloc(1, sizeof(*crowd));

    assert_non_null(crowd);
    fixture_open(&crowd->fixture, where);
    crowd->fixture.store.limits.bytes = FEW_BYTES;
    *state = crowd;
}

static int set_up_memory(void **state)
{
    *fixture_directory = '\0';
    open_crowd(state, NULL);
    return 0;
}

static int set_up_disk(void **state)
{
    fixture_directory_make();
    open_crowd(state, fixture_directory);
    return 0;
}

static int tear_down(void **state)
{
    struct crowd *crowd = *state;

    fixture_close(&crowd->fixture);
    for (size_t i = 0; i < ARRAY_SIZE(crowd->accounts); i++)
        (void)account_free(crowd->accounts[i]);
    free(crowd);
    fixture_directory_remove();
    return 0;
}

static void bear(struct crowd *crowd, struct account **place)
{
    char name[64];
    const struct label label = {"cgroup", name};
    struct identity *identity;

    (void)snprintf(name, sizeof(name), "/system.slice/session-%u.scope", ++crowd->n_born);
    identity = identity_new(&label, 1, NULL, 0);
    assert_non_null(identity);
    (void)account_free(*place);
    *place = account_new(crowd->fixture.plan, identity, 5 + crowd->n_born);
    (void)identity_unref(identity);
}

/* All targets count for an interval. */
static void count_crowd(struct crowd *crowd, unsigned interval_s)
{
    struct store_fixture *f = &crowd->fixture;
    const struct exporter_status status = {.interval_ns = interval_s * NS_PER_SECOND};
    struct roster *roster = NULL;
    struct snapshot *snapshot;

    f->taken_ns += (interval_s - 1) * NS_PER_SECOND;
    f->realtime_ns += (interval_s - 1) * NS_PER_SECOND;
    (void)snapshot_unref(fixture_snapshot(f, 1000, false)); /* sets the sample and the times */
    for (size_t i = 0; i < ARRAY_SIZE(crowd->accounts); i++)
        account_update(crowd->accounts[i], f->sample);
    assert_int_equal(
        roster_new(f->catalogue, crowd->accounts, ARRAY_SIZE(crowd->accounts), &roster), 0);
    snapshot = snapshot_new(roster, crowd->accounts, ARRAY_SIZE(crowd->accounts), &status);
    assert_non_null(snapshot);
    snapshot->taken_ns = f->taken_ns;
    snapshot->taken_realtime_ns = f->realtime_ns;
    history_store_record(&f->store, snapshot);
    crowd->goes_on = f->store.reductions_left > 0;
    while (f->store.reductions_left > 0)
        (void)thinning_go_on(&f->store);
    (void)snapshot_unref(snapshot);
    (void)roster_unref(roster);
}

/* What is allocated beside the databases; with another malloc than glibc's it is 0. */
static size_t allocated_beside(void)
{
    const size_t all = mallinfo2().uordblks + mallinfo2().hblkhd,
                 databases = (size_t)sqlite3_memory_used();

    return all > databases ? all - databases : 0;
}

static void churn(struct crowd *crowd)
{
    for (unsigned second = 0; second < SECONDS; second++) {
        for (size_t i = 0; i < ARRAY_SIZE(crowd->accounts); i++)
            if (!crowd->accounts[i] || i % LIVES == second % LIVES)
                bear(crowd, &crowd->accounts[i]);
        count_crowd(crowd, 1);
    }
}

static void assert_bounded(struct crowd *crowd)
{
    size_t beside;

    churn(crowd);
    beside = allocated_beside();
    churn(crowd);
    assert_in_range(allocated_beside(), 0, beside + 96 * 1024);
    assert_in_range(crowd->fixture.store.status.bytes, 1, FEW_BYTES + FEW_BYTES / 4);
}

static void targets__that_come_and_go_in_memory__leave_it_within_its_bound(void **state)
{
    assert_bounded(*state);
    assert_in_range(sqlite3_memory_used(), 1, (1 << 20) + FEW_BYTES);
}

static void targets__that_come_and_go__leave_the_disk_and_memory_within_their_bounds(void **state)
{
    assert_bounded(*state);
    assert_in_range(sqlite3_memory_used(), 1, (1 << 20) + FEW_BYTES);
}

/* Long intervals have as much to thin out in fewer steps. */
static void targets__by_the_hundred_at_a_long_interval__are_thinned_out_in_time(void **state)
{
    struct crowd *crowd = *state;
    struct store_fixture *f = &crowd->fixture;
    uint64_t oldest_ms = 0;

    f->store.limits.bytes = UINT64_C(64) << 20;
    f->store.limits.full_ns = 600 * NS_PER_SECOND;
    for (size_t i = 0; i < ARRAY_SIZE(crowd->accounts); i++)
        bear(crowd, &crowd->accounts[i]);
    for (unsigned minute = 0; minute < (IS_SANITIZED ? 120 : 180); minute++)
        count_crowd(crowd, 60);
    assert_int_equal(database_ask(&f->store.past.memory,
                                  "SELECT min(end) FROM chunks WHERE level = 0", &oldest_ms),
                     0);
    assert_true(oldest_ms * 1000000 + f->store.limits.full_ns + THINNING_WINDOW_NS +
                    600 * NS_PER_SECOND >=
                f->realtime_ns);
}

static void insert_many(struct history_store *store)
{
    assert_int_equal(
        database_run(&store->past.disk,
                     "INSERT INTO layouts VALUES (1, x'00');"
                     "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 50000)"
                     " INSERT INTO targets SELECT i, 'cgroup:/' || i, 'cgroup', x'' FROM n;"
                     "INSERT INTO chunks SELECT id, id, 1, 2, 5, 6, x'00' FROM targets"),
        0);
}

static void targets__are_listed_without_memory_for_those_that_are_not(void **state)
{
    struct crowd *crowd = *state;
    struct history_store *store = &crowd->fixture.store;
    AUTO(history_targets) struct history_targets *targets = NULL;

    insert_many(store);
    (void)sqlite3_memory_highwater(true);
    assert_int_equal(history_store_targets(store, 0, UINT64_MAX, &targets), 0);
    assert_int_equal(targets->n_targets, HISTORY_LISTED_MAX);
    assert_in_range(sqlite3_memory_highwater(false), 1, 1 << 20);
}

#define DAY_MS       UINT64_C(86400000)
#define FIRST_MS     (UINT64_C(15000) * DAY_MS)
#define MANY_STEPS   1000
#define MS_OF_DAY(n) (FIRST_MS + (uint64_t)(n)*DAY_MS)

static int count_step(void *context)
{
    (*(size_t *)context)++;
    return 0;
}

/* How many targets a day has, and in how many steps of SQLite that was found out. */
static size_t list_day(struct history_store *store, unsigned day, size_t *ret_steps)
{
    AUTO(history_targets) struct history_targets *targets = NULL;

    *ret_steps = 0;
    sqlite3_progress_handler(store->past.disk.handle, 1, count_step, ret_steps);
    assert_int_equal(history_store_targets(store, MS_OF_DAY(day) * 1000000,
                                           MS_OF_DAY(day + 1) * 1000000, &targets),
                     0);
    sqlite3_progress_handler(store->past.disk.handle, 0, NULL, NULL);
    return targets->n_targets;
}

/* Half of 50,000 targets were there at noon of the third day, the others at that of the seventh. */
static void insert_days(struct history_store *store, unsigned level)
{
    char statement[256];

    insert_many(store);
    (void)snprintf(statement, sizeof(statement),
                   "UPDATE chunks SET level = %u, start = %" PRIu64
                   " + iif(id %% 2, 2, 6) * %" PRIu64 "; UPDATE chunks SET end = start + 1800000",
                   level, FIRST_MS + DAY_MS / 2, DAY_MS);
    assert_int_equal(database_run(&store->past.disk, statement), 0);
}

static void targets__of_a_range_without_chunks_are_not_looked_for(void **state)
{
    struct crowd *crowd = *state;
    struct history_store *store = &crowd->fixture.store;
    size_t steps;

    for (unsigned level = 0; level < 3; level++) {
        assert_int_equal(database_run(&store->past.disk, "DELETE FROM chunks; DELETE FROM targets;"
                                                         "DELETE FROM layouts"),
                         0);
        insert_days(store, level);
        for (unsigned day = 0; day < 10; day++) {
            const size_t n = list_day(store, day, &steps);

            assert_int_equal(n, day == 2 || day == 6 ? HISTORY_LISTED_MAX : 0);
            if (n == 0)
                assert_in_range(steps, 1, MANY_STEPS);
        }
    }
}

/* As where the clock was set. */
static void targets__a_chunk_that_is_much_longer_than_others_is_found_in_its_midst(void **state)
{
    struct crowd *crowd = *state;
    struct history_store *store = &crowd->fixture.store;
    size_t steps;

    insert_days(store, 0);
    assert_int_equal(list_day(store, 4, &steps), 0);
    assert_int_equal(
        database_run(&store->past.disk, "UPDATE chunks SET end = start + 345600000 WHERE id = 1"),
        0);
    assert_int_equal(list_day(store, 4, &steps), 1);
}

/* A file of an earlier version has an index less. */
static void targets__of_a_file_of_an_earlier_version_are_listed(void **state)
{
    struct crowd *crowd = *state;
    struct history_store *store = &crowd->fixture.store;
    size_t steps;

    insert_days(store, 2);
    assert_int_equal(database_run(&store->past.disk, "DROP INDEX chunks_by_length"), 0);
    fixture_kill(&crowd->fixture);
    assert_int_equal(list_day(store, 2, &steps), HISTORY_LISTED_MAX);
    assert_int_equal(list_day(store, 4, &steps), 0);
    assert_in_range(steps, 1, MANY_STEPS);
}

/* The clock was set, so that nothing goes because of its age. */
static void targets__that_are_too_many_go_in_portions(void **state)
{
    struct crowd *crowd = *state;
    struct history_store *store = &crowd->fixture.store;
    uint64_t bytes = 0;

    insert_many(store);
    store->no_aging_until_ns = UINT64_MAX;
    history_store_renew_status(store); /* with the limit of this test */
    for (size_t i = 0; i < ARRAY_SIZE(crowd->accounts); i++)
        bear(crowd, &crowd->accounts[i]);
    count_crowd(crowd, 60);
    assert_true(crowd->goes_on);
    assert_int_equal(database_size(&store->past.disk, &bytes), 0);
    assert_in_range(bytes, 1, FEW_BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            targets__that_come_and_go_in_memory__leave_it_within_its_bound, set_up_memory,
            tear_down),
        cmocka_unit_test_setup_teardown(
            targets__that_come_and_go__leave_the_disk_and_memory_within_their_bounds, set_up_disk,
            tear_down),
        cmocka_unit_test_setup_teardown(
            targets__by_the_hundred_at_a_long_interval__are_thinned_out_in_time, set_up_memory,
            tear_down),
        cmocka_unit_test_setup_teardown(targets__that_are_too_many_go_in_portions, set_up_disk,
                                        tear_down),
        cmocka_unit_test_setup_teardown(targets__are_listed_without_memory_for_those_that_are_not,
                                        set_up_disk, tear_down),
        cmocka_unit_test_setup_teardown(targets__of_a_range_without_chunks_are_not_looked_for,
                                        set_up_disk, tear_down),
        cmocka_unit_test_setup_teardown(
            targets__a_chunk_that_is_much_longer_than_others_is_found_in_its_midst, set_up_disk,
            tear_down),
        cmocka_unit_test_setup_teardown(targets__of_a_file_of_an_earlier_version_are_listed,
                                        set_up_disk, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
