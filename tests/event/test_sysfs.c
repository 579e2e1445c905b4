/* SPDX-License-Identifier: Apache-2.0 */

/* Events that sysfs describes, on machines that we do not have (support/machines/). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "event/expansion.h"
#include "event/listing.h"
#include "event/sysfs_fixture.h"

static void intel__is_encoded_by_events_and_formats(void **state)
{
    static const struct numbers events[] = {
        {"cpu/instructions/", 4, 0xc0},
        {"cpu/INSTRUCTIONS/", 4, 0xc0}, /* as perf, which does not look at the case */
        {"cpu/event=instructions/", 4, 0xc0},
        {"cpu/event=0xc0/", 4, 0xc0},
        {"cpu/event=192/", 4, 0xc0},
        {"cpu/event=0xc0, umask=0x1/", 4, 0x1c0},
        {"cpu/event=0x3c,umask=0x1,edge,inv,cmask=0x10/", 4, 0x1084013c},
        {"cpu/mem-loads/", 4, 0x1cd, 3},
        {"cpu/mem-loads,ldlat=30/", 4, 0x1cd, 3 | 30}, /* bits are added, as by perf */
        {"cpu/slots/", 4, 0x400},
        {"cpu/event=0xb7,umask=1,offcore_rsp=0xffffffffffffffff/", 4, 0x1b7, UINT64_MAX},
        {"cpu/config=0x1b7,config1=0x10,config2=0x20/", 4, 0x1b7, 0x10, 0x20},
        {"cpu/config=0x100,event=0xc0/", 4, 0x1c0},
        {"cpu/config=1,config=2/", 4, 2},
        {"cpu/r1c0/", 4, 0x1c0},
        {"cpu/in_tx/", 4, UINT64_C(1) << 32},
        {"cpu/cycles/", 0, 0},
        {"cpu/LLC-loads/", 3, 2},
        {"slots", 4, 0x400},
        {"mem-loads", 4, 0x1cd, 3},
        {"topdown-retiring", 4, 0x8000},
        {"power/energy-pkg/", 13, 2},
        {"energy-ram", 13, 3},
        {"cstate_core/c6-residency/", 10, 2},
        {"msr/tsc/", 12, 0},
        {"msr/aperf/", 12, 1},
        {"uncore_imc_2/cas_count_write/", 16, 0x3004},
        {"uncore_cha_1/event=0x35,umask=0xc001ff01/", 19, UINT64_C(0xc001ff00000135)},
        {"software/page-faults/", 1, 2},
        {"cycles//", 0, 0},
    };

    (void)state;
    check_numbers(events, ARRAY_SIZE(events));
}

static void hybrid__generic_names_inside_a_pmu_are_of_that_kind_of_core(void **state)
{
    static const struct numbers events[] = {
        {"cpu_core/cycles/", 0, UINT64_C(4) << 32},
        {"cpu_atom/cycles/", 0, UINT64_C(10) << 32},
        {"cpu_atom/LLC-loads/", 3, UINT64_C(10) << 32 | 2},
        {"cpu_core/instructions/", 4, 0xc0}, /* sysfs has a code of the PMU's own */
        {"cpu_atom/instructions/", 10, 0xc0},
        {"cpu_atom/mem-loads/", 10, 0x5d0, 3},
        {"cpu_core/mem-loads/", 4, 0x1cd, 3},
        {"cpu_atom/r1c0/", 10, 0x1c0},
        {"slots", 4, 0x400},
        {"uncore_imc_free_running_1/data_read/", 15, 0x20ff},
    };

    (void)state;
    check_numbers(events, ARRAY_SIZE(events));
}

static void hybrid__events_are_bound_to_their_kind_of_core(void **state)
{
    static const struct {
        const char *name;
        uint32_t core_type;
    } events[] = {
        {"cpu_core/cycles/", 4},
        {"cpu_atom/cycles/", 10},
        {"cpu_atom/r1c0/", 10},
        {"cpu_core/event=1/", 4},
        {"slots", 4},
        {"cycles", 0},
        {"r1c0", 0},
        {"power/energy-pkg/", 0},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
        AUTO(event) struct event *event = resolved(events[i].name);

        if (event->code.core_type != events[i].core_type)
            fail_msg("%s: %u", events[i].name, event->code.core_type);
    }
}

static void amd__fields_may_lie_in_two_parts(void **state)
{
    static const struct numbers events[] = {
        {"cpu/event=0x1a9/", 4, 0x1000000a9},
        {"cpu/stalled-cycles-frontend/", 4, 0xa9},
        {"amd_df/event=0x3a07,umask=0x38/", 10, UINT64_C(0x1800000a00003807)},
        {"amd_l3/event=0x4,umask=0xff,threadmask=3,enallslices,enallcores,sliceid=7/", 11,
         UINT64_C(0x0307c0000000ff04)},
        {"power/energy-pkg/", 14, 2},
    };

    (void)state;
    check_numbers(events, ARRAY_SIZE(events));
}

