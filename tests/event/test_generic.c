/* SPDX-License-Identifier: Apache-2.0 */
#include <linux/perf_event.h>
#include <perfmon/pfmlib_perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "event/generic.h"
#include "event/resolver.h"
#include "event/source.h"
#include "support/fixture_tree.h"

static void check(const char *name, uint32_t type, uint64_t config)
{
    AUTO(event) struct event *event = calloc(1, sizeof(*event));

    if (event_source_generic.resolve(NULL, name, event) != SOURCE_KNOWS)
        fail_msg("\"%s\" is not known", name);
    if (event->code.type != type || event->code.config != config)
        fail_msg("\"%s\" is type %u config 0x%llx", name, event->code.type,
                 (unsigned long long)event->code.config);
    assert_true(strlen(event->description) > 0);
    assert_null(strchr(event->description, '\n'));
    assert_int_not_equal(event->description[strlen(event->description) - 1], '.');
}

static int outcome_of(const struct event_source *source, const char *name)
{
    AUTO(event) struct event *event = calloc(1, sizeof(*event));

    return source->resolve(NULL, name, event);
}

static const struct generic_name {
    const char *name, *canonical;
    uint32_t type;
    uint64_t config;
} generic_names[] = {
    {"cycles", "cycles", PERF_TYPE_HARDWARE, 0},
    {"cpu-cycles", "cycles", PERF_TYPE_HARDWARE, 0},
    {"instructions", "instructions", PERF_TYPE_HARDWARE, 1},
    {"cache-references", "cache-references", PERF_TYPE_HARDWARE, 2},
    {"cache-misses", "cache-misses", PERF_TYPE_HARDWARE, 3},
    {"branches", "branches", PERF_TYPE_HARDWARE, 4},
    {"branch-instructions", "branches", PERF_TYPE_HARDWARE, 4},
    {"branch-misses", "branch-misses", PERF_TYPE_HARDWARE, 5},
    {"bus-cycles", "bus-cycles", PERF_TYPE_HARDWARE, 6},
    {"stalled-cycles-frontend", "stalled-cycles-frontend", PERF_TYPE_HARDWARE, 7},
    {"idle-cycles-frontend", "stalled-cycles-frontend", PERF_TYPE_HARDWARE, 7},
    {"stalled-cycles-backend", "stalled-cycles-backend", PERF_TYPE_HARDWARE, 8},
    {"idle-cycles-backend", "stalled-cycles-backend", PERF_TYPE_HARDWARE, 8},
    {"ref-cycles", "ref-cycles", PERF_TYPE_HARDWARE, 9},
    {"cpu-clock", "cpu-clock", PERF_TYPE_SOFTWARE, 0},
    {"task-clock", "task-clock", PERF_TYPE_SOFTWARE, 1},
    {"page-faults", "page-faults", PERF_TYPE_SOFTWARE, 2},
    {"faults", "page-faults", PERF_TYPE_SOFTWARE, 2},
    {"context-switches", "context-switches", PERF_TYPE_SOFTWARE, 3},
    {"cs", "context-switches", PERF_TYPE_SOFTWARE, 3},
    {"cpu-migrations", "cpu-migrations", PERF_TYPE_SOFTWARE, 4},
    {"migrations", "cpu-migrations", PERF_TYPE_SOFTWARE, 4},
    {"minor-faults", "minor-faults", PERF_TYPE_SOFTWARE, 5},
    {"major-faults", "major-faults", PERF_TYPE_SOFTWARE, 6},
    {"alignment-faults", "alignment-faults", PERF_TYPE_SOFTWARE, 7},
    {"emulation-faults", "emulation-faults", PERF_TYPE_SOFTWARE, 8},
    {"dummy", "dummy", PERF_TYPE_SOFTWARE, 9},
    {"bpf-output", "bpf-output", PERF_TYPE_SOFTWARE, 10},
    {"cgroup-switches", "cgroup-switches", PERF_TYPE_SOFTWARE, 11},
};

static void resolve__knows_hardware_and_software_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(generic_names); i++)
        check(generic_names[i].name, generic_names[i].type, generic_names[i].config);
}

static void canonical__maps_every_alias_to_one_spelling(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(generic_names); i++)
        assert_string_equal(event_generic_canonical(generic_names[i].name),
                            generic_names[i].canonical);
}

