/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include "support/fixture_tree.h"
#include "sys/cpu_domains.h"

static struct cpu_list *parse(const char *text)
{
    struct cpu_list *list = NULL;

    assert_int_equal(cpu_list_parse(text, &list), 0);
    return list;
}

static void of_cpus__each_cpu_is_one_of_its_number(void **state)
{
    AUTO(cpu_list) struct cpu_list *list = parse("1,3");
    AUTO(cpu_domains) struct cpu_domains *domains = NULL;

    (void)state;
    assert_int_equal(cpu_domains_of_cpus(list, &domains), 0);
    assert_string_equal(domains->label, "cpu");
    assert_int_equal(domains->n, 2);
    assert_int_equal(domains->numbers[0], 1);
    assert_int_equal(domains->numbers[1], 3);
    assert_int_equal(domains->n_of, 4);
    assert_int_equal(domains->of[0], -1);
    assert_int_equal(domains->of[3], 3);
    assert_int_equal(cpu_domains_end(domains), 4);
}

/* CPU 2 tells no node: it is of node 0. */
static void of_nodes__are_ascending_and_each_once(void **state)
{
    struct fixture_tree sysfs = fixture_tree_open();
    AUTO(cpu_list) struct cpu_list *list = parse("0-4");
    AUTO(cpu_domains) struct cpu_domains *domains = NULL;

    (void)state;
    fixture_tree_write(&sysfs, "devices/system/cpu/cpu0/node7/cpulist", "0,4\n");
    fixture_tree_write(&sysfs, "devices/system/cpu/cpu1/node2/cpulist", "1,3\n");
    fixture_tree_write(&sysfs, "devices/system/cpu/cpu3/node2/cpulist", "1,3\n");
    fixture_tree_write(&sysfs, "devices/system/cpu/cpu4/node7/cpulist", "0,4\n");
    assert_int_equal(cpu_domains_of_nodes(list, sysfs.fd, &domains), 0);
    assert_string_equal(domains->label, "node");
    assert_int_equal(domains->n, 3);
    assert_int_equal(domains->numbers[0], 0);
    assert_int_equal(domains->numbers[1], 2);
    assert_int_equal(domains->numbers[2], 7);
    assert_int_equal(domains->of[0], 7);
    assert_int_equal(domains->of[1], 2);
    assert_int_equal(domains->of[2], 0);
    assert_int_equal(domains->of[3], 2);
    assert_int_equal(domains->of[4], 7);
    assert_int_equal(cpu_domains_end(domains), 8);
    fixture_tree_close(&sysfs);
}

static void of_nodes__of_no_cpu_are_none(void **state)
{
    struct fixture_tree sysfs = fixture_tree_open();
    AUTO(cpu_list) struct cpu_list *list = parse("");
    AUTO(cpu_domains) struct cpu_domains *domains = NULL;

    (void)state;
    assert_int_equal(cpu_domains_of_nodes(list, sysfs.fd, &domains), 0);
    assert_int_equal(domains->n, 0);
    assert_int_equal(cpu_domains_end(domains), 0);
    fixture_tree_close(&sysfs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_cpus__each_cpu_is_one_of_its_number),
        cmocka_unit_test(of_nodes__are_ascending_and_each_once),
        cmocka_unit_test(of_nodes__of_no_cpu_are_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
