/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each allocation of a cycle is made to fail in turn, in which somebody comes back who rests: a
 * group of processes without a member, or a cgroup that had no room. Once there is memory again,
 * the totals go on, and nobody is there twice.
 */
#include "cycle/collector_processes_fixture.h"

#include "cycle/collector_parts.h"
#include "support/failing_memory.h"

/* More allocations than a cycle has. */
#define MOST_ALLOCATIONS 2000

/* Runs one cycle in which the allocation of this number fails. False: it had no such allocation. */
static bool cycle_without_memory(struct fixture *f, unsigned number)
{
    allocations = 0;
    failing = number;
    (void)collector_cycle(f->collector, 0);
    failing = 0;
    return allocations >= number;
}

static size_t count_groups(const struct fixture *f, const char *name)
{
    const struct ledger *ledger = &f->collector->ledger;
    size_t n = 0;

    for (size_t i = 0; i < ledger->n_entries; i++)
        n += ledger->entries[i]->group && strcmp(ledger->entries[i]->group->name, name) == 0;
    return n;
}

static void group__that_rests_wakes_once_whatever_allocation_fails(void **state)
{
    struct fixture *f = *state;
    bool failed = true;
    unsigned n;

    add_process(100, "web", 5);
    start(f, web);
    cycle(f);
    count_thread(f, 100, 3);
    cycle(f);
    end_process(100);
    cycle(f);
    for (n = 1; failed && n < MOST_ALLOCATIONS; n++) {
        cycle(f); /* The group rests. */
        add_process(100, "web", 5 + n);
        failed = cycle_without_memory(f, n);
        cycle(f);
        assert_int_equal(count_groups(f, "web"), 1);
        assert_int_equal(total(f, "web"), 3);
        assert_int_equal(members(f), 1);
        end_process(100);
        cycle(f);
    }
    assert_in_range(n, 20, MOST_ALLOCATIONS - 1);
}

static const char limited[] = "linger: 60s\n"
                              "groups: [{name: software, events: [page-faults]}]\n"
                              "targets: {cgroups: [{include: [\"/*\"], groups: [software]}]}\n"
                              "limits: {cgroups: 1}\n";

/*
 * Two cgroups have totals, and then there is room for one of them, so that the other one rests.
 * Returns the name of the one that is counted.
 */
static const char *let_one_rest(struct fixture *f)
{
    const char *counted = "";

    make(f, "a");
    make(f, "b");
    start_successor(f, lingering);
    cycle(f);
    count(f, 3);
    cycle(f);
    start_successor(f, limited);
    cycle(f);
    for (size_t i = 0; i < f->collector->ledger.n_entries; i++)
        if (f->collector->ledger.entries[i]->cgroup)
            counted = f->collector->ledger.entries[i]->cgroup->path + 1;
    assert_string_not_equal(counted, "");
    return *counted == 'a' ? "a" : "b";
}

static void cgroup__that_rests_keeps_its_totals_whatever_allocation_fails(void **state)
{
    struct fixture *f = *state;
    bool failed = true;
    unsigned n;

    start(f, lingering);
    for (n = 1; failed && n < MOST_ALLOCATIONS; n++) {
        const char *counted = let_one_rest(f);
        const char *resting = *counted == 'a' ? "b" : "a";
        const char *path = *resting == 'a' ? "/a" : "/b";

        assert_int_equal(total(f, path), 3);
        destroy(f, counted);
        failed = cycle_without_memory(f, n);
        cycle(f);
        assert_int_equal(total(f, path), 3);
        destroy(f, resting);
        cycle(f);
    }
    assert_in_range(n, 20, MOST_ALLOCATIONS - 1);
}

static const char both[] = "linger: 60s\n"
                           "groups: [{name: software, events: [page-faults]}]\n"
                           "targets:\n"
                           "  cgroups: [{include: [\"/*\"], groups: [software]}]\n"
                           "  processes: [{name: web, comm: [web], groups: [software]}]\n";

/* Makes a successor while the allocation of this number fails. False: there was none of it. */
static bool succeed_without_memory(struct fixture *f, unsigned number)
{
    struct config *config = parse(both);
    struct collector_setup setup = make_setup(f, config);
    int r;

    allocations = 0;
    failing = number;
    r = try_successor(f, &setup, config);
    failing = 0;
    return r < 0 || allocations >= number;
}

/* Returns false if making a successor has no allocation of this number. */
static bool check_successor(struct fixture *f, unsigned number)
{
    bool failed;

    make(f, "a");
    add_process(100, "web", 5);
    start(f, both);
    cycle(f);
    count(f, 3);
    count_thread(f, 100, 3);
    failed = succeed_without_memory(f, number);
    cycle(f);
    count(f, 4);
    count_thread(f, 100, 4);
    cycle(f);
    assert_int_equal(total(f, "/a"), 7);
    assert_int_equal(total(f, "web"), 7);
    assert_int_equal(members(f), 1);
    assert_int_equal(count_groups(f, "web"), 1);
    return failed;
}

static void successor__loses_nothing_that_lives_whatever_allocation_fails(void **state)
{
    bool failed = true;
    unsigned n;

    (void)state;
    for (n = 1; failed && n < MOST_ALLOCATIONS; n++) {
        void *fixture;

        assert_int_equal(set_up_procfs(&fixture), 0);
        failed = check_successor(fixture, n);
        assert_int_equal(tear_down_procfs(&fixture), 0);
    }
    assert_in_range(n, 50, MOST_ALLOCATIONS - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROCFS_TEST(group__that_rests_wakes_once_whatever_allocation_fails),
        TEST(cgroup__that_rests_keeps_its_totals_whatever_allocation_fails),
        cmocka_unit_test(successor__loses_nothing_that_lives_whatever_allocation_fails),
    };

    return cmocka_run_group_tests_name("ledger_memory", tests, NULL, NULL);
}