static void canonical__leaves_other_names(void **state)
{
    static const char *const names[] = {
        "L1-dcache-loads", "INST_RETIRED:ANY_P", "r01c0", "", "cpu-cycles:u", "Cycles"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        assert_ptr_equal(event_generic_canonical(names[i]), names[i]);
}

/* Caches in the order of their numbers in the kernel. Each of them has loads. */
static const struct {
    const char *name;
    bool stores, prefetches;
} caches[] = {
    {"L1-dcache", true, true}, {"L1-icache", false, true}, {"LLC", true, true},
    {"dTLB", true, true},      {"iTLB", false, false},     {"branch", false, false},
    {"node", true, true},
};

static void check_cache(size_t cache, const char *result, uint64_t config, bool exists)
{
    char name[64];

    (void)snprintf(name, sizeof(name), "%s-%s", caches[cache].name, result);
    if (exists)
        check(name, PERF_TYPE_HW_CACHE, cache | config);
    else
        assert_int_equal(outcome_of(&event_source_generic, name), SOURCE_UNKNOWN);
}

static void resolve__knows_the_legal_cache_events(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(caches); i++) {
        check_cache(i, "loads", 0x00000, true);
        check_cache(i, "load-misses", 0x10000, true);
        check_cache(i, "stores", 0x00100, caches[i].stores);
        check_cache(i, "store-misses", 0x10100, caches[i].stores);
        check_cache(i, "prefetches", 0x00200, caches[i].prefetches);
        check_cache(i, "prefetch-misses", 0x10200, caches[i].prefetches);
    }
}

static void resolve__knows_no_other_name(void **state)
{
    static const char *const names[] = {
        "",
        "cycle",
        "Cycles",
        "cycles ",
        "L1-dcache",
        "L1-dcache-",
        "l1-dcache-loads",
        "LLC-load",
        "LLC-misses",
        "dTLB-loads-misses",
        "L1-icache-stores",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        assert_int_equal(outcome_of(&event_source_generic, names[i]), SOURCE_UNKNOWN);
}

/* libpfm4 has a table of the same names, written by others. */
static void compare_with_pfm(const char *name, int *compared)
{
    AUTO(event) struct event *ours = calloc(1, sizeof(*ours));
    AUTO(event) struct event *theirs = calloc(1, sizeof(*theirs));

    if (event_source_pfm.resolve(NULL, name, theirs) != SOURCE_KNOWS)
        return;
    assert_int_equal(event_source_generic.resolve(NULL, name, ours), SOURCE_KNOWS);
    if (theirs->code.type != ours->code.type || theirs->code.config != ours->code.config)
        fail_msg("\"%s\": libpfm4 has type %u config 0x%llx", name, theirs->code.type,
                 (unsigned long long)theirs->code.config);
    (*compared)++;
}

static void resolve__agrees_with_libpfm(void **state)
{
    static const char *const results[] = {"loads",        "load-misses", "stores",
                                          "store-misses", "prefetches",  "prefetch-misses"};
    int compared = 0;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(generic_names); i++)
        compare_with_pfm(generic_names[i].name, &compared);
    for (size_t i = 0; i < ARRAY_SIZE(caches) * ARRAY_SIZE(results); i++) {
        char name[64];

        (void)snprintf(name, sizeof(name), "%s-%s", caches[i / ARRAY_SIZE(results)].name,
                       results[i % ARRAY_SIZE(results)]);
        if (outcome_of(&event_source_generic, name) == SOURCE_KNOWS)
            compare_with_pfm(name, &compared);
    }
    assert_true(compared > 30);
}

static void clock__is_recognized_by_name_in_every_spelling(void **state)
{
    static const char *const clocks[] = {"task-clock",
                                         "cpu-clock",
                                         "perf::TASK-CLOCK",
                                         "perf::task-clock",
                                         "PERF::CPU-CLOCK",
                                         "PERF_COUNT_SW_TASK_CLOCK",
                                         "TASK-CLOCK",
                                         "perf_count_sw_cpu_clock",
                                         "perf::PERF_COUNT_SW_CPU_CLOCK"};
    static const char *const others[] = {
        "",           "cycles",       "perf::", "perf::CYCLES",    "task-clocks",
        "task_clock", "task-clock:u", "clock",  "skx::TASK-CLOCK", "perf::perf::TASK-CLOCK"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
        AUTO(event) struct event *event = calloc(1, sizeof(*event));

        assert_true(event_generic_names_clock(clocks[i]));
        if (event_source_generic.resolve(NULL, clocks[i], event) != SOURCE_KNOWS)
            assert_int_equal(event_source_pfm.resolve(NULL, clocks[i], event), SOURCE_KNOWS);
        assert_true(event_generic_is_clock(&event->code));
    }
    for (size_t i = 0; i < ARRAY_SIZE(others); i++)
        assert_false(event_generic_names_clock(others[i]));
}

static void compare_clock(const char *name, int *clocks)
{
    AUTO(event) struct event *event = calloc(1, sizeof(*event));

    if (event_source_pfm.resolve(NULL, name, event) != SOURCE_KNOWS)
        return;
    if (event_generic_names_clock(name) != event_generic_is_clock(&event->code))
        fail_msg("\"%s\" is a clock by its name or by its code, and not by both", name);
    *clocks += event_generic_is_clock(&event->code);
}

