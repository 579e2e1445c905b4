/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/fixture_tree.h"
#include "sys/pmu.h"

#define DEVICES "bus/event_source/devices/"

static struct pmu_list *read_pmus(const struct fixture_tree *sysfs)
{
    struct pmu_list *list = NULL;

    assert_int_equal(pmu_list_read(sysfs->fd, &list), 0);
    return list;
}

static const struct pmu *find_name(const struct pmu_list *list, const char *name)
{
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->pmus[i].name, name) == 0)
            return &list->pmus[i];
    return NULL;
}

static void write_software(const struct fixture_tree *sysfs)
{
    fixture_tree_write(sysfs, DEVICES "software/type", "1\n");
    fixture_tree_write(sysfs, DEVICES "tracepoint/type", "2\n");
    fixture_tree_write(sysfs, DEVICES "msr/type", "9\n");
}

static void list__is_refused_where_the_kernel_has_no_event_sources(void **state)
{
    struct fixture_tree sysfs = fixture_tree_open();
    struct pmu_list *list = NULL;

    (void)state;
    assert_int_equal(pmu_list_read(sysfs.fd, &list), -ENOENT);
    assert_null(list);
    fixture_tree_close(&sysfs);
}

static void list__is_in_the_order_of_types(void **state)
{
    struct fixture_tree sysfs = fixture_tree_open();
    AUTO(pmu_list) struct pmu_list *list = NULL;

    (void)state;
    fixture_tree_write(&sysfs, DEVICES "uncore_imc_0/type", "4294967295\n");
    fixture_tree_write(&sysfs, DEVICES "cpu/type", "4\n");
    write_software(&sysfs);
    list = read_pmus(&sysfs);
    assert_int_equal(list->n, 5);
    assert_string_equal(list->pmus[0].name, "software");
    assert_string_equal(list->pmus[2].name, "cpu");
    assert_string_equal(list->pmus[4].name, "uncore_imc_0");
    assert_int_equal(list->pmus[4].type, UINT32_MAX);
    fixture_tree_close(&sysfs);
}

static void list__leaves_out_what_has_no_good_type(void **state)
{
    struct fixture_tree sysfs = fixture_tree_open();
    AUTO(pmu_list) struct pmu_list *list = NULL;

    (void)state;
    fixture_tree_write(&sysfs, DEVICES "empty/type", "");
    fixture_tree_write(&sysfs, DEVICES "negative/type", "-1\n");
    fixture_tree_write(&sysfs, DEVICES "words/type", "4 and more\n");
    fixture_tree_write(&sysfs, DEVICES "large/type", "4294967296\n");
    fixture_tree_write(&sysfs, DEVICES "long/type", "00000000000000000000000000000000000004\n");
    fixture_tree_write(&sysfs, DEVICES "none/other", "4\n");
    fixture_tree_write(&sysfs, DEVICES "file", "4\n");
    fixture_tree_write(&sysfs, DEVICES "good/type", "7\n");
    list = read_pmus(&sysfs);
    assert_int_equal(list->n, 1);
    assert_string_equal(list->pmus[0].name, "good");
    fixture_tree_close(&sysfs);
}

static void find__knows_names_and_types(void **state)
{
    struct fixture_tree sysfs = fixture_tree_open();
    AUTO(pmu_list) struct pmu_list *list = NULL;

    (void)state;
    write_software(&sysfs);
    list = read_pmus(&sysfs);
    assert_int_equal(find_name(list, "msr")->type, 9);
    assert_string_equal(pmu_list_find_type(list, 1)->name, "software");
    assert_null(find_name(list, "cpu"));
    assert_null(find_name(list, "ms"));
    assert_null(pmu_list_find_type(list, 0));
    fixture_tree_close(&sysfs);
}

static void core__is_absent_where_only_software_is(void **state)
{
    struct fixture_tree sysfs = fixture_tree_open();
    AUTO(pmu_list) struct pmu_list *list = NULL;

    (void)state;
    write_software(&sysfs);
    fixture_tree_write(&sysfs, DEVICES "uncore_imc_0/type", "12\n");
    fixture_tree_write(&sysfs, DEVICES "uncore_imc_0/cpumask", "0\n");
    list = read_pmus(&sysfs);
    assert_null(pmu_list_core(list));
    assert_null(pmu_list_core_of(list, (struct cpu_number){0}));
    fixture_tree_close(&sysfs);
}

