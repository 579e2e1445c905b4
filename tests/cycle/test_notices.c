/* SPDX-License-Identifier: Apache-2.0 */

/* What the log says of cgroups, on standard error, which each cycle here goes into a file. */
#include "cycle/collector_fixture.h"

#include "support/capture.h"

#define RULES                                                                                      \
    "groups: [{name: software, events: [page-faults]}]\n"                                          \
    "targets: {cgroups: [{include: [\"/*\"], groups: [software]}]"
#define CGROUPS RULES "}\n"
#define BOTH    RULES ", system: {groups: [software]}}\n"

#define NONE "no cgroup matches the rules of targets.cgroups now"
#define COST                                                                                       \
    "system and cgroups are counted together: that adds at most about 0.5 us to each switch "      \
    "between two counted cgroups"

/* Returns what one cycle logs. It stands until the next call. */
static const char *cycle_log(struct fixture *f)
{
    static struct capture capture;

    capture_begin(&capture, STDERR_FILENO);
    cycle(f);
    return capture_end(&capture);
}

static void rules__that_match_no_cgroup_at_first_are_told_once(void **state)
{
    struct fixture *f = *state;

    start(f, CGROUPS);
    assert_non_null(strstr(cycle_log(f), NONE));
    assert_null(strstr(cycle_log(f), NONE));
    make(f, "a");
    assert_null(strstr(cycle_log(f), NONE));
}

static void rules__that_match_are_not_told_then_or_later(void **state)
{
    struct fixture *f = *state;

    start(f, CGROUPS);
    make(f, "a");
    assert_null(strstr(cycle_log(f), NONE));
    destroy(f, "a");
    assert_null(strstr(cycle_log(f), NONE));
}

static void rules__of_a_reload_are_told_afresh(void **state)
{
    struct fixture *f = *state;

    start(f, CGROUPS);
    make(f, "a");
    assert_null(strstr(cycle_log(f), NONE));
    start_successor(f, "groups: [{name: software, events: [page-faults]}]\n"
                       "targets: {cgroups: [{include: [\"/none\"], groups: [software]}]}\n");
    assert_non_null(strstr(cycle_log(f), NONE));
}

static void cost__is_told_once_and_only_where_a_cgroup_is_counted(void **state)
{
    struct fixture *f = *state;

    start(f, BOTH);
    assert_null(strstr(cycle_log(f), "counted together"));
    make(f, "a");
    assert_non_null(strstr(cycle_log(f), COST));
    assert_null(strstr(cycle_log(f), COST));
    start_successor(f, BOTH);
    assert_null(strstr(cycle_log(f), COST));
}

static void cost__is_none_without_the_machine(void **state)
{
    struct fixture *f = *state;

    start(f, CGROUPS);
    make(f, "a");
    assert_null(strstr(cycle_log(f), "counted together"));
}

/* The second time the line comes later, if the reason still stands then. */
static void targets__that_are_left_out_again_soon_are_told_once(void **state)
{
    struct fixture *f = *state;

    start(f, "limits: {cgroups: 1}\n" CGROUPS);
    make(f, "a");
    cycle(f);
    make(f, "b");
    assert_non_null(strstr(cycle_log(f), "reason=over_limit"));
    destroy(f, "b");
    assert_null(strstr(cycle_log(f), "over_limit"));
    assert_int_equal(f->snapshot->status.uncounted[SCOPE_CGROUP][ABSENCE_OVER_LIMIT], 0);
    make(f, "b");
    assert_null(strstr(cycle_log(f), "over_limit"));
    assert_int_equal(f->snapshot->status.uncounted[SCOPE_CGROUP][ABSENCE_OVER_LIMIT], 1);
}

static void targets__that_are_not_counted_are_told_with_what_helps(void **state)
{
    struct fixture *f = *state;

    start(f, CGROUPS "limits: {cgroups: 1}\n");
    make(f, "a");
    make(f, "b");
    assert_non_null(strstr(cycle_log(f), "reason=over_limit targets=1 hint=\"raise limits: in "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(rules__that_match_no_cgroup_at_first_are_told_once),
        TEST(rules__that_match_are_not_told_then_or_later),
        TEST(rules__of_a_reload_are_told_afresh),
        TEST(cost__is_told_once_and_only_where_a_cgroup_is_counted),
        TEST(cost__is_none_without_the_machine),
        TEST(targets__that_are_left_out_again_soon_are_told_once),
        TEST(targets__that_are_not_counted_are_told_with_what_helps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
