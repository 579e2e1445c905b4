/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <stdio.h>
#include <string.h>

#include "count/pmu_budget.h"

#define MOST_CLAIMS 6
#define MOST_RULES  3

#define P SCOPE_PROCESS
#define C SCOPE_CGROUP
#define S SCOPE_SYSTEM

/* A machine on which so many counters were found free; the budget is what `auto` takes. */
#define AUTO_OF(n_free)                                                                            \
    {                                                                                              \
        true, n_free                                                                               \
    }
#define NUMBER(number)                                                                             \
    {                                                                                              \
        false, number                                                                              \
    }

static const struct row {
    const char *what;
    struct {
        bool is_auto;
        size_t counters;
    } limit;
    struct {
        enum scope_kind kind;
        size_t wanted, granted;
    } claims[MOST_CLAIMS];
    size_t n_claims;
    uint16_t chains[3][MOST_RULES];
    size_t n_chains;
    struct pmu_division division;
} rows[] = {
    /* machines, with the built-in default: four events, for cgroups and the system */
    {"no counters", AUTO_OF(0), {{C, 4, 0}, {S, 4, 0}}, 2, {{0}}, 0, {0, 0, 0}},
    {"one counter", AUTO_OF(1), {{C, 4, 0}, {S, 4, 0}}, 2, {{0}}, 0, {0, 0, 0}},
    {"two counters", AUTO_OF(2), {{C, 4, 1}, {S, 4, 0}}, 2, {{0}}, 0, {0, 1, 0}},
    {"four counters", AUTO_OF(4), {{C, 4, 2}, {S, 4, 0}}, 2, {{0}}, 0, {0, 2, 0}},
    {"six counters", AUTO_OF(6), {{C, 4, 3}, {S, 4, 0}}, 2, {{0}}, 0, {0, 3, 0}},
    {"six and cycles", AUTO_OF(7), {{C, 4, 3}, {S, 4, 0}}, 2, {{0}}, 0, {0, 3, 0}},
    {"eight and three fixed", AUTO_OF(11), {{C, 4, 4}, {S, 4, 1}}, 2, {{0}}, 0, {0, 4, 1}},
    {"sixteen", AUTO_OF(16), {{C, 4, 4}, {S, 4, 4}}, 2, {{0}}, 0, {0, 4, 4}},

    /* only one scope is counted */
    {"system alone", AUTO_OF(6), {{S, 4, 3}}, 1, {{0}}, 0, {0, 0, 3}},
    {"system that fits", AUTO_OF(8), {{S, 4, 4}}, 1, {{0}}, 0, {0, 0, 4}},
    {"processes alone", AUTO_OF(6), {{P, 4, 3}}, 1, {{0}}, 0, {3, 0, 0}},
    {"nothing wanted", AUTO_OF(6), {{C, 0, 0}, {S, 0, 0}}, 2, {{0}}, 0, {0, 0, 0}},
    {"nothing at all", AUTO_OF(6), {{S, 0, 0}}, 0, {{0}}, 0, {0, 0, 0}},

    /* the budget is a number, or everything */
    {"a number", NUMBER(5), {{C, 4, 4}, {S, 4, 1}}, 2, {{0}}, 0, {0, 4, 1}},
    {"a number above what there is", NUMBER(100), {{C, 4, 4}, {S, 4, 4}}, 2, {{0}}, 0, {0, 4, 4}},
    {"the number 0", NUMBER(0), {{P, 1, 0}, {C, 4, 0}, {S, 4, 0}}, 3, {{0}}, 0, {0, 0, 0}},
    {"all", NUMBER(PMU_COUNTERS_ALL), {{P, 9, 9}, {C, 7, 7}, {S, 4, 4}}, 3, {{0}}, 0, {9, 7, 4}},
    {"all, nested", NUMBER(PMU_COUNTERS_ALL), {{C, 7, 7}, {S, 4, 4}}, 2, {{5}}, 1, {0, 35, 4}},

    /* in which order scopes are served */
    {"processes go first", NUMBER(4), {{S, 4, 0}, {C, 4, 1}, {P, 3, 3}}, 3, {{0}}, 0, {3, 1, 0}},
    {"processes take all", NUMBER(3), {{S, 4, 0}, {C, 4, 0}, {P, 4, 3}}, 3, {{0}}, 0, {3, 0, 0}},
    {"the largest class of processes counts",
     NUMBER(6),
     {{C, 4, 3}, {P, 1, 1}, {P, 3, 3}, {P, 2, 2}, {S, 2, 0}},
     5,
     {{0}},
     0,
     {3, 3, 0}},
    {"each class of processes has the whole budget",
     NUMBER(2),
     {{P, 2, 2}, {P, 5, 2}},
     2,
     {{0}},
     0,
     {2, 0, 0}},
    {"the system has what is left", NUMBER(6), {{S, 4, 2}, {C, 4, 4}}, 2, {{0}}, 0, {0, 4, 2}},

    /* rules whose targets do not nest share nothing */
    {"two rules beside each other",
     NUMBER(3),
     {{C, 4, 3}, {C, 2, 2}, {S, 1, 0}},
     3,
     {{0}},
     0,
     {0, 3, 0}},
    {"the largest rule counts",
     NUMBER(4),
     {{C, 1, 1}, {C, 2, 2}, {S, 4, 2}},
     3,
     {{0}},
     0,
     {0, 2, 2}},

    /* each of the nested targets takes counters of its own */
    {"two levels", NUMBER(4), {{C, 4, 2}, {S, 4, 0}}, 2, {{2}}, 1, {0, 4, 0}},
    {"two levels, one left over", NUMBER(5), {{C, 4, 2}, {S, 4, 1}}, 2, {{2}}, 1, {0, 4, 1}},
    {"three levels", NUMBER(6), {{C, 1, 1}, {S, 4, 3}}, 2, {{3}}, 1, {0, 3, 3}},
    {"deeper than the budget", NUMBER(3), {{C, 4, 0}, {S, 2, 2}}, 2, {{4}}, 1, {0, 0, 2}},
    {"as deep as the budget", NUMBER(3), {{C, 4, 1}, {S, 2, 0}}, 2, {{3}}, 1, {0, 3, 0}},
    {"nested under processes",
     NUMBER(5),
     {{P, 3, 3}, {C, 4, 1}, {S, 1, 0}},
     3,
     {{2}},
     1,
     {3, 2, 0}},
    {"a rule within another",
     NUMBER(6),
     {{C, 4, 4}, {C, 4, 2}, {S, 1, 0}},
     3,
     {{1, 1}},
     1,
     {0, 6, 0}},
    {"the first rule first",
     NUMBER(4),
     {{C, 4, 4}, {C, 4, 0}, {S, 1, 0}},
     3,
     {{1, 1}},
     1,
     {0, 4, 0}},
    {"the deepest chain counts",
     NUMBER(8),
     {{C, 2, 2}, {C, 4, 4}, {S, 4, 2}},
     3,
     {{3, 0}, {1, 1}},
     2,
     {0, 6, 2}},
    {"one rule in two chains",
     NUMBER(8),
     {{C, 2, 2}, {C, 4, 2}, {S, 4, 0}},
     3,
     {{1, 1}, {2, 2}},
     2,
     {0, 8, 0}},
    {"three rules, the last in no chain",
     NUMBER(6),
     {{C, 2, 2}, {C, 3, 2}, {C, 5, 5}},
     3,
     {{2, 1, 0}},
     1,
     {0, 6, 0}},
};

