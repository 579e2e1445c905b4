/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Events of libpfm4 of CPUs that this machine has not: one of each of many PMUs, as libpfm4 encodes
 * them when it is asked directly, and as the makers' manuals have them.
 */
#include <perfmon/pfmlib_perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "event/resolver.h"

static const struct {
    const char *name;
    uint64_t config;
} events[] = {
    {"core::INST_RETIRED:ANY_P", 0xc0},
    {"nhm::LONGEST_LAT_CACHE:MISS", 0x412e},
    {"wsm::INST_RETIRED:ANY_P", 0x1c0},
    {"snb::BR_MISP_RETIRED", 0x4c5},
    {"ivb::LONGEST_LAT_CACHE:MISS", 0x412e},
    {"hsw::BR_MISP_RETIRED", 0xc5},
    {"bdw::INST_RETIRED:ANY_P", 0xc0},
    {"skl::LONGEST_LAT_CACHE:MISS", 0x412e},
    {"skx::INST_RETIRED:ANY_P", 0xc0},
    {"clx::BR_MISP_RETIRED", 0xc5},
    {"icl::LONGEST_LAT_CACHE:MISS", 0x412e},
    {"icx::INST_RETIRED:ANY_P", 0xc0},
    {"spr::LONGEST_LAT_CACHE:MISS", 0x412e},
    {"slm::BR_MISP_RETIRED", 0xc5},
    {"glm::INST_RETIRED:ANY_P", 0xc0},
    {"tmt::LONGEST_LAT_CACHE:MISS", 0x412e},
    {"knl::INST_RETIRED:ANY_P", 0xc0},
    {"amd64_k7::RETIRED_INSTRUCTIONS", 0xc0},
    {"amd64_fam10h_barcelona::RETIRED_INSTRUCTIONS", 0xc0},
    {"amd64_fam14h_bobcat::RETIRED_INSTRUCTIONS", 0xc0},
    {"amd64_fam15h_interlagos::DATA_CACHE_MISSES", 0x341},
    {"amd64_fam17h_zen1::RETIRED_BRANCH_INSTRUCTIONS", 0xc2},
    {"amd64_fam17h_zen2::CYCLES_NOT_IN_HALT", 0x76},
    {"amd64_fam19h_zen3::RETIRED_INSTRUCTIONS", 0xc0},
    {"amd64_fam19h_zen4::RETIRED_INSTRUCTIONS", 0xc0},
};

#define N_EVENTS ARRAY_SIZE(events)

static struct event *resolved(struct event_resolver *resolver, const char *name)
{
    struct event *event = NULL;

    assert_int_equal(event_resolve(resolver, name, &event), 0);
    return event;
}

static void skip_without_tables(struct event_resolver *resolver)
{
    AUTO(event) struct event *event = resolved(resolver, events[0].name);

    if (event->absence == ABSENCE_UNKNOWN_EVENT) {
        print_message("skipped: libpfm4 has the tables of x86 only on x86\n");
        skip();
    }
}

/* The resolver has made libpfm4 encode all events by now. */
static void compare_with_libpfm(const struct event *event, const char *name)
{
    struct perf_event_attr attr = {.size = sizeof(attr)};
    pfm_perf_encode_arg_t encoded = {.attr = &attr, .size = sizeof(encoded)};

    assert_int_equal(pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3 | PFM_PLMH,
                                               PFM_OS_PERF_EVENT, &encoded),
                     PFM_SUCCESS);
    assert_int_equal(event->code.type, attr.type);
    assert_int_equal(event->code.config, attr.config);
    assert_int_equal(event->code.config1, attr.config1);
    assert_int_equal(event->code.config2, attr.config2);
}

static void resolve__encodes_events_of_absent_pmus_if_it_is_asked_to(void **state)
{
    AUTO(event_resolver) struct event_resolver *resolver = NULL;
    size_t n_absent = 0;

    (void)state;
    assert_int_equal(event_resolver_new(-1, &resolver), 0);
    skip_without_tables(resolver);
    event_resolver_encode_absent(resolver);
    for (size_t i = 0; i < N_EVENTS; i++) {
        AUTO(event) struct event *event = resolved(resolver, events[i].name);

        n_absent += event->absence == ABSENCE_NO_PMU;
        if (!*event->encoding || event->code.config != events[i].config)
            fail_msg("%s: \"%s\"", events[i].name, event->encoding);
        compare_with_libpfm(event, events[i].name);
        assert_true(*event->description);
    }
    assert_true(n_absent >= N_EVENTS - 1);
}

/* This machine has one of them at most; all others are absent. */
static void resolve__has_no_code_of_them_if_it_is_not_asked_to(void **state)
{
    AUTO(event_resolver) struct event_resolver *resolver = NULL;
    size_t n_present = 0;

    (void)state;
    assert_int_equal(event_resolver_new(-1, &resolver), 0);
    skip_without_tables(resolver);
    for (size_t i = 0; i < N_EVENTS; i++) {
        AUTO(event) struct event *event = resolved(resolver, events[i].name);

        if (event->absence == ABSENCE_NONE) {
            n_present++;
            continue;
        }
        assert_int_equal(event->absence, ABSENCE_NO_PMU);
        assert_string_equal(event->encoding, "");
    }
    assert_true(n_present <= 1);
}

static void resolve__keeps_modifiers_of_an_absent_event(void **state)
{
    AUTO(event_resolver) struct event_resolver *resolver = NULL;
    AUTO(event) struct event *event = NULL, *unknown = NULL;

    (void)state;
    assert_int_equal(event_resolver_new(-1, &resolver), 0);
    skip_without_tables(resolver);
    event_resolver_encode_absent(resolver);
    event = resolved(resolver, "nhm::LONGEST_LAT_CACHE:MISS:c=1:u");
    assert_string_equal(event->encoding, "type=4 config=0x100412e exclude_kernel exclude_hv");
    unknown = resolved(resolver, "nhm::LONGEST_LAT_CACHE:NO_SUCH");
    assert_int_equal(unknown->absence, ABSENCE_UNKNOWN_EVENT);
    assert_string_equal(unknown->encoding, "");
}

/* A PMU beside the cores has a type that only the kernel of its own machine knows. */
static void resolve__has_no_code_of_an_absent_uncore_pmu(void **state)
{
    AUTO(event_resolver) struct event_resolver *resolver = NULL;
    AUTO(event) struct event *event = NULL;

    (void)state;
    assert_int_equal(event_resolver_new(-1, &resolver), 0);
    skip_without_tables(resolver);
    event_resolver_encode_absent(resolver);
    event = resolved(resolver, "skx_unc_imc0::UNC_M_CAS_COUNT:RD");
    assert_int_equal(event->absence, ABSENCE_NO_PMU);
    assert_string_equal(event->encoding, "");
    assert_non_null(strstr(event->why, "the kernel of a machine that has it"));
}

static int forget_environment(void **state)
{
    (void)state;
    return unsetenv("LIBPFM_FORCE_PMU") + unsetenv("LIBPFM_ENCODE_INACTIVE");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            resolve__has_no_code_of_them_if_it_is_not_asked_to), /* it must be the first */
        cmocka_unit_test(resolve__encodes_events_of_absent_pmus_if_it_is_asked_to),
        cmocka_unit_test(resolve__keeps_modifiers_of_an_absent_event),
        cmocka_unit_test(resolve__has_no_code_of_an_absent_uncore_pmu),
    };

    return cmocka_run_group_tests(tests, forget_environment, NULL);
}
