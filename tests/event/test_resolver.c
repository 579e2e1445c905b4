/* SPDX-License-Identifier: Apache-2.0 */
#include <linux/perf_event.h>
#include <perfmon/pfmlib_perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "event/generic.h"
#include "event/resolver.h"
#include "support/fixture_tree.h"

#define DEVICES "bus/event_source/devices/"

static struct fixture_tree sysfs;

static int make_sysfs(void **state)
{
    (void)state;
    sysfs = fixture_tree_open();
    return 0;
}

static int remove_sysfs(void **state)
{
    (void)state;
    fixture_tree_close(&sysfs);
    return 0;
}

static void add_pmu(const char *name, const char *type, const char *cpus)
{
    char path[128];

    (void)snprintf(path, sizeof(path), DEVICES "%s/type", name);
    fixture_tree_write(&sysfs, path, type);
    if (!cpus)
        return;
    (void)snprintf(path, sizeof(path), DEVICES "%s/cpus", name);
    fixture_tree_write(&sysfs, path, cpus);
}

static void add_usual_pmus(void)
{
    add_pmu("cpu", "4\n", NULL);
    add_pmu("software", "1\n", NULL);
}

/* Resolves a name on the machine that the fixture tree describes now. */
static struct event *resolved(const char *name)
{
    AUTO(event_resolver) struct event_resolver *resolver = NULL;
    struct event *event = NULL;

    assert_int_equal(event_resolver_new(sysfs.fd, &resolver), 0);
    assert_int_equal(event_resolve(resolver, name, &event), 0);
    assert_string_equal(event->name, name);
    assert_non_null(event->metric);
    assert_non_null(event->description);
    assert_non_null(event->encoding);
    assert_non_null(event->pmu);
    return event;
}

static void check_event(const char *name, const char *metric, const char *pmu, const char *encoding)
{
    AUTO(event) struct event *event = resolved(name);

    assert_string_equal(event->metric, metric);
    assert_string_equal(event->pmu, pmu);
    assert_string_equal(event->encoding, encoding);
    assert_int_equal(event->absence, ABSENCE_NONE);
}

static void check_absence(const char *name, enum absence absence)
{
    AUTO(event) struct event *event = resolved(name);

    if (event->absence != absence)
        fail_msg("\"%s\": \"%s\"", name, absence_name(event->absence));
}

static void check_suggestion(const char *name, const char *expected)
{
    AUTO(event_resolver) struct event_resolver *resolver = NULL;
    AUTO_FREE char *suggestion = NULL;

    assert_int_equal(event_resolver_new(sysfs.fd, &resolver), 0);
    suggestion = event_resolver_suggest(resolver, name);
    if (expected) {
        assert_non_null(suggestion);
        assert_string_equal(suggestion, expected);
    } else {
        assert_null(suggestion);
    }
}

static void resolve__knows_generic_events(void **state)
{
    (void)state;
    add_usual_pmus();
    check_event("cycles", "cycles", "cpu", "type=0 config=0x0");
    check_event("branches", "branches", "cpu", "type=0 config=0x4");
    check_event("branch-instructions", "branch_instructions", "cpu", "type=0 config=0x4");
    check_event("L1-dcache-load-misses", "l1_dcache_load_misses", "cpu", "type=3 config=0x10000");
    check_event("page-faults", "page_faults", "software", "type=1 config=0x2");
}

static void resolve__writes_raw_events_as_perf_would_take_them(void **state)
{
    (void)state;
    add_usual_pmus();
    check_event("r01c0", "r01c0", "cpu", "cpu/config=0x1c0/");
    check_event("r01c0:u", "r01c0_user", "cpu", "cpu/config=0x1c0/u");
    check_event("r01c0:uk", "r01c0_user_kernel", "cpu", "cpu/config=0x1c0/uk");
}

static void resolve__spells_and_sets_modifiers(void **state)
{
    AUTO(event) struct event *user = NULL, *all = NULL;

    (void)state;
    add_usual_pmus();
    check_event("cycles:u", "cycles_user", "cpu", "type=0 config=0x0 exclude_kernel exclude_hv");
    check_event("cycles:kh", "cycles_kernel_hypervisor", "cpu", "type=0 config=0x0 exclude_user");
    check_event("cs:k", "cs_kernel", "software", "type=1 config=0x3 exclude_user exclude_hv");
    user = resolved("cycles:u");
    assert_false(user->code.exclude_user);
    assert_true(user->code.exclude_kernel);
    assert_true(user->code.exclude_hypervisor);
    all = resolved("cycles:ukh");
    assert_false(all->code.exclude_user || all->code.exclude_kernel ||
                 all->code.exclude_hypervisor);
    assert_string_equal(all->metric, "cycles");
}

