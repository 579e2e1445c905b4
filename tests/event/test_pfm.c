/* SPDX-License-Identifier: Apache-2.0 */

/*
 * With LIBPFM_ENCODE_INACTIVE libpfm4 encodes the events of any CPU that it was
 * built for. Expected codes are from the makers' manuals: event in bits 0-7, unit
 * mask in 8-15, edge 18, invert 23, counter mask 24-31.
 */
#include <linux/perf_event.h>
#include <perfmon/pfmlib_perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "event/resolver.h"
#include "event/source.h"

static int resolve(const char *name, struct event **ret_event)
{
    *ret_event = calloc(1, sizeof(**ret_event));
    assert_non_null(*ret_event);
    return event_source_pfm.resolve(NULL, name, *ret_event);
}

static void check(const char *name, uint64_t config, uint64_t config1)
{
    AUTO(event) struct event *event = NULL;

    if (resolve(name, &event) != SOURCE_KNOWS)
        fail_msg("\"%s\" is not known", name);
    if (event->code.type != PERF_TYPE_RAW || event->code.config != config ||
        event->code.config1 != config1)
        fail_msg("\"%s\" is type %u config 0x%llx config1 0x%llx", name, event->code.type,
                 (unsigned long long)event->code.config, (unsigned long long)event->code.config1);
    assert_false(event->code.exclude_user || event->code.exclude_kernel ||
                 event->code.exclude_hypervisor);
}

static int outcome_of(const char *name)
{
    AUTO(event) struct event *event = NULL;

    return resolve(name, &event);
}

static bool has_pmu(const char *name)
{
    for (int i = PFM_PMU_NONE; i < PFM_PMU_MAX; i++) {
        pfm_pmu_info_t pmu = {.size = sizeof(pmu)};

        if (pfm_get_pmu_info((pfm_pmu_t)i, &pmu) == PFM_SUCCESS && strcmp(pmu.name, name) == 0)
            return true;
    }
    return false;
}

static void skip_without(const char *pmu)
{
    assert_int_equal(pfm_initialize(), PFM_SUCCESS);
    if (has_pmu(pmu))
        return;
    print_message("skipped: this libpfm4 is built without %s\n", pmu);
    skip();
}

static void resolve__encodes_unit_masks_and_prefixes(void **state)
{
    (void)state;
    skip_without("skx");
    check("skx::INST_RETIRED:ANY_P", 0x00c0, 0);
    check("SKX::inst_retired:any_p", 0x00c0, 0);
    check("skx::INST_RETIRED.ANY_P", 0x00c0, 0);
    check("skx::BR_MISP_RETIRED:ALL_BRANCHES", 0x00c5, 0);
    check("skx::OFFCORE_RESPONSE_0:DMND_DATA_RD", 0x1b7, 0x10001);
}

static void resolve__encodes_modifiers_that_are_part_of_the_event(void **state)
{
    (void)state;
    skip_without("skx");
    check("skx::INST_RETIRED:ANY_P:c=1", 0x10000c0, 0);
    check("skx::INST_RETIRED:ANY_P:c=1:i", 0x18000c0, 0);
    check("skx::UOPS_EXECUTED:STALL_CYCLES", 0x18001b1, 0);
    check("skx::MEM_TRANS_RETIRED:LOAD_LATENCY:ldlat=30", 0x1cd, 30);
}

static void resolve__encodes_other_makers(void **state)
{
    (void)state;
    skip_without("amd64_fam19h_zen3");
    check("amd64_fam19h_zen3::RETIRED_INSTRUCTIONS", 0xc0, 0);
    check("amd64_fam19h_zen3::CYCLES_NOT_IN_HALT", 0x76, 0);
}

static void resolve__encodes_arm(void **state)
{
    (void)state;
    skip_without("arm_ac57");
    check("arm_ac57::INST_RETIRED", 0x08, 0);
    check("arm_ac57::CPU_CYCLES", 0x11, 0);
}

static void resolve__refuses_what_the_event_has_not(void **state)
{
    (void)state;
    skip_without("skx");
    assert_int_equal(outcome_of("skx::NO_SUCH_EVENT"), SOURCE_UNKNOWN);
    assert_int_equal(outcome_of("skx::INST_RETIRED:NO_SUCH_MASK"), SOURCE_UNKNOWN);
    assert_int_equal(outcome_of("skx::INST_RETIRED:ANY_P:"), SOURCE_UNKNOWN);
    assert_int_equal(outcome_of("skx::INST_RETIRED:ANY_P:c=many"), SOURCE_UNKNOWN);
    assert_int_equal(outcome_of("no_such_pmu::INST_RETIRED:ANY_P"), SOURCE_UNKNOWN);
}

/* Without one of these modifiers something else would be counted than was asked for. */
static void resolve__refuses_modifiers_that_it_cannot_carry_over(void **state)
{
    static const char *const endings[] = {
        ":u",         ":u=1:k=0",   ":u:c=1", ".u",        ":k",      ":mg",     ":mg=1", ":mh",
        ":mh=1:mg=1", ":precise=1", ":excl",  ":period=5", ":freq=9", ":pinned", ":cpu=1"};

    (void)state;
    skip_without("skx");
    for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
        char name[64];

        (void)snprintf(name, sizeof(name), "skx::INST_RETIRED:ANY_P%s", endings[i]);
        if (outcome_of(name) != SOURCE_UNKNOWN)
            fail_msg("\"%s\" is taken", name);
    }
}

