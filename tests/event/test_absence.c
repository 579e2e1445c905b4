/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "event/absence.h"

static void name__of_every_absence_is_a_word_of_its_own(void **state)
{
    (void)state;
    for (int i = 0; i < ABSENCE_COUNT_; i++) {
        assert_non_null(absence_name((enum absence)i));
        for (int j = 0; j < i; j++)
            assert_string_not_equal(absence_name((enum absence)i), absence_name((enum absence)j));
    }
}

static void name__is_what_the_metrics_promise(void **state)
{
    (void)state;
    assert_string_equal(absence_name(ABSENCE_NONE), "");
    assert_string_equal(absence_name(ABSENCE_NO_PMU), "no_pmu");
    assert_string_equal(absence_name(ABSENCE_UNKNOWN_EVENT), "unknown_event");
    assert_string_equal(absence_name(ABSENCE_NOT_SUPPORTED), "not_supported");
    assert_string_equal(absence_name(ABSENCE_NOT_PERMITTED), "not_permitted");
    assert_string_equal(absence_name(ABSENCE_PMU_BUSY), "pmu_busy");
    assert_string_equal(absence_name(ABSENCE_OVER_BUDGET), "over_budget");
    assert_string_equal(absence_name(ABSENCE_GROUP_TOO_LARGE), "group_too_large");
    assert_string_equal(absence_name(ABSENCE_NEVER_SCHEDULED), "never_scheduled");
    assert_string_equal(absence_name(ABSENCE_NO_DESCRIPTORS), "no_descriptors");
    assert_string_equal(absence_name(ABSENCE_NO_MEMORY), "no_memory");
    assert_string_equal(absence_name(ABSENCE_OVER_LIMIT), "over_limit");
    assert_string_equal(absence_name(ABSENCE_CPU_OFFLINE), "cpu_offline");
    assert_string_equal(absence_name(ABSENCE_TARGET_GONE), "target_gone");
}

static void foremost__is_what_can_be_cured_before_what_the_machine_lacks(void **state)
{
    (void)state;
    assert_int_equal(absence_foremost(ABSENCE_NO_PMU, ABSENCE_NOT_PERMITTED),
                     ABSENCE_NOT_PERMITTED);
    assert_int_equal(absence_foremost(ABSENCE_NOT_PERMITTED, ABSENCE_NO_PMU),
                     ABSENCE_NOT_PERMITTED);
    assert_int_equal(absence_foremost(ABSENCE_NO_PMU, ABSENCE_NOT_SUPPORTED),
                     ABSENCE_NOT_SUPPORTED);
}

static void foremost__of_any_two_reasons_is_the_same_in_both_orders(void **state)
{
    (void)state;
    for (enum absence a = 0; a < ABSENCE_COUNT_; a++)
        for (enum absence b = 0; b < ABSENCE_COUNT_; b++)
            assert_int_equal(absence_foremost(a, b), absence_foremost(b, a));
    for (enum absence a = 0; a < ABSENCE_COUNT_; a++)
        assert_int_equal(absence_foremost(ABSENCE_NONE, a), a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(name__of_every_absence_is_a_word_of_its_own),
        cmocka_unit_test(name__is_what_the_metrics_promise),
        cmocka_unit_test(foremost__is_what_can_be_cured_before_what_the_machine_lacks),
        cmocka_unit_test(foremost__of_any_two_reasons_is_the_same_in_both_orders),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