static void arm__has_fields_in_three_numbers(void **state)
{
    static const struct numbers events[] = {
        {"armv8_pmuv3_0/l1d_cache_refill/", 8, 3},
        {"armv8_pmuv3_0/event=0x11,long/", 8, 0x11, 1},
        {"armv8_pmuv3_0/cycles/", 0, 0},
        {"br_pred", 8, 0x12},
        {"arm_cmn_0/hnf_cache_miss/", 9, 0x10005},
        {"arm_cmn_0/hnf_cache_miss,bynodeid,nodeid=0x24/", 9, UINT64_C(0x2480010005)},
        {"arm_cmn_0/type=0x7770,wp_val=0x1,wp_mask=0xfffffffffffffffe/", 9, 0x7770, 1,
         UINT64_MAX - 1},
        {"arm_dsu_1/cycles/", 11, 0x11},
    };

    (void)state;
    check_numbers(events, ARRAY_SIZE(events));
}

static void big_little__bare_names_are_of_the_first_kind_of_core(void **state)
{
    static const struct numbers events[] = {
        {"l1d_cache", 8, 4},
        {"armv8_cortex_a72/l1d_cache/", 9, 4},
        {"br_retired", 9, 0x21}, /* the small cores do not have it */
        {"armv8_cortex_a72/cycles/", 0, UINT64_C(9) << 32},
    };

    (void)state;
    check_numbers(events, ARRAY_SIZE(events));
}

static void events__have_their_units(void **state)
{
    static const struct {
        const char *name, *unit;
        double scale;
    } events[] = {
        {"power/energy-pkg/", "joules", 0x1p-32},
        {"uncore_imc_0/cas_count_read/", "bytes", 64},
        {"uncore_iio_free_running_0/bw_in_port0/", "bytes", 4},
        {"cpu/topdown-total-slots/", NULL, 4},
        {"cpu/instructions/", NULL, 1},
        {"power/event=2/", NULL, 1}, /* a code says nothing of units */
        {"software/task-clock/", "seconds", 1e-9},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
        AUTO(event) struct event *event = resolved(events[i].name);

        assert_int_equal(event->absence, ABSENCE_NONE);
        if (events[i].unit)
            assert_string_equal(event->unit, events[i].unit);
        else
            assert_null(event->unit);
        assert_true(event->scale == events[i].scale);
    }
}

static void events__say_who_counts_them_and_what_they_take(void **state)
{
    AUTO(event) struct event *core = resolved("cpu/event=0xc0,umask=1/u");
    AUTO(event) struct event *bare = resolved("slots:k");
    AUTO(event) struct event *memory = resolved("uncore_imc_0/cas_count_read/");
    AUTO(event) struct event *clock = resolved("msr/tsc/");

    (void)state;
    assert_int_equal(core->kind, EVENT_PMU);
    assert_string_equal(core->pmu, "cpu");
    assert_string_equal(core->metric, "cpu_event_0xc0_umask_1_user");
    assert_string_equal(core->encoding, "cpu/config=0x1c0/u");
    assert_string_equal(core->description, "Event with the code event=0xc0,umask=1 of the PMU cpu");
    assert_true(core->takes_counter && core->code.exclude_kernel && !core->is_uncore);
    assert_string_equal(bare->metric, "slots_kernel");
    assert_string_equal(bare->pmu, "cpu");
    assert_true(bare->takes_counter);
    assert_string_equal(memory->description, "Event cas_count_read of the PMU uncore_imc_0");
    assert_false(memory->takes_counter);
    assert_true(memory->is_uncore);
    assert_string_equal(clock->pmu, "msr");
    assert_false(clock->takes_counter || clock->is_uncore);
}

struct listed {
    bool energy, slots, attribute;
    size_t n;
};

static int look(void *object, const struct event_listing *listing)
{
    struct listed *listed = object;

    if (listing->kind != EVENT_PMU)
        return 0;
    listed->n++;
    if (strcmp(listing->name, "power/energy-pkg/") == 0) {
        listed->energy = true;
        assert_null(listing->alias);
        assert_string_equal(listing->pmu, "power");
        assert_string_equal(listing->description,
                            "Event energy-pkg of the PMU power, encoded event=0x02, in joules");
    }
    if (strcmp(listing->name, "cpu/slots/") == 0) {
        listed->slots = true;
        assert_string_equal(listing->alias, "slots");
    }
    listed->attribute |= strstr(listing->name, ".unit") || strstr(listing->name, ".scale");
    return 0;
}

static void list__has_every_event_and_no_attribute(void **state)
{
    struct listed listed = {0};

    (void)state;
    assert_int_equal(event_resolver_list(resolver, &(struct event_visitor){look, &listed}), 0);
    assert_true(listed.energy && listed.slots && !listed.attribute);
    assert_int_equal(listed.n, 16 + 2 + 2 + 6 + 3 + 4 * 3 + 2);
}

