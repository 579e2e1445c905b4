/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/fixture_tree.h"
#include "sys/cpu_topology.h"

#define CPU3 "devices/system/cpu/cpu3/"

static void check(const struct fixture_tree *sysfs, int core, int socket, int node)
{
    struct cpu_topology found = cpu_topology_read(sysfs->fd, (struct cpu_number){3});

    assert_int_equal(found.core, core);
    assert_int_equal(found.socket, socket);
    assert_int_equal(found.node, node);
}

static void read__knows_core_socket_and_node(void **state)
{
    struct fixture_tree sysfs = fixture_tree_open();

    (void)state;
    fixture_tree_write(&sysfs, CPU3 "topology/core_id", "12\n");
    fixture_tree_write(&sysfs, CPU3 "topology/physical_package_id", "1\n");
    fixture_tree_write(&sysfs, CPU3 "node2/cpulist", "3\n");
    fixture_tree_write(&sysfs, "devices/system/cpu/cpu4/topology/core_id", "13\n");
    check(&sysfs, 12, 1, 2);
    fixture_tree_close(&sysfs);
}

static void read__follows_the_link_to_the_node(void **state)
{
    struct fixture_tree sysfs = fixture_tree_open();

    (void)state;
    fixture_tree_write(&sysfs, "devices/system/node/node0/cpulist", "3\n");
    fixture_tree_make_directories(&sysfs, CPU3);
    assert_int_equal(symlinkat("../../node/node0", sysfs.fd, CPU3 "node0"), 0);
    check(&sysfs, -1, -1, 0);
    fixture_tree_close(&sysfs);
}

static void read__of_a_cpu_that_is_not_there_knows_nothing(void **state)
{
    struct fixture_tree sysfs = fixture_tree_open();

    (void)state;
    check(&sysfs, -1, -1, -1);
    fixture_tree_close(&sysfs);
}

static void read__takes_what_the_kernel_does_not_know_for_unknown(void **state)
{
    struct fixture_tree sysfs = fixture_tree_open();

    (void)state;
    fixture_tree_write(&sysfs, CPU3 "topology/core_id", "-1\n");
    fixture_tree_write(&sysfs, CPU3 "topology/physical_package_id", "many\n");
    fixture_tree_write(&sysfs, CPU3 "nodes/none", "");
    fixture_tree_write(&sysfs, CPU3 "node/none", "");
    check(&sysfs, -1, -1, -1);
    fixture_tree_write(&sysfs, CPU3 "topology/core_id", "2147483648\n");
    fixture_tree_write(&sysfs, CPU3 "topology/physical_package_id", "2147483647\n");
    check(&sysfs, -1, 2147483647, -1);
    fixture_tree_close(&sysfs);
}

static void read__of_this_machine_agrees_with_its_files(void **state)
{
    static const char path[] = "/sys/devices/system/cpu/cpu0/topology/physical_package_id";
    AUTO_CLOSE int sysfs = open("/sys", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    FILE *file = fopen(path, "re");
    int socket;

    (void)state;
    if (!file) {
        print_message("skipped: no %s\n", path);
        skip();
    }
    assert_int_equal(fscanf(file, "%d", &socket), 1);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(cpu_topology_read(sysfs, (struct cpu_number){0}).socket, socket);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read__knows_core_socket_and_node),
        cmocka_unit_test(read__follows_the_link_to_the_node),
        cmocka_unit_test(read__of_a_cpu_that_is_not_there_knows_nothing),
        cmocka_unit_test(read__takes_what_the_kernel_does_not_know_for_unknown),
        cmocka_unit_test(read__of_this_machine_agrees_with_its_files),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