static size_t n_rules_of(const struct row *row)
{
    size_t n = 0;

    for (size_t i = 0; i < row->n_claims; i++)
        n += row->claims[i].kind == SCOPE_CGROUP;
    return n;
}

static void check_row(const struct row *row)
{
    const size_t budget =
        row->limit.is_auto ? pmu_budget_half(row->limit.counters) : row->limit.counters;
    AUTO(pmu_chains) struct pmu_chains *chains = NULL;
    struct pmu_claim claims[MOST_CLAIMS];
    struct pmu_division division;

    assert_int_equal(pmu_chains_new(n_rules_of(row), &chains), 0);
    for (size_t i = 0; i < row->n_chains; i++)
        pmu_chains_add(chains, row->chains[i]);
    for (size_t i = 0; i < row->n_claims; i++)
        claims[i] = (struct pmu_claim){row->claims[i].kind, row->claims[i].wanted, 12345};
    pmu_budget_divide(budget, claims, row->n_claims, chains, &division);
    for (size_t i = 0; i < row->n_claims; i++)
        if (claims[i].granted != row->claims[i].granted)
            fail_msg("%s: claim %zu has %zu, not %zu", row->what, i, claims[i].granted,
                     row->claims[i].granted);
    if (memcmp(&division, &row->division, sizeof(division)) != 0)
        fail_msg("%s: active at once are %zu + %zu + %zu", row->what, division.processes,
                 division.cgroups, division.system);
    assert_true(pmu_division_sum(&division) <= budget);
}