static void resolve__knows_clocks(void **state)
{
    static const char *const clocks[] = {"task-clock", "cpu-clock", "task-clock:u"};
    static const char *const others[] = {"cycles", "instructions", "context-switches", "r1"};

    (void)state;
    add_usual_pmus();
    for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
        AUTO(event) struct event *event = resolved(clocks[i]);

        assert_string_equal(event->unit, "seconds");
        assert_true(event->scale == EVENT_SCALE_NANOSECONDS);
        assert_true(event->is_clock);
    }
    for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
        AUTO(event) struct event *event = resolved(others[i]);

        assert_null(event->unit);
        assert_true(event->scale == 1);
        assert_false(event->is_clock);
    }
}

static void resolve__without_a_core_pmu_has_software_only(void **state)
{
    (void)state;
    add_pmu("software", "1\n", NULL);
    add_pmu("msr", "9\n", NULL);
    check_absence("cycles", ABSENCE_NO_PMU);
    check_absence("cycles:u", ABSENCE_NO_PMU);
    check_absence("LLC-load-misses", ABSENCE_NO_PMU);
    check_absence("r01c0", ABSENCE_NO_PMU);
    check_absence("task-clock", ABSENCE_NONE);
    check_absence("context-switches:u", ABSENCE_NONE);
}

static void resolve__without_the_software_pmu_says_so(void **state)
{
    (void)state;
    add_pmu("cpu", "4\n", NULL);
    check_absence("task-clock", ABSENCE_NO_PMU);
    check_absence("cycles", ABSENCE_NONE);
}

/* Whether the PMU is there will then show when the kernel is asked to open the event. */
static void resolve__without_sysfs_leaves_it_to_the_kernel(void **state)
{
    (void)state;
    check_event("cycles", "cycles", "", "type=0 config=0x0");
    check_event("r01c0", "r01c0", "", "type=4 config=0x1c0");
    check_event("task-clock", "task_clock", "", "type=1 config=0x1");
    check_absence("no-such-event", ABSENCE_UNKNOWN_EVENT);
}

static void resolve__takes_arm_and_hybrid_core_pmus(void **state)
{
    (void)state;
    add_pmu("armv8_pmuv3_0", "10\n", "0-3\n");
    check_event("cycles", "cycles", "armv8_pmuv3_0", "type=0 config=0x0");
    check_event("r8", "r8", "armv8_pmuv3_0", "armv8_pmuv3_0/config=0x8/");
    add_pmu("cpu_atom", "10\n", "8-15\n");
    add_pmu("cpu_core", "4\n", "0-7\n");
    check_event("cycles", "cycles", "cpu_core", "type=0 config=0x0");
}

static bool takes_counter(const char *name)
{
    AUTO(event) struct event *event = resolved(name);

    return event->takes_counter;
}

static void resolve__knows_which_events_take_a_counter_of_the_core(void **state)
{
    (void)state;
    add_usual_pmus();
    assert_true(takes_counter("cycles"));
    assert_true(takes_counter("L1-dcache-load-misses:u"));
    assert_true(takes_counter("r01c0"));
    assert_false(takes_counter("task-clock"));
    assert_false(takes_counter("page-faults"));
    assert_false(takes_counter("no-such-event"));
}

static void resolve__of_an_unknown_name_makes_an_event_all_the_same(void **state)
{
    AUTO(event) struct event *event = NULL;

    (void)state;
    add_usual_pmus();
    event = resolved("no-such-event:u");
    assert_int_equal(event->absence, ABSENCE_UNKNOWN_EVENT);
    assert_string_equal(event->metric, "no_such_event_user");
    assert_string_equal(event->encoding, "");
    assert_string_equal(event->pmu, "");
}

static void resolve__does_not_know_what_is_none(void **state)
{
    static const char *const names[] = {
        "",        ":",       ":u",   "cycles:", "cycles:uu", "cycles:x",           "cycles:u:u",
        " cycles", "cycles ", "\xff", "%n%n",    "rxyz",      "cycles,instructions"};

    (void)state;
    add_usual_pmus();
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        check_absence(names[i], ABSENCE_UNKNOWN_EVENT);
}

/* No source has these names yet; until then they must not be taken for anything else. */
static void resolve__does_not_know_sysfs_events_yet(void **state)
{
    (void)state;
    add_usual_pmus();
    add_pmu("msr", "9\n", NULL);
    check_absence("cpu/event=0xc0/", ABSENCE_UNKNOWN_EVENT);
    check_absence("msr/tsc/", ABSENCE_UNKNOWN_EVENT);
}

static void resolve__survives_a_name_of_64_kilobytes(void **state)
{
    AUTO_FREE char *name = malloc(65537);
    AUTO(event) struct event *event = NULL;

    (void)state;
    memset(name, 'a', 65536);
    name[65536] = '\0';
    event = resolved(name);
    assert_int_equal(event->absence, ABSENCE_UNKNOWN_EVENT);
    check_suggestion(name, NULL);
}

