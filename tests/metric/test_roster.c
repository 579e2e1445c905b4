/* SPDX-License-Identifier: Apache-2.0 */
#include "metric/metric_fixture.h"

#include "metric/roster.h"

/* There are two plans, with rows of two and of three numbers, and accounts of both in turn. */
struct fixture {
    struct plan *plans[2];
    struct catalogue *catalogue;
    struct account *accounts[5];
};

static int set_up(void **state)
{
    static struct fixture fixture;
    static const struct {
        const char *name;
        size_t plan;
    } targets[] = {{"/a", 1}, {"/b", 0}, {"/c", 1}, {"/d", 0}, {"/e", 1}};

    fixture.plans[0] = fixture_plan("pmu_machine_", 0, 1);
    fixture.plans[1] = fixture_plan("pmu_cgroup_", 0, 2);
    assert_int_equal(catalogue_new(fixture.plans, 2, NULL, 0, &fixture.catalogue), 0);
    for (size_t i = 0; i < ARRAY_SIZE(targets); i++)
        fixture.accounts[i] =
            fixture_account(fixture.plans[targets[i].plan], targets[i].name, i + 1);
    *state = &fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    for (size_t i = 0; i < ARRAY_SIZE(f->accounts); i++)
        f->accounts[i] = account_free(f->accounts[i]);
    (void)catalogue_unref(f->catalogue);
    (void)plan_unref(f->plans[0]);
    (void)plan_unref(f->plans[1]);
    return 0;
}

static struct roster *make(const struct fixture *f, size_t n_accounts)
{
    struct roster *roster = NULL;

    assert_int_equal(roster_new(f->catalogue, f->accounts, n_accounts, &roster), 0);
    return roster;
}

static const char *name_of(const struct identity *identity)
{
    size_t n;
    const struct label *labels = identity_labels(identity, &n);

    assert_int_equal(n, 1);
    return labels[0].value;
}

static void rows__of_one_plan_follow_each_other(void **state)
{
    static const size_t rows[] = {6, 0, 10, 3, 14};
    const struct fixture *f = *state;
    AUTO(roster) struct roster *roster = make(f, 5);

    assert_int_equal(roster->n_numbers, 2 * 3 + 3 * 4) /* with a hidden number */;
    assert_int_equal(roster->parts[0].first, 0);
    assert_int_equal(roster->parts[1].first, 6);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        assert_int_equal(roster->rows[i], rows[i]);
}

static void identities__stand_in_the_order_of_their_rows(void **state)
{
    const struct fixture *f = *state;
    AUTO(roster) struct roster *roster = make(f, 5);

    assert_int_equal(roster->parts[0].n, 2);
    assert_string_equal(name_of(roster->parts[0].identities[0]), "/b");
    assert_string_equal(name_of(roster->parts[0].identities[1]), "/d");
    assert_int_equal(roster->parts[1].n, 3);
    assert_string_equal(name_of(roster->parts[1].identities[0]), "/a");
    assert_string_equal(name_of(roster->parts[1].identities[1]), "/c");
    assert_string_equal(name_of(roster->parts[1].identities[2]), "/e");
}

static void part__of_a_plan_without_targets_is_empty(void **state)
{
    const struct fixture *f = *state;
    AUTO(roster) struct roster *roster = make(f, 1);

    assert_int_equal(roster->parts[0].n, 0);
    assert_int_equal(roster->parts[1].n, 1);
    assert_int_equal(roster->rows[0], 0);
    assert_int_equal(roster->n_numbers, 4);
}

static void roster__of_nobody_has_no_numbers(void **state)
{
    const struct fixture *f = *state;
    AUTO(catalogue) struct catalogue *catalogue = NULL;
    AUTO(roster) struct roster *roster = make(f, 0);
    AUTO(roster) struct roster *planless = NULL;

    assert_int_equal(roster->n_numbers, 0);
    assert_int_equal(catalogue_new(NULL, 0, NULL, 0, &catalogue), 0);
    assert_int_equal(roster_new(catalogue, NULL, 0, &planless), 0);
    assert_int_equal(planless->n_numbers, 0);
}

/* All others drop their references: ASan sees whether the roster has some of its own. */
static void roster__keeps_catalogue_and_identities_alive(void **state)
{
    struct fixture *f = *state;
    AUTO(roster) struct roster *roster = make(f, 5);

    for (size_t i = 0; i < ARRAY_SIZE(f->accounts); i++)
        f->accounts[i] = account_free(f->accounts[i]);
    f->catalogue = catalogue_unref(f->catalogue);
    f->plans[0] = plan_unref(f->plans[0]);
    f->plans[1] = plan_unref(f->plans[1]);
    assert_int_equal(roster->catalogue->n_plans, 2);
    assert_string_equal(roster->catalogue->plans[1]->prefix, "pmu_cgroup_");
    assert_string_equal(name_of(roster->parts[1].identities[2]), "/e");
}

static void roster__lives_until_its_last_reference_is_dropped(void **state)
{
    const struct fixture *f = *state;
    struct roster *roster = make(f, 5);

    assert_ptr_equal(roster_ref(roster), roster);
    assert_null(roster_unref(roster));
    assert_int_equal(roster->parts[1].n, 3);
    assert_null(roster_unref(roster));
    assert_null(roster_unref(NULL));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(rows__of_one_plan_follow_each_other),
        TEST(identities__stand_in_the_order_of_their_rows),
        TEST(part__of_a_plan_without_targets_is_empty),
        TEST(roster__of_nobody_has_no_numbers),
        TEST(roster__keeps_catalogue_and_identities_alive),
        TEST(roster__lives_until_its_last_reference_is_dropped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