static void clock__is_the_same_by_name_and_by_code_for_all_that_libpfm_has(void **state)
{
    pfm_pmu_info_t pmu = {.size = sizeof(pmu)};
    int clocks = 0;

    (void)state;
    assert_int_equal(pfm_initialize(), PFM_SUCCESS);
    assert_int_equal(pfm_get_pmu_info(PFM_PMU_PERF_EVENT, &pmu), PFM_SUCCESS);
    for (int idx = pmu.first_event; idx != -1; idx = pfm_get_event_next(idx)) {
        pfm_event_info_t info = {.size = sizeof(info)};
        char name[128];

        assert_int_equal(pfm_get_event_info(idx, PFM_OS_PERF_EVENT, &info), PFM_SUCCESS);
        compare_clock(info.name, &clocks);
        (void)snprintf(name, sizeof(name), "%s::%s", pmu.name, info.name);
        compare_clock(name, &clocks);
    }
    assert_true(clocks >= 4); /* two names, each with and without the name of the PMU */
}

static void check_resolved(int sysfs_fd, const char *name, enum absence absence, bool is_clock)
{
    AUTO(event_resolver) struct event_resolver *resolver = NULL;
    AUTO(event) struct event *event = NULL;

    assert_int_equal(event_resolver_new(sysfs_fd, &resolver), 0);
    assert_int_equal(event_resolve(resolver, name, &event), 0);
    if (event->absence != absence)
        fail_msg("\"%s\": \"%s\"", name, absence_name(event->absence));
    assert_int_equal(event->is_clock, is_clock);
    assert_int_equal(event_counts_nanoseconds(event), is_clock);
}

static void resolver__takes_libpfms_generic_names_for_what_they_are(void **state)
{
    struct fixture_tree sysfs = fixture_tree_open();

    (void)state;
    fixture_tree_write(&sysfs, "bus/event_source/devices/software/type", "1\n");
    check_resolved(sysfs.fd, "PERF_COUNT_SW_TASK_CLOCK", ABSENCE_NONE, true);
    check_resolved(sysfs.fd, "perf::TASK-CLOCK", ABSENCE_NONE, true);
    check_resolved(sysfs.fd, "perf::CPU-CLOCK:k", ABSENCE_NONE, true);
    check_resolved(sysfs.fd, "PERF_COUNT_SW_PAGE_FAULTS", ABSENCE_NONE, false);
    check_resolved(sysfs.fd, "PERF_COUNT_HW_CPU_CYCLES", ABSENCE_NO_PMU, false);
    fixture_tree_close(&sysfs);
}

static void clock__is_not_what_has_the_same_number_elsewhere(void **state)
{
    const struct event_code instructions = {.type = PERF_TYPE_HARDWARE, .config = 1};
    const struct event_code faults = {.type = PERF_TYPE_SOFTWARE, .config = 2};

    (void)state;
    assert_false(event_generic_is_clock(&instructions));
    assert_false(event_generic_is_clock(&faults));
}

static int find_listed(void *object, const struct event_listing *listing)
{
    assert_true(listing->description[0] != '\0');
    return strcmp(listing->name, object) == 0 ||
           (listing->alias && strcmp(listing->alias, object) == 0);
}

static void list__has_names_and_aliases_and_caches(void **state)
{
    static const char *const names[] = {"cycles",
                                        "cpu-cycles",
                                        "cs",
                                        "emulation-faults",
                                        "L1-dcache-load-misses",
                                        "node-prefetch-misses"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        const struct event_visitor visitor = {find_listed, (void *)names[i]};

        assert_int_equal(event_source_generic.list(NULL, &visitor), 1);
    }
}

/* libpfm4 has generic names on every CPU, except when LIBPFM_FORCE_PMU makes it believe in one. */
static int believe_this_cpu(void **state)
{
    (void)state;
    return unsetenv("LIBPFM_FORCE_PMU");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resolve__knows_hardware_and_software_names),
        cmocka_unit_test(canonical__maps_every_alias_to_one_spelling),
        cmocka_unit_test(canonical__leaves_other_names),
        cmocka_unit_test(resolve__knows_the_legal_cache_events),
        cmocka_unit_test(resolve__knows_no_other_name),
        cmocka_unit_test(resolve__agrees_with_libpfm),
        cmocka_unit_test(clock__is_recognized_by_name_in_every_spelling),
        cmocka_unit_test(clock__is_the_same_by_name_and_by_code_for_all_that_libpfm_has),
        cmocka_unit_test(resolver__takes_libpfms_generic_names_for_what_they_are),
        cmocka_unit_test(clock__is_not_what_has_the_same_number_elsewhere),
        cmocka_unit_test(list__has_names_and_aliases_and_caches),
    };

    return cmocka_run_group_tests(tests, believe_this_cpu, NULL);
}
