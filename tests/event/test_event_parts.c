/* SPDX-License-Identifier: Apache-2.0 */

/* What stands behind the name of an event and does not belong there. */
#include <perfmon/pfmlib_perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "event/resolver.h"

static struct event *resolved(struct event_resolver *resolver, const char *name)
{
    struct event *event = NULL;

    assert_int_equal(event_resolve(resolver, name, &event), 0);
    return event;
}

static const char *bad_modifier(const char *name)
{
    const char *modifier;

    assert_int_equal(event_resolver_bad_modifier(name, &modifier), 0);
    return modifier;
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
    assert_null(bad_modifier("INST_RETIRED:x")); /* meant as a unit mask, maybe */
    assert_null(bad_modifier("skx::INST_RETIRED"));
    assert_null(bad_modifier(":x"));
}

static void resolve__does_not_know_parts_that_the_event_of_another_cpu_has_not(void **state)
{
    static const char *const unknown[] = {"INST_RETIRED:ANY_Q", "INST_RETIRED:ANY_PP",
                                          "skx::INST_RETIRED:ANY_Q",
                                          "skx::INST_RETIRED:ANY_P:excl"};
    static const char *const known[] = {"skx::INST_RETIRED", "skx::INST_RETIRED:ANY_P",
                                        "skx::inst_retired.any_p:c=1:i:u", "skx::INST_RETIRED:0x1"};

    AUTO(event_resolver) struct event_resolver *resolver = NULL;

    (void)state;
    if (pfm_initialize() != PFM_SUCCESS || pfm_find_event("skx::INST_RETIRED") >= 0) {
        print_message("skipped: this CPU is a Skylake, or libpfm4 does not start\n");
        skip();
    }
    assert_int_equal(event_resolver_new(-1, &resolver), 0);
    for (size_t i = 0; i < ARRAY_SIZE(unknown); i++) {
        AUTO(event) struct event *event = resolved(resolver, unknown[i]);

        if (event->absence != ABSENCE_UNKNOWN_EVENT)
            fail_msg("%s is known", unknown[i]);
    }
    for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
        AUTO(event) struct event *event = resolved(resolver, known[i]);

        if (event->absence != ABSENCE_NO_PMU)
            fail_msg("%s is %s", known[i], absence_name(event->absence));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_modifier__is_what_stands_behind_a_plain_name),
        cmocka_unit_test(resolve__does_not_know_parts_that_the_event_of_another_cpu_has_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
