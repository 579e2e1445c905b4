/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include "base/clock.h"
#include "service/current_snapshot.h"

struct fixture {
    struct snapshot_slot *slot;
    struct current_snapshot current;
    struct exporter_status status;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    f->slot = snapshot_slot_new();
    f->current = (struct current_snapshot){.slot = f->slot, .procfs_fd = -1};
    f->status.interval_ns = NS_PER_SECOND;
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    (void)snapshot_slot_free(f->slot);
    free(f);
    return 0;
}

static void publish(struct fixture *f, uint64_t taken_ns)
{
    AUTO(catalogue) struct catalogue *catalogue = NULL;
    AUTO(roster) struct roster *roster = NULL;
    struct snapshot *snapshot;

    assert_int_equal(catalogue_new(NULL, 0, NULL, 0, &catalogue), 0);
    assert_int_equal(roster_new(catalogue, NULL, 0, &roster), 0);
    snapshot = snapshot_new(roster, NULL, 0, &f->status);
    assert_non_null(snapshot);
    snapshot->taken_ns = taken_ns;
    snapshot_slot_publish(f->slot, snapshot);
}

static const char *not_ready(struct fixture *f)
{
    publish(f, clock_monotonic_ns());
    return current_snapshot_not_ready(&f->current);
}

static void ready__is_not_before_the_first_cycle_nor_long_after_the_last(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(current_snapshot_not_ready(&f->current), "the first cycle is not complete");
    publish(f, clock_monotonic_ns() - 11 * NS_PER_SECOND);
    assert_string_equal(current_snapshot_not_ready(&f->current), "the last cycle is too long ago");
}

static void ready__is_who_has_nothing_to_count_yet(void **state)
{
    assert_null(not_ready(*state));
}

static void ready__is_not_who_may_count_nothing_and_the_reason_names_the_cure(void **state)
{
    struct fixture *f = *state;
    const char *reason;

    f->status.uncounted[SCOPE_CGROUP][ABSENCE_NOT_PERMITTED] = 3;
    reason = not_ready(f);
    assert_non_null(reason);
    assert_non_null(strstr(reason, "not_permitted"));
    assert_non_null(strstr(reason, "CAP_PERFMON"));
}

static void ready__is_not_who_has_no_descriptor_for_anything(void **state)
{
    struct fixture *f = *state;
    const char *reason;

    f->status.uncounted[SCOPE_PROCESS][ABSENCE_NO_DESCRIPTORS] = 1;
    reason = not_ready(f);
    assert_non_null(reason);
    assert_non_null(strstr(reason, "no_descriptors"));
}

static void ready__is_who_counts_something_whatever_is_left_out(void **state)
{
    struct fixture *f = *state;

    f->status.uncounted[SCOPE_PROCESS][ABSENCE_NOT_PERMITTED] = 5;
    f->status.targets[SCOPE_SYSTEM] = 1;
    assert_null(not_ready(f));
}

static void ready__is_who_lacks_only_what_the_machine_does_not_have(void **state)
{
    struct fixture *f = *state;

    f->status.uncounted[SCOPE_SYSTEM][ABSENCE_NO_PMU] = 1;
    assert_null(not_ready(f));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(ready__is_not_before_the_first_cycle_nor_long_after_the_last),
        TEST(ready__is_who_has_nothing_to_count_yet),
        TEST(ready__is_not_who_may_count_nothing_and_the_reason_names_the_cure),
        TEST(ready__is_not_who_has_no_descriptor_for_anything),
        TEST(ready__is_who_counts_something_whatever_is_left_out),
        TEST(ready__is_who_lacks_only_what_the_machine_does_not_have),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