static void resolve__refuses_names_that_are_none(void **state)
{
    static const char *const names[] = {"",
                                        ":",
                                        "::",
                                        ":::",
                                        ".",
                                        "skx::",
                                        "skx::::",
                                        "a,b",
                                        "%s%s%s%n",
                                        " ",
                                        "\xff",
                                        "perf::",
                                        "perf_raw::",
                                        "perf_raw::r1",
                                        "r1",
                                        "sched:sched_switch",
                                        "cpu/event=0xc0/"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (outcome_of(names[i]) != SOURCE_UNKNOWN)
            fail_msg("\"%s\" is taken", names[i]);
}

/* Where the kernel does not have their PMU, libpfm4 encodes these as raw events of the core. */
static void resolve__does_not_take_uncore_for_core(void **state)
{
    (void)state;
    skip_without("rapl");
    if (access("/sys/bus/event_source/devices/power", F_OK) == 0) {
        print_message("skipped: this kernel has the PMU \"power\"\n");
        skip();
    }
    assert_int_equal(outcome_of("rapl::RAPL_ENERGY_PKG"), SOURCE_ABSENT);
}

static void resolve__knows_uncore_that_the_kernel_has_not(void **state)
{
    (void)state;
    skip_without("skx_unc_imc0");
    if (access("/sys/bus/event_source/devices/uncore_imc_0", F_OK) == 0) {
        print_message("skipped: this kernel has the PMU \"uncore_imc_0\"\n");
        skip();
    }
    assert_int_equal(outcome_of("skx_unc_imc0::UNC_M_CAS_COUNT:RD"), SOURCE_ABSENT);
}

static void description__has_event_and_unit_mask_in_one_line(void **state)
{
    AUTO(event) struct event *event = NULL;
    pfm_event_info_t info = {.size = sizeof(info)};
    pfm_event_attr_info_t mask = {.size = sizeof(mask)};
    char expected[512];

    (void)state;
    skip_without("skx");
    assert_int_equal(resolve("skx::UOPS_EXECUTED:CORE", &event), SOURCE_KNOWS);
    assert_int_equal(
        pfm_get_event_info(pfm_find_event("skx::UOPS_EXECUTED"), PFM_OS_PERF_EVENT, &info),
        PFM_SUCCESS);
    for (int i = 0; i < info.nattrs; i++) {
        assert_int_equal(pfm_get_event_attr_info(info.idx, i, PFM_OS_PERF_EVENT, &mask),
                         PFM_SUCCESS);
        if (strcmp(mask.name, "CORE") == 0)
            break;
    }
    (void)snprintf(expected, sizeof(expected), "%s: %s", info.desc, mask.desc);
    assert_string_equal(event->description, expected);
    for (const char *c = event->description; *c; c++)
        assert_true((unsigned char)*c >= ' ');
    assert_int_not_equal(event->description[strlen(event->description) - 1], '.');
}

/* u and k must mean the same to the resolver as to libpfm4 itself. */
static void compare_modes(struct event_resolver *resolver, const char *name)
{
    AUTO(event) struct event *event = NULL;
    struct perf_event_attr attr = {.size = sizeof(attr)};
    pfm_perf_encode_arg_t theirs = {.attr = &attr, .size = sizeof(theirs)};

    assert_int_equal(event_resolve(resolver, name, &event), 0);
    assert_int_equal(
        pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &theirs),
        PFM_SUCCESS);
    assert_int_equal(event->code.exclude_user, attr.exclude_user);
    assert_int_equal(event->code.exclude_kernel, attr.exclude_kernel);
    assert_true(event->code.config == attr.config);
}

static void modifiers__mean_what_libpfm_means_by_them(void **state)
{
    AUTO(event_resolver) struct event_resolver *resolver = NULL;
    AUTO(event) struct event *event = NULL;

    (void)state;
    skip_without("skx");
    assert_int_equal(event_resolver_new(-1, &resolver), 0);
    compare_modes(resolver, "skx::INST_RETIRED:ANY_P");
    compare_modes(resolver, "skx::INST_RETIRED:ANY_P:u");
    compare_modes(resolver, "skx::INST_RETIRED:ANY_P:k");
    compare_modes(resolver, "skx::INST_RETIRED:ANY_P:u:k");
    assert_int_equal(event_resolve(resolver, "skx::INST_RETIRED:ANY_P:u:k", &event), 0);
    assert_string_equal(event->metric, "skx_inst_retired_any_p_user_kernel");
    assert_string_equal(event->encoding, "type=4 config=0xc0 exclude_hv");
}

/* Looks in the tables of all CPUs; where LIBPFM_FORCE_PMU is set, libpfm4 does not have all of
 * them. */
static int allow_other_cpus(void **state)
{
    (void)state;
    return unsetenv("LIBPFM_FORCE_PMU") + setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resolve__encodes_unit_masks_and_prefixes),
        cmocka_unit_test(resolve__encodes_modifiers_that_are_part_of_the_event),
        cmocka_unit_test(resolve__encodes_other_makers),
        cmocka_unit_test(resolve__encodes_arm),
        cmocka_unit_test(resolve__refuses_what_the_event_has_not),
        cmocka_unit_test(resolve__refuses_modifiers_that_it_cannot_carry_over),
        cmocka_unit_test(resolve__refuses_names_that_are_none),
        cmocka_unit_test(resolve__does_not_take_uncore_for_core),
        cmocka_unit_test(resolve__knows_uncore_that_the_kernel_has_not),
        cmocka_unit_test(modifiers__mean_what_libpfm_means_by_them),
        cmocka_unit_test(description__has_event_and_unit_mask_in_one_line),
    };

    return cmocka_run_group_tests(tests, allow_other_cpus, NULL);
}
