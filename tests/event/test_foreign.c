/* SPDX-License-Identifier: Apache-2.0 */

/* Events of other CPUs than this one, some of which have the same names. */
#include <perfmon/pfmlib_perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "event/resolver.h"
#include "support/fixture_tree.h"

static struct fixture_tree sysfs;

/* A machine with a core PMU. */
static int make_sysfs(void **state)
{
    (void)state;
    sysfs = fixture_tree_open();
    fixture_tree_write(&sysfs, "bus/event_source/devices/cpu/type", "4\n");
    fixture_tree_write(&sysfs, "bus/event_source/devices/software/type", "1\n");
    return pfm_initialize();
}

static int remove_sysfs(void **state)
{
    (void)state;
    fixture_tree_close(&sysfs);
    return 0;
}

static void check_absence(const char *name, enum absence absence)
{
    AUTO(event_resolver) struct event_resolver *resolver = NULL;
    AUTO(event) struct event *event = NULL;

    assert_int_equal(event_resolver_new(sysfs.fd, &resolver), 0);
    assert_int_equal(event_resolve(resolver, name, &event), 0);
    if (event->absence != absence)
        fail_msg("\"%s\": \"%s\"", name, absence_name(event->absence));
}

/*
 * Events of CPUs that libpfm4 knows and this machine does not have. There are names without a PMU,
 * too: several CPUs of one maker may have them.
 */
static const char *const foreign_events[] = {
    "netburst::global_power_events:RUNNING",
    "skx::INST_RETIRED:ANY_P",
    "amd64_fam19h_zen3::RETIRED_INSTRUCTIONS",
    "arm_ac57::INST_RETIRED",
    "arm_xgene::INST_RETIRED",
};

static const char *bare(const char *name)
{
    return strstr(name, "::") + 2;
}

static bool is_of_this_cpu(const char *name)
{
    return pfm_find_event(name) >= 0;
}

static const pfm_pmu_info_t *table_of(const char *name)
{
    static pfm_pmu_info_t pmu;

    for (int i = PFM_PMU_NONE; i < PFM_PMU_MAX; i++) {
        pmu = (pfm_pmu_info_t){.size = sizeof(pmu)};
        if (pfm_get_pmu_info((pfm_pmu_t)i, &pmu) == PFM_SUCCESS &&
            strncmp(pmu.name, name, strlen(pmu.name)) == 0 &&
            strncmp(name + strlen(pmu.name), "::", 2) == 0)
            return &pmu;
    }
    return NULL;
}

static bool is_foreign(const char *name)
{
    const pfm_pmu_info_t *pmu = table_of(name);

    return pmu && !pmu->is_present && !is_of_this_cpu(bare(name));
}

static void check_foreign(const char *name)
{
    char changed[128];

    check_absence(name, ABSENCE_NO_PMU);
    check_absence(bare(name), ABSENCE_NO_PMU);
    (void)snprintf(changed, sizeof(changed), "%s:u", name);
    check_absence(changed, ABSENCE_NO_PMU);
    (void)snprintf(changed, sizeof(changed), "%.*sNO_SUCH", (int)(bare(name) - name), name);
    check_absence(changed, ABSENCE_UNKNOWN_EVENT);
}

static void resolve__takes_the_event_of_another_cpu_for_an_absent_pmu(void **state)
{
    int n_checked = 0;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(foreign_events); i++) {
        if (!is_foreign(foreign_events[i]))
            continue;
        check_foreign(foreign_events[i]);
        n_checked++;
    }
    assert_true(n_checked > 0);
}

/* Ice Lake and Skylake both have INST_RETIRED:ANY_P, for instance. */
static void resolve__takes_a_bare_name_that_cpus_share_for_this_cpus_own(void **state)
{
    static const char *const shared[] = {"skx::INST_RETIRED:ANY_P", "icx::INST_RETIRED:ANY_P",
                                         "amd64_fam17h_zen1::CYCLES_NOT_IN_HALT",
                                         "amd64_fam19h_zen3::CYCLES_NOT_IN_HALT"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(shared); i++) {
        const pfm_pmu_info_t *pmu = table_of(shared[i]);

        if (!pmu || pmu->is_present)
            continue;
        check_absence(shared[i], ABSENCE_NO_PMU);
        check_absence(bare(shared[i]),
                      is_of_this_cpu(bare(shared[i])) ? ABSENCE_NONE : ABSENCE_NO_PMU);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(resolve__takes_the_event_of_another_cpu_for_an_absent_pmu,
                                        make_sysfs, remove_sysfs),
        cmocka_unit_test_setup_teardown(
            resolve__takes_a_bare_name_that_cpus_share_for_this_cpus_own, make_sysfs, remove_sysfs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