/* Every event that is listed resolves, on every machine. */
static int resolve_listed(void *object, const struct event_listing *listing)
{
    AUTO(event) struct event *event = NULL;

    if (listing->kind != EVENT_PMU)
        return 0;
    event = resolved(listing->name);
    if (event->absence != ABSENCE_NONE && !strstr(listing->name, "thermal_margin"))
        fail_msg("%s: %s", listing->name, event->why);
    ++*(size_t *)object;
    return 0;
}

static void list__has_only_what_resolves(void **state)
{
    size_t n = 0;

    (void)state;
    assert_int_equal(event_resolver_list(resolver, &(struct event_visitor){resolve_listed, &n}), 0);
    assert_true(n > 5);
}

static void suggest__knows_events_of_pmus(void **state)
{
    AUTO_FREE char *suggestion = event_resolver_suggest(resolver, "slotz");

    (void)state;
    assert_string_equal(suggestion, "slots");
}

static void check_expansion(const char *name, const char *expected)
{
    struct event_expansion expansion;
    char names[256] = "";

    assert_int_equal(event_expand(resolver, name, EVENT_EXPANSION_MAX, &expansion), 0);
    for (size_t i = 0; i < expansion.n_names; i++) {
        strncat(names, expansion.names[i], sizeof(names) - strlen(names) - 1);
        strncat(names, " ", sizeof(names) - strlen(names) - 1);
    }
    assert_string_equal(names, expected);
    event_expansion_done(&expansion);
}

static void pattern_of_pmus__is_the_event_of_each_that_has_it(void **state)
{
    (void)state;
    check_expansion("uncore_imc_*/cas_count_read/",
                    "uncore_imc_0/cas_count_read/ uncore_imc_1/cas_count_read/ "
                    "uncore_imc_2/cas_count_read/ uncore_imc_3/cas_count_read/ ");
    check_expansion("uncore_imc_[12]/event=0x4,umask=3/", "uncore_imc_1/event=0x4,umask=3/ "
                                                          "uncore_imc_2/event=0x4,umask=3/ ");
    check_expansion("*/cas_count_write/",
                    "uncore_imc_0/cas_count_write/ uncore_imc_1/cas_count_write/ "
                    "uncore_imc_2/cas_count_write/ uncore_imc_3/cas_count_write/ ");
    check_expansion("uncore_imc_*/no_such/", "");
    check_expansion("uncore_imc/cas_count_read/", "");
    check_expansion("uncore_imc_*", "");
}

static void uncore__is_named_without_its_pmu_which_may_be_several(void **state)
{
    static const struct {
        const char *name, *metric, *pmu, *unit;
    } events[] = {
        {"uncore_imc/cas_count_read/", "cas_count_read", "uncore_imc", "bytes"},
        {"uncore_imc_3/cas_count_read/", "cas_count_read", "uncore_imc_3", "bytes"},
        {"uncore_imc/event=0x4,umask=3/", "event_0x4_umask_3", "uncore_imc", NULL},
        {"power/energy-pkg/", "energy_pkg", "power", "joules"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
        AUTO(event) struct event *event = resolved(events[i].name);

        assert_true(event->is_uncore);
        assert_false(event->takes_counter);
        assert_string_equal(event->metric, events[i].metric);
        assert_string_equal(event->pmu, events[i].pmu);
        if (events[i].unit)
            assert_string_equal(event->unit, events[i].unit);
        else
            assert_null(event->unit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(intel__is_encoded_by_events_and_formats, intel_server),
        TEST(hybrid__generic_names_inside_a_pmu_are_of_that_kind_of_core, hybrid_client),
        TEST(hybrid__events_are_bound_to_their_kind_of_core, hybrid_client),
        TEST(amd__fields_may_lie_in_two_parts, amd_server),
        TEST(arm__has_fields_in_three_numbers, arm_server),
        TEST(big_little__bare_names_are_of_the_first_kind_of_core, arm_big_little),
        TEST(events__have_their_units, intel_server),
        TEST(events__say_who_counts_them_and_what_they_take, intel_server),
        TEST(list__has_every_event_and_no_attribute, intel_server),
        TEST(list__has_only_what_resolves, intel_server),
        TEST(list__has_only_what_resolves, hybrid_client),
        TEST(list__has_only_what_resolves, amd_server),
        TEST(list__has_only_what_resolves, arm_server),
        TEST(list__has_only_what_resolves, arm_big_little),
        TEST(suggest__knows_events_of_pmus, intel_server),
        TEST(pattern_of_pmus__is_the_event_of_each_that_has_it, intel_server),
        TEST(uncore__is_named_without_its_pmu_which_may_be_several, intel_server),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