static void core__is_recognized_by_its_name(void **state)
{
    struct fixture_tree sysfs = fixture_tree_open();
    AUTO(pmu_list) struct pmu_list *list = NULL;

    (void)state;
    write_software(&sysfs);
    fixture_tree_write(&sysfs, DEVICES "cpu/type", "4\n");
    list = read_pmus(&sysfs);
    assert_string_equal(pmu_list_core(list)->name, "cpu");
    assert_null(pmu_list_core(list)->cpus);
    assert_string_equal(pmu_list_core_of(list, (struct cpu_number){77})->name, "cpu");
    fixture_tree_close(&sysfs);
}

static void core__is_recognized_by_its_cpus(void **state)
{
    struct fixture_tree sysfs = fixture_tree_open();
    AUTO(pmu_list) struct pmu_list *list = NULL;

    (void)state;
    write_software(&sysfs);
    fixture_tree_write(&sysfs, DEVICES "armv8_pmuv3_0/type", "10\n");
    fixture_tree_write(&sysfs, DEVICES "armv8_pmuv3_0/cpus", "0-3\n");
    list = read_pmus(&sysfs);
    assert_string_equal(pmu_list_core(list)->name, "armv8_pmuv3_0");
    assert_int_equal(pmu_list_core(list)->cpus->n, 4);
    fixture_tree_close(&sysfs);
}

static void core__of_a_hybrid_machine_is_that_of_the_cpu(void **state)
{
    struct fixture_tree sysfs = fixture_tree_open();
    AUTO(pmu_list) struct pmu_list *list = NULL;

    (void)state;
    write_software(&sysfs);
    fixture_tree_write(&sysfs, DEVICES "cpu_atom/type", "10\n");
    fixture_tree_write(&sysfs, DEVICES "cpu_atom/cpus", "16-23\n");
    fixture_tree_write(&sysfs, DEVICES "cpu_core/type", "4\n");
    fixture_tree_write(&sysfs, DEVICES "cpu_core/cpus", "0-15\n");
    list = read_pmus(&sysfs);
    assert_string_equal(pmu_list_core(list)->name, "cpu_core");
    assert_string_equal(pmu_list_core_of(list, (struct cpu_number){15})->name, "cpu_core");
    assert_string_equal(pmu_list_core_of(list, (struct cpu_number){16})->name, "cpu_atom");
    assert_null(pmu_list_core_of(list, (struct cpu_number){24}));
    fixture_tree_close(&sysfs);
}

static void cpus__of_another_pmu_are_those_to_open_it_on(void **state)
{
    struct fixture_tree sysfs = fixture_tree_open();
    AUTO(pmu_list) struct pmu_list *list = NULL;
    const struct pmu *memory;

    (void)state;
    fixture_tree_write(&sysfs, DEVICES "uncore_imc_0/type", "12\n");
    fixture_tree_write(&sysfs, DEVICES "uncore_imc_0/cpumask", "0,24\n");
    fixture_tree_write(&sysfs, DEVICES "odd/type", "13\n");
    fixture_tree_write(&sysfs, DEVICES "odd/cpumask", "no list\n");
    list = read_pmus(&sysfs);
    memory = find_name(list, "uncore_imc_0");
    assert_false(memory->is_core);
    assert_int_equal(memory->cpus->n, 2);
    assert_int_equal(memory->cpus->cpus[1].value, 24);
    assert_null(find_name(list, "odd")->cpus);
    fixture_tree_close(&sysfs);
}

static void list__of_this_machine_has_the_software_pmu(void **state)
{
    AUTO_CLOSE int sysfs = open("/sys", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    AUTO(pmu_list) struct pmu_list *list = NULL;

    (void)state;
    assert_int_equal(pmu_list_read(sysfs, &list), 0);
    assert_int_equal(find_name(list, "software")->type, 1);
}

static void free__takes_null(void **state)
{
    (void)state;
    assert_null(pmu_list_free(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(list__is_refused_where_the_kernel_has_no_event_sources),
        cmocka_unit_test(list__is_in_the_order_of_types),
        cmocka_unit_test(list__leaves_out_what_has_no_good_type),
        cmocka_unit_test(find__knows_names_and_types),
        cmocka_unit_test(core__is_absent_where_only_software_is),
        cmocka_unit_test(core__is_recognized_by_its_name),
        cmocka_unit_test(core__is_recognized_by_its_cpus),
        cmocka_unit_test(core__of_a_hybrid_machine_is_that_of_the_cpu),
        cmocka_unit_test(cpus__of_another_pmu_are_those_to_open_it_on),
        cmocka_unit_test(list__of_this_machine_has_the_software_pmu),
        cmocka_unit_test(free__takes_null),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