static void divide__gives_each_class_what_fits(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        check_row(&rows[i]);
}

static void divide__no_chains_is_no_nesting(void **state)
{
    struct pmu_claim claims[] = {{SCOPE_CGROUP, 4, 0}, {SCOPE_SYSTEM, 4, 0}};
    struct pmu_division division;

    (void)state;
    pmu_budget_divide(6, claims, 2, NULL, &division);
    assert_int_equal(claims[0].granted, 4);
    assert_int_equal(claims[1].granted, 2);
}

static void chains__what_another_contains_is_not_kept(void **state)
{
    static const uint16_t short_one[] = {1, 1}, long_one[] = {2, 1}, other[] = {0, 3};
    AUTO(pmu_chains) struct pmu_chains *chains = NULL;

    (void)state;
    assert_int_equal(pmu_chains_new(2, &chains), 0);
    pmu_chains_add(chains, short_one);
    pmu_chains_add(chains, other);
    pmu_chains_add(chains, long_one);
    pmu_chains_add(chains, short_one);
    pmu_chains_add(chains, other);
    assert_int_equal(chains->n, 2);
    assert_memory_equal(chains->depths, other, sizeof(other));
    assert_memory_equal(chains->depths + 2, long_one, sizeof(long_one));
}

static void chains__beyond_their_room_the_last_stands_for_several(void **state)
{
    AUTO(pmu_chains) struct pmu_chains *chains = NULL;

    (void)state;
    assert_int_equal(pmu_chains_new(2, &chains), 0);
    for (uint16_t i = 0; i < 70; i++) {
        const uint16_t depths[] = {i, (uint16_t)(69 - i)};

        pmu_chains_add(chains, depths);
    }
    assert_int_equal(chains->n, 64);
    assert_int_equal(chains->depths[2 * 63], 69);
    assert_int_equal(chains->depths[2 * 63 + 1], 69 - 63);
}

/* Two groups: software and two PMU events; a PMU event, an absent one, and a PMU event. */
static struct event_groups *make_groups(struct event events[static 6])
{
    const struct event *pointers[6];
    const struct group_spec specs[] = {{"a", pointers, 3}, {"b", pointers + 3, 3}};
    struct event_groups *groups = NULL;

    for (size_t i = 0; i < 6; i++) {
        events[i] = (struct event){.name = (char *)"event", .takes_counter = i > 0 && i != 4};
        pointers[i] = &events[i];
    }
    events[4].absence = ABSENCE_UNKNOWN_EVENT;
    assert_int_equal(event_groups_new(SCOPE_CGROUP, specs, 2, &groups), 0);
    return groups;
}

static void groups__the_first_events_of_the_pmu_have_the_counters(void **state)
{
    static const struct {
        size_t granted;
        bool counted[6];
    } cases[] = {
        {0, {1, 0, 0, 0, 0, 0}}, {1, {1, 1, 0, 0, 0, 0}}, {2, {1, 1, 1, 0, 0, 0}},
        {3, {1, 1, 1, 1, 0, 0}}, {4, {1, 1, 1, 1, 0, 1}}, {9, {1, 1, 1, 1, 0, 1}},
        {1, {1, 1, 0, 0, 0, 0}}, /* what was left out before is counted as soon as it fits */
    };
    struct event events[6];
    AUTO(event_groups) struct event_groups *groups = make_groups(events);
    enum absence absences[6] = {[4] = ABSENCE_UNKNOWN_EVENT};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        event_groups_grant_counters(groups, cases[i].granted, absences);
        assert_int_equal(event_groups_wanted_counters(groups, absences), 4);
        for (size_t e = 0; e < 6; e++)
            assert_int_equal(absences[e], cases[i].counted[e] ? ABSENCE_NONE
                                          : e == 4            ? ABSENCE_UNKNOWN_EVENT
                                                              : ABSENCE_OVER_BUDGET);
    }
}

