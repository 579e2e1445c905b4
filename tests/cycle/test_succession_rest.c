/* SPDX-License-Identifier: Apache-2.0 */

/* Cgroups that are counted no more because there is no room for them, and again later. */
#include "cycle/collector_fixture.h"

/* Nothing lingers, so that whatever stays does so because it rests. */
static const char brief[] = "linger: 0s\n"
                            "groups: [{name: software, events: [page-faults]}]\n"
                            "targets: {cgroups: [{include: [\"/*\"], groups: [software]}]}\n";

static uint64_t start_time(const struct fixture *f, const char *path)
{
    const union number *number = find(f, path, COLUMN_START_TIME);

    assert_non_null(number);
    return number->count;
}

static uint64_t uncounted(const struct fixture *f)
{
    return f->snapshot->status.uncounted[SCOPE_CGROUP][ABSENCE_NO_DESCRIPTORS];
}

static void have_counted(struct fixture *f, const char *name, uint64_t faults)
{
    make(f, name);
    cycle(f);
    count(f, faults);
    cycle(f);
}

/* Counts 5 faults of /a. Returns its start time. */
static uint64_t start_with_five(struct fixture *f)
{
    start(f, brief);
    have_counted(f, "a", 5);
    return start_time(f, "/a");
}

/* The limit of open files changes to one under which so many cgroups are counted. */
static void allow(struct fixture *f, size_t cgroups)
{
    f->descriptors = cgroups * (collector_n_cpus(f->collector) + 1);
    start_successor(f, brief);
    cycle(f);
}

static void
cgroup__without_room_keeps_what_it_has_counted_and_goes_on_in_the_same_birth(void **state)
{
    struct fixture *f = *state;
    const uint64_t begin = start_with_five(f);

    count(f, 2); /* not read yet when it loses its counters */
    for (uint64_t round = 0; round < 3; round++) {
        allow(f, 0);
        cycle(f);
        assert_int_equal(f->perf.n_open, 0);
        assert_int_equal(total(f, "/a"), 7 + 4 * round);
        assert_int_equal(start_time(f, "/a"), begin);
        assert_true(isnan(find(f, "/a", COLUMN_RATE)->real));
        assert_int_equal(uncounted(f), 1);
        allow(f, 1);
        assert_int_equal(uncounted(f), 0);
        count(f, 4);
        cycle(f);
        assert_int_equal(total(f, "/a"), 11 + 4 * round);
        assert_int_equal(start_time(f, "/a"), begin);
        assert_int_equal(f->snapshot->roster->parts[0].n, 1);
    }
}

static void cgroup__rests_through_reloads(void **state)
{
    struct fixture *f = *state;
    const uint64_t begin = start_with_five(f);

    allow(f, 0);
    allow(f, 0);
    cycle(f);
    allow(f, 0);
    assert_int_equal(total(f, "/a"), 5);
    allow(f, 1);
    assert_int_equal(total(f, "/a"), 5);
    assert_int_equal(start_time(f, "/a"), begin);
}

static void cgroup__goes_on_when_another_leaves_it_room(void **state)
{
    struct fixture *f = *state;
    const char *rests, *counted;
    uint64_t begin;

    start(f, brief);
    make(f, "b");
    have_counted(f, "a", 5);
    allow(f, 1);
    count(f, 3);
    cycle(f);
    rests = total(f, "/a") == 5 ? "/a" : "/b";
    counted = total(f, "/a") == 5 ? "/b" : "/a";
    assert_int_equal(total(f, rests), 5);
    assert_int_equal(total(f, counted), 8);
    begin = start_time(f, rests);
    destroy(f, counted + 1);
    cycle(f);
    count(f, 1);
    cycle(f);
    assert_int_equal(total(f, rests), 6);
    assert_int_equal(start_time(f, rests), begin);
    assert_int_equal(f->snapshot->status.targets[SCOPE_CGROUP], 1);
    assert_int_equal(f->snapshot->roster->parts[0].n, 1);
}

static void cgroup__that_ends_while_it_rests_does_not_stay(void **state)
{
    struct fixture *f = *state;

    (void)start_with_five(f);
    allow(f, 0);
    destroy(f, "a");
    cycle(f);
    assert_null(find(f, "/a", COLUMN_TOTAL));
    assert_int_equal(uncounted(f), 0);
}

static void cgroup__that_is_born_again_while_the_first_rests_starts_at_zero(void **state)
{
    struct fixture *f = *state;
    const uint64_t begin = start_with_five(f);

    allow(f, 0);
    destroy(f, "a");
    make(f, "a");
    allow(f, 1);
    cycle(f);
    assert_int_equal(total(f, "/a"), 0);
    assert_true(start_time(f, "/a") > begin);
    assert_int_equal(f->snapshot->roster->parts[0].n, 1);
}

