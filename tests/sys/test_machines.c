/* SPDX-License-Identifier: Apache-2.0 */

/* What this layer reads of machines that we do not have (support/machines/). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "support/machine_tree.h"
#include "sys/cpu_topology.h"
#include "sys/pmu.h"

static const struct pmu *find(const struct pmu_list *pmus, const char *name)
{
    for (size_t i = 0; i < pmus->n; i++)
        if (strcmp(pmus->pmus[i].name, name) == 0)
            return &pmus->pmus[i];
    fail_msg("there is no %s", name);
    return NULL;
}

static struct pmu_list *read_pmus(const char *machine)
{
    struct fixture_tree tree = machine_tree_open(machine);
    struct pmu_list *pmus = NULL;

    assert_int_equal(pmu_list_read(tree.fd, &pmus), 0);
    fixture_tree_close(&tree);
    return pmus;
}

static void every_pmu__has_a_type_of_its_own(void **state)
{
    (void)state;
    for (size_t m = 0; m < ARRAY_SIZE(machine_names); m++) {
        AUTO(pmu_list) struct pmu_list *pmus = read_pmus(machine_names[m]);

        assert_true(pmus->n >= 5);
        assert_non_null(pmu_list_core(pmus));
        for (size_t i = 1; i < pmus->n; i++)
            assert_true(pmus->pmus[i].type > pmus->pmus[i - 1].type);
    }
}

static void core_pmus__are_told_by_name_or_by_cpus(void **state)
{
    AUTO(pmu_list) struct pmu_list *server = read_pmus("intel_server");
    AUTO(pmu_list) struct pmu_list *hybrid = read_pmus("hybrid_client");
    AUTO(pmu_list) struct pmu_list *arm = read_pmus("arm_big_little");

    (void)state;
    assert_true(find(server, "cpu")->is_core);
    assert_false(find(server, "uncore_imc_0")->is_core);
    assert_string_equal(pmu_list_core_of(hybrid, (struct cpu_number){7})->name, "cpu_core");
    assert_string_equal(pmu_list_core_of(hybrid, (struct cpu_number){8})->name, "cpu_atom");
    assert_string_equal(pmu_list_core_of(arm, (struct cpu_number){3})->name, "armv8_cortex_a53");
    assert_string_equal(pmu_list_core_of(arm, (struct cpu_number){4})->name, "armv8_cortex_a72");
}

static void uncore_pmus__are_opened_on_one_cpu_of_each_socket(void **state)
{
    struct fixture_tree tree = machine_tree_open("intel_server");
    AUTO(pmu_list) struct pmu_list *pmus = NULL;
    const struct cpu_list *cpus;

    (void)state;
    assert_int_equal(pmu_list_read(tree.fd, &pmus), 0);
    cpus = find(pmus, "uncore_imc_3")->cpus;
    assert_int_equal(cpus->n, 2);
    for (int socket = 0; socket < 2; socket++) {
        const struct cpu_topology place = cpu_topology_read(tree.fd, cpus->cpus[socket]);

        assert_int_equal(place.socket, socket);
        assert_int_equal(place.node, socket);
    }
    fixture_tree_close(&tree);
}

static void a_name_without_a_number__stands_for_the_instances(void **state)
{
    AUTO(pmu_list) struct pmu_list *server = read_pmus("intel_server");
    size_t n = 0;

    (void)state;
    for (size_t i = 0; i < server->n; i++)
        n += pmu_is_instance(&server->pmus[i], "uncore_imc");
    assert_int_equal(n, 4);
    assert_string_equal(pmu_list_find_name(server, "uncore_imc")->name, "uncore_imc_0");
    assert_string_equal(pmu_list_find_name(server, "uncore_imc_2")->name, "uncore_imc_2");
    assert_string_equal(pmu_list_find_name(server, "power")->name, "power");
    assert_null(pmu_list_find_name(server, "uncore_im"));
    assert_null(pmu_list_find_name(server, "uncore_"));
    assert_null(pmu_list_find_name(server, ""));
}

static void uncore_pmus__are_those_with_cpus_of_their_own_that_are_no_core(void **state)
{
    AUTO(pmu_list) struct pmu_list *server = read_pmus("intel_server");
    AUTO(pmu_list) struct pmu_list *hybrid = read_pmus("hybrid_client");

    (void)state;
    assert_true(pmu_is_uncore(find(server, "power")));
    assert_true(pmu_is_uncore(find(server, "uncore_imc_0")));
    assert_false(pmu_is_uncore(find(server, "cpu")));
    assert_false(pmu_is_uncore(find(server, "software")));
    assert_false(pmu_is_uncore(find(hybrid, "cpu_atom")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pmu__has_a_type_of_its_own),
        cmocka_unit_test(core_pmus__are_told_by_name_or_by_cpus),
        cmocka_unit_test(uncore_pmus__are_opened_on_one_cpu_of_each_socket),
        cmocka_unit_test(a_name_without_a_number__stands_for_the_instances),
        cmocka_unit_test(uncore_pmus__are_those_with_cpus_of_their_own_that_are_no_core),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
