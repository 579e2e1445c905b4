/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include "support/fixture_tree.h"
#include "sys/cpu_births.h"

#define CPU "devices/system/cpu/"

static struct fixture_tree make_cpus(const char *online)
{
    struct fixture_tree sysfs = fixture_tree_open();

    fixture_tree_write(&sysfs, CPU "online", online);
    fixture_tree_make_directories(&sysfs, CPU "cpu0/topology/");
    fixture_tree_make_directories(&sysfs, CPU "cpu1/topology/");
    return sysfs;
}

static struct cpu_births *read_births(const struct fixture_tree *sysfs)
{
    struct cpu_births *births;

    assert_int_equal(cpu_births_read(sysfs->fd, &births), 0);
    return births;
}

/* Does what the kernel does when a CPU goes and comes: the new directory has another inode. */
static void take_away_and_bring_back(const struct fixture_tree *sysfs)
{
    assert_int_equal(renameat(sysfs->fd, CPU "cpu1/topology", sysfs->fd, CPU "cpu1/old"), 0);
    fixture_tree_make_directories(sysfs, CPU "cpu1/topology/");
}

static void births__are_the_same_while_nothing_happens(void **state)
{
    struct fixture_tree sysfs = make_cpus("0-1\n");
    AUTO(cpu_births) struct cpu_births *before = read_births(&sysfs);
    AUTO(cpu_births) struct cpu_births *after = read_births(&sysfs);

    (void)state;
    assert_int_equal(before->online->n, 2);
    assert_true(cpu_births_equal(before, after));
    fixture_tree_close(&sysfs);
}

static void births__a_cpu_that_went_is_not_in_both(void **state)
{
    struct fixture_tree sysfs = make_cpus("0-1\n");
    AUTO(cpu_births) struct cpu_births *before = read_births(&sysfs), *after = NULL;
    AUTO(cpu_list) struct cpu_list *common = NULL;

    (void)state;
    fixture_tree_write(&sysfs, CPU "online", "0\n");
    after = read_births(&sysfs);
    assert_false(cpu_births_equal(before, after));
    assert_int_equal(cpu_births_common(before, after, &common), 0);
    assert_int_equal(common->n, 1);
    assert_int_equal(common->cpus[0].value, 0);
    fixture_tree_close(&sysfs);
}

static void births__a_cpu_that_was_away_between_two_looks_is_another(void **state)
{
    struct fixture_tree sysfs = make_cpus("0-1\n");
    AUTO(cpu_births) struct cpu_births *before = read_births(&sysfs), *after = NULL;
    AUTO(cpu_list) struct cpu_list *common = NULL;

    (void)state;
    take_away_and_bring_back(&sysfs);
    after = read_births(&sysfs);
    assert_false(cpu_births_equal(before, after));
    assert_int_equal(cpu_births_common(before, after, &common), 0);
    assert_int_equal(common->n, 1);
    assert_int_equal(common->cpus[0].value, 0);
    fixture_tree_close(&sysfs);
}

static void births__without_topology_the_list_is_what_tells(void **state)
{
    struct fixture_tree sysfs = fixture_tree_open();
    AUTO(cpu_births) struct cpu_births *before = NULL, *after = NULL;

    (void)state;
    fixture_tree_write(&sysfs, CPU "online", "0-3\n");
    before = read_births(&sysfs);
    after = read_births(&sysfs);
    assert_true(cpu_births_equal(before, after));
    fixture_tree_close(&sysfs);
}

static void births__without_a_list_there_is_an_error(void **state)
{
    struct fixture_tree sysfs = fixture_tree_open();
    struct cpu_births *births;

    (void)state;
    assert_true(cpu_births_read(sysfs.fd, &births) < 0);
    fixture_tree_close(&sysfs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(births__are_the_same_while_nothing_happens),
        cmocka_unit_test(births__a_cpu_that_went_is_not_in_both),
        cmocka_unit_test(births__a_cpu_that_was_away_between_two_looks_is_another),
        cmocka_unit_test(births__without_topology_the_list_is_what_tells),
        cmocka_unit_test(births__without_a_list_there_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
