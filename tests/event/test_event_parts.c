/* SPDX-License-Identifier: Apache-2.0 */

/* Parts behind the name of an event that do not belong there. */
#include <perfmon/pfmlib_perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "event/resolver.h"

static struct event *resolved(struct event_resolver *resolver, const char *name)
{
    struct event *event = NULL;

    assert_int_equal(event_resolve(resolver, name, &event), 0);
    return event;
}

static const char *bad_modifier(const char *name)
{
    struct event_bad_modifier modifier;

    assert_int_equal(event_resolver_bad_modifier(name, &modifier), 0);
    return modifier.text;
}

static void bad_modifier__is_what_stands_behind_a_plain_name(void **state)
{
    (void)state;
    assert_string_equal(bad_modifier("cycles:x"), "x");
    assert_string_equal(bad_modifier("page-faults:uu"), "uu");
    assert_string_equal(bad_modifier("L1-dcache-loads:u:q"), "u:q");
    assert_string_equal(bad_modifier("r01c0:pp"), "pp");
    assert_null(bad_modifier("cycles"));
    assert_null(bad_modifier("cylces:x"));
    assert_null(bad_modifier("INST_RETIRED:x")); /* it may be meant as a unit mask */
    assert_null(bad_modifier("skx::INST_RETIRED"));
    assert_null(bad_modifier(":x"));
}

static void bad_modifier__is_what_stands_behind_the_last_slash(void **state)
{
    (void)state;
    assert_string_equal(bad_modifier("msr/tsc/x"), "x");
    assert_string_equal(bad_modifier("msr/tsc/:x"), "x");
    assert_string_equal(bad_modifier("cpu/event=1/uu"), "uu");
    assert_null(bad_modifier("msr/tsc/u"));
    assert_null(bad_modifier("msr/tsc/"));
    assert_null(bad_modifier("msr/tsc"));
}

static void bad_modifier__of_perf_is_refused_with_the_reason(void **state)
{
    static const struct {
        const char *name;
        char letter;
        const char *reason; /* a part of it */
    } refused[] = {
        {"cycles:p", 'p', "samples"},    {"cycles:upp", 'p', "samples"},
        {"cycles:P", 'P', "samples"},    {"r01c0:D", 'D', "pin"},
        {"cpu/event=1/e", 'e', "alone"}, {"cycles:W", 'W', "group"},
        {"page-faults:b", 'b', "BPF"},   {"LLC-loads:ukP", 'P', "samples"},
        {"msr/tsc/:D", 'D', "pin"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
        struct event_bad_modifier bad;

        assert_int_equal(event_resolver_bad_modifier(refused[i].name, &bad), 0);
        assert_non_null(bad.text);
        assert_int_equal(bad.letter, refused[i].letter);
        assert_non_null(bad.reason);
        if (!strstr(bad.reason, refused[i].reason))
            fail_msg("%s: %s", refused[i].name, bad.reason);
    }
}

static void resolve__says_what_is_wrong_with_a_modifier(void **state)
{
    AUTO(event_resolver) struct event_resolver *resolver = NULL;
    AUTO(event) struct event *pinned = NULL, *unknown = NULL;

    (void)state;
    assert_int_equal(event_resolver_new(-1, &resolver), 0);
    pinned = resolved(resolver, "task-clock:D");
    assert_int_equal(pinned->absence, ABSENCE_UNKNOWN_EVENT);
    assert_non_null(strstr(pinned->why, "the modifier \"D\" would pin the event"));
    unknown = resolved(resolver, "task-clock:x");
    assert_int_equal(unknown->absence, ABSENCE_UNKNOWN_EVENT);
    assert_string_equal(unknown->why, "\"x\" is no modifier; expected u, k, h, G, H, I, S, "
                                      "each at most once");
}

/* Events of two CPUs. This machine can have one of them at most; the other one is foreign. */
static const struct foreign {
    const char *event, *unknown[4], *known[4];
} foreigners[] = {
    {"skx::INST_RETIRED",
     {"INST_RETIRED:ANY_Q", "INST_RETIRED:ANY_PP", "skx::INST_RETIRED:ANY_Q",
      "skx::INST_RETIRED:ANY_P:excl"},
     {"skx::INST_RETIRED", "skx::INST_RETIRED:ANY_P", "skx::inst_retired.any_p:c=1:i:u",
      "skx::INST_RETIRED:0x1"}},
    {"netburst::global_power_events",
     {"global_power_events:RUNNIN", "GLOBAL_POWER_EVENTS:RUNNING:RUNNIN",
      "netburst::global_power_events:RUN", "netburst::global_power_events:RUNNING:excl"},
     {"netburst::global_power_events", "global_power_events:RUNNING",
      "netburst::GLOBAL_POWER_EVENTS.running:thr=1:u", "netburst::global_power_events:0x1"}},
    {"arm_ac57::INST_RETIRED",
     {"arm_ac57::INST_RETIRED:ANY_Q", "arm_ac57::INST_RETIRED:ANY_P", "arm_ac57::INST_RETIRED:excl",
      "arm_ac57::INST_RETIRE"},
     {"arm_ac57::INST_RETIRED", "arm_ac57::inst_retired", "arm_ac57::INST_RETIRED:u",
      "arm_ac57::INST_RETIRED:k"}},
};

static void check_absence(struct event_resolver *resolver, const char *name, enum absence absence)
{
    AUTO(event) struct event *event = resolved(resolver, name);

    if (event->absence != absence)
        fail_msg("%s is %s", name, absence_name(event->absence));
}

/* The name is in a table of libpfm4 that is not one of this CPU. */
static bool is_foreign(const char *event)
{
    size_t length = (size_t)(strstr(event, "::") - event);

    for (int i = PFM_PMU_NONE; i < PFM_PMU_MAX; i++) {
        pfm_pmu_info_t pmu = {.size = sizeof(pmu)};

        if (pfm_get_pmu_info((pfm_pmu_t)i, &pmu) == PFM_SUCCESS &&
            strncmp(pmu.name, event, length) == 0 && pmu.name[length] == '\0')
            return !pmu.is_present;
    }
    return false;
}

static void resolve__does_not_know_parts_that_the_event_of_another_cpu_has_not(void **state)
{
    AUTO(event_resolver) struct event_resolver *resolver = NULL;
    int n_foreign = 0;

    (void)state;
    assert_int_equal(pfm_initialize(), PFM_SUCCESS);
    assert_int_equal(event_resolver_new(-1, &resolver), 0);
    for (size_t i = 0; i < ARRAY_SIZE(foreigners); i++) {
        const struct foreign *foreign = &foreigners[i];

        if (!is_foreign(foreign->event))
            continue;
        n_foreign++;
        for (size_t j = 0; j < ARRAY_SIZE(foreign->known); j++) {
            check_absence(resolver, foreign->unknown[j], ABSENCE_UNKNOWN_EVENT);
            check_absence(resolver, foreign->known[j], ABSENCE_NO_PMU);
        }
    }
    assert_true(n_foreign > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_modifier__is_what_stands_behind_a_plain_name),
        cmocka_unit_test(bad_modifier__is_what_stands_behind_the_last_slash),
        cmocka_unit_test(bad_modifier__of_perf_is_refused_with_the_reason),
        cmocka_unit_test(resolve__says_what_is_wrong_with_a_modifier),
        cmocka_unit_test(resolve__does_not_know_parts_that_the_event_of_another_cpu_has_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