static void suggest__finds_the_generic_name_and_keeps_modifiers(void **state)
{
    (void)state;
    check_suggestion("cycls", "cycles");
    check_suggestion("instruction:uk", "instructions:uk");
    check_suggestion("Branch-Misses", "branch-misses");
    check_suggestion("L1-dcache-load-mises", "L1-dcache-load-misses");
    check_suggestion("contex-switches:k", "context-switches:k");
}

static void suggest__is_silent_where_nothing_is_near(void **state)
{
    (void)state;
    check_suggestion("", NULL);
    check_suggestion(":u", NULL);
    check_suggestion("no-name-is-like-this", NULL);
    check_suggestion("sched:sched_switch", NULL);
}

/* Writes EVENT:MASK with the event's first unit mask. False: it has none. */
static bool first_unit_mask(const pfm_event_info_t *info, char *ret_name, size_t size)
{
    pfm_event_attr_info_t mask = {.size = sizeof(mask)};

    if (info->nattrs == 0 ||
        pfm_get_event_attr_info(info->idx, 0, PFM_OS_PERF_EVENT, &mask) != PFM_SUCCESS ||
        mask.type != PFM_ATTR_UMASK)
        return false;
    return (size_t)snprintf(ret_name, size, "%s:%s", info->name, mask.name) < size;
}

static void check_misspelled(const char *name)
{
    AUTO_FREE char *wrong = strdup(name);

    assert_non_null(wrong);
    wrong[strlen(wrong) - 1] = '#';
    check_suggestion(wrong, name);
}

/* The names have a wrong last letter: the first event of the core PMU, and its first unit mask. */
static void suggest__knows_the_events_of_this_cpu(void **state)
{
    int n_events = 0, n_masks = 0;

    (void)state;
    assert_int_equal(pfm_initialize(), PFM_SUCCESS);
    for (int i = PFM_PMU_NONE; i < PFM_PMU_MAX; i++) {
        pfm_pmu_info_t pmu = {.size = sizeof(pmu)};

        if (pfm_get_pmu_info((pfm_pmu_t)i, &pmu) != PFM_SUCCESS || !pmu.is_present ||
            pmu.type != PFM_PMU_TYPE_CORE)
            continue;
        for (int idx = pmu.first_event; idx != -1; idx = pfm_get_event_next(idx)) {
            pfm_event_info_t info = {.size = sizeof(info)};
            char name[64];

            assert_int_equal(pfm_get_event_info(idx, PFM_OS_PERF_EVENT, &info), PFM_SUCCESS);
            if (n_events++ == 0)
                check_misspelled(info.name);
            if (n_masks == 0 && first_unit_mask(&info, name, sizeof(name))) {
                check_misspelled(name);
                n_masks++;
            }
        }
    }
    if (n_events == 0) {
        print_message("skipped: libpfm4 does not know this CPU\n");
        skip();
    }
}

static void free__takes_null(void **state)
{
    (void)state;
    assert_null(event_resolver_free(NULL));
    assert_null(event_free(NULL));
    assert_null(event_free(calloc(1, sizeof(struct event))));
}

#define RESOLVER_TEST(test) cmocka_unit_test_setup_teardown(test, make_sysfs, remove_sysfs)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RESOLVER_TEST(resolve__knows_generic_events),
        RESOLVER_TEST(resolve__writes_raw_events_as_perf_would_take_them),
        RESOLVER_TEST(resolve__spells_and_sets_modifiers),
        RESOLVER_TEST(resolve__knows_clocks),
        RESOLVER_TEST(resolve__without_a_core_pmu_has_software_only),
        RESOLVER_TEST(resolve__without_the_software_pmu_says_so),
        RESOLVER_TEST(resolve__without_sysfs_leaves_it_to_the_kernel),
        RESOLVER_TEST(resolve__takes_arm_and_hybrid_core_pmus),
        RESOLVER_TEST(resolve__knows_which_events_take_a_counter_of_the_core),
        RESOLVER_TEST(resolve__of_an_unknown_name_makes_an_event_all_the_same),
        RESOLVER_TEST(resolve__does_not_know_what_is_none),
        RESOLVER_TEST(resolve__does_not_know_sysfs_events_yet),
        RESOLVER_TEST(resolve__survives_a_name_of_64_kilobytes),
        RESOLVER_TEST(suggest__finds_the_generic_name_and_keeps_modifiers),
        RESOLVER_TEST(suggest__is_silent_where_nothing_is_near),
        RESOLVER_TEST(suggest__knows_the_events_of_this_cpu),
        cmocka_unit_test(free__takes_null),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