static void cgroups__that_rest_are_within_the_limits(void **state)
{
    struct fixture *f = *state;
    const char *names[] = {"a", "b", "c"};
    /* A row is 9 series (tests/cycle/test_collector.c). */
    static const char few_series[] =
        "linger: 0s\n"
        "groups: [{name: software, events: [page-faults]}]\n"
        "targets: {cgroups: [{include: [\"/*\"], groups: [software]}]}\n"
        "limits: {series: 19}\n";

    start(f, brief);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        have_counted(f, names[i], 1);
    f->descriptors = 0;
    start_successor(f, few_series);
    cycle(f);
    assert_int_equal(f->snapshot->roster->parts[0].n, 2);
    assert_int_equal(uncounted(f), 3);
    f->descriptors = 200;
    start_successor(f, few_series);
    cycle(f);
    assert_int_equal(f->snapshot->roster->parts[0].n, 2);
    assert_int_equal(f->snapshot->status.targets[SCOPE_CGROUP], 2);
    assert_int_equal(f->snapshot->status.uncounted[SCOPE_CGROUP][ABSENCE_OVER_LIMIT], 1);
}

static void start_with_series(struct fixture *f, unsigned series,
                              void (*begin)(struct fixture *, const char *))
{
    char yaml[256];

    (void)snprintf(yaml, sizeof(yaml),
                   "groups: [{name: software, events: [page-faults]}]\n"
                   "targets: {cgroups: [{include: [\"/a\", \"/a/*\"], groups: [software]}]}\n"
                   "limits: {series: %u}\n",
                   series);
    begin(f, yaml);
    cycle(f);
}

/* There is room for two rows; one top-level cgroup may have three quarters of it, which is one. */
static void cgroup__without_its_share_of_the_series_rests_too(void **state)
{
    struct fixture *f = *state;
    const char *rests;

    make(f, "a");
    make(f, "a/x");
    start_with_series(f, 1000, start);
    count(f, 5);
    cycle(f);
    start_with_series(f, 19, start_successor);
    assert_int_equal(f->snapshot->status.uncounted[SCOPE_CGROUP][ABSENCE_OVER_LIMIT], 1);
    assert_int_equal(f->snapshot->roster->parts[0].n, 2);
    rests = isnan(find(f, "/a", COLUMN_RATE)->real) ? "/a" : "/a/x";
    assert_int_equal(total(f, rests), 5);
    start_with_series(f, 1000, start_successor);
    count(f, 2);
    cycle(f);
    assert_int_equal(total(f, "/a"), 7);
    assert_int_equal(total(f, "/a/x"), 7);
    assert_int_equal(f->snapshot->roster->parts[0].n, 2);
    destroy(f, "a/x");
}

/* While the cgroup rested its account might be dropped for others; once it counts it may not. */
static void cgroup__that_goes_on_leaves_room_for_another(void **state)
{
    struct fixture *f = *state;
    static const char few_series[] =
        "linger: 0s\n"
        "groups: [{name: software, events: [page-faults]}]\n"
        "targets: {cgroups: [{include: [\"/a/*\", \"/b\"], groups: [software]}]}\n"
        "limits: {series: 19}\n";
    const char *rests, *counted;

    make(f, "a");
    make(f, "a/x");
    make(f, "a/y");
    start(f, "groups: [{name: software, events: [page-faults]}]\n"
             "targets: {cgroups: [{include: [\"/a/*\", \"/b\"], groups: [software]}]}\n");
    cycle(f);
    count(f, 5);
    cycle(f);
    start_successor(f, few_series);
    cycle(f);
    rests = isnan(find(f, "/a/x", COLUMN_RATE)->real) ? "/a/x" : "/a/y";
    counted = strcmp(rests, "/a/x") == 0 ? "/a/y" : "/a/x";
    destroy(f, counted + 1);
    cycle(f);
    count(f, 1);
    cycle(f);
    assert_int_equal(total(f, rests), 6);
    make(f, "b");
    cycle(f);
    assert_int_equal(f->snapshot->status.uncounted[SCOPE_CGROUP][ABSENCE_OVER_LIMIT], 0);
    assert_int_equal(f->snapshot->status.targets[SCOPE_CGROUP], 2);
    destroy(f, rests + 1);
}

static void cgroup__born_again_without_its_share_does_not_get_the_totals_of_the_first(void **state)
{
    struct fixture *f = *state;

    make(f, "a");
    make(f, "a/x");
    start_with_series(f, 1000, start);
    count(f, 5);
    cycle(f);
    destroy(f, "a/x");
    make(f, "a/x");
    start_with_series(f, 19, start_successor);
    start_with_series(f, 1000, start_successor);
    cycle(f);
    assert_int_equal(total(f, "/a"), 5);
    assert_int_equal(total(f, "/a/x"), 0);
    assert_int_equal(f->snapshot->roster->parts[0].n, 2);
    destroy(f, "a/x");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(cgroup__without_room_keeps_what_it_has_counted_and_goes_on_in_the_same_birth),
        TEST(cgroup__rests_through_reloads),
        TEST(cgroup__goes_on_when_another_leaves_it_room),
        TEST(cgroup__that_ends_while_it_rests_does_not_stay),
        TEST(cgroup__that_is_born_again_while_the_first_rests_starts_at_zero),
        TEST(cgroups__that_rest_are_within_the_limits),
        TEST(cgroup__without_its_share_of_the_series_rests_too),
        TEST(cgroup__that_goes_on_leaves_room_for_another),
        TEST(cgroup__born_again_without_its_share_does_not_get_the_totals_of_the_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