static void groups__what_the_kernel_refuses_wants_no_counter(void **state)
{
    struct event events[6];
    AUTO(event_groups) struct event_groups *groups = make_groups(events);
    enum absence absences[6] = {[2] = ABSENCE_GROUP_TOO_LARGE, [4] = ABSENCE_UNKNOWN_EVENT};

    (void)state;
    assert_int_equal(event_groups_wanted_counters(groups, absences), 3);
    event_groups_grant_counters(groups, 2, absences);
    assert_int_equal(absences[2], ABSENCE_GROUP_TOO_LARGE);
    assert_int_equal(absences[3], ABSENCE_NONE);
    assert_int_equal(absences[5], ABSENCE_OVER_BUDGET);
}

/* Sharers of the six events, each with two groups "a" and "b". */
struct sharers {
    struct event events[6];
    struct event_groups *groups[3];
    enum absence absences[3][6];
    struct pmu_sharer sharers[3];
};

static int make_sharers(void **state)
{
    struct sharers *s = calloc(1, sizeof(*s));

    for (size_t i = 0; i < ARRAY_SIZE(s->sharers); i++) {
        s->groups[i] = make_groups(s->events);
        s->absences[i][4] = ABSENCE_UNKNOWN_EVENT;
        s->sharers[i] = (struct pmu_sharer){.groups = s->groups[i], .absences = s->absences[i]};
    }
    for (size_t i = 0; i < 6; i++)
        s->events[i].code.config = i;
    *state = s;
    return 0;
}

static int free_sharers(void **state)
{
    struct sharers *s = *state;

    for (size_t i = 0; i < ARRAY_SIZE(s->groups); i++)
        (void)event_groups_free(s->groups[i]);
    free(s);
    return 0;
}

static void share__a_group_that_several_have_takes_its_counters_once(void **state)
{
    struct sharers *s = *state;

    assert_int_equal(pmu_budget_share(4, s->sharers, 3), 4);
    assert_int_equal(s->sharers[0].taken, 4);
    assert_int_equal(s->sharers[1].taken, 0);
    for (size_t i = 0; i < 3; i++)
        for (size_t e = 0; e < 6; e++)
            assert_int_equal(s->absences[i][e], e == 4 ? ABSENCE_UNKNOWN_EVENT : ABSENCE_NONE);
}

static void share__what_does_not_fit_is_left_out_of_all_that_have_the_group(void **state)
{
    struct sharers *s = *state;

    assert_int_equal(pmu_budget_share(3, s->sharers, 2), 3);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(s->absences[i][3], ABSENCE_NONE);
        assert_int_equal(s->absences[i][5], ABSENCE_OVER_BUDGET);
    }
    assert_int_equal(pmu_budget_share(PMU_COUNTERS_ALL, s->sharers, 2),
                     4); /* what was left out is counted again */
    assert_int_equal(s->absences[1][5], ABSENCE_NONE);
}

static void share__groups_that_lack_different_events_are_different(void **state)
{
    struct sharers *s = *state;

    s->absences[1][1] = ABSENCE_NOT_SUPPORTED; /* so that its group "a" is another one than that of
                                                  the first sharer */
    assert_int_equal(pmu_budget_share(5, s->sharers, 3), 5);
    assert_int_equal(s->sharers[0].taken, 4);
    assert_int_equal(s->sharers[1].taken, 1);
    assert_int_equal(s->sharers[2].taken, 0);
    assert_int_equal(pmu_budget_share(4, s->sharers, 3), 4);
    assert_int_equal(s->absences[1][2], ABSENCE_OVER_BUDGET);
    assert_int_equal(s->absences[1][3], ABSENCE_NONE);
}

#define SHARE_TEST(name) cmocka_unit_test_setup_teardown(name, make_sharers, free_sharers)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(divide__gives_each_class_what_fits),
        cmocka_unit_test(divide__no_chains_is_no_nesting),
        cmocka_unit_test(chains__what_another_contains_is_not_kept),
        cmocka_unit_test(chains__beyond_their_room_the_last_stands_for_several),
        cmocka_unit_test(groups__the_first_events_of_the_pmu_have_the_counters),
        cmocka_unit_test(groups__what_the_kernel_refuses_wants_no_counter),
        SHARE_TEST(share__a_group_that_several_have_takes_its_counters_once),
        SHARE_TEST(share__what_does_not_fit_is_left_out_of_all_that_have_the_group),
        SHARE_TEST(share__groups_that_lack_different_events_are_different),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
