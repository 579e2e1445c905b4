/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "event/metric_name.h"

static void check(const char *base, const struct event_code *modifiers, const char *expected)
{
    AUTO_FREE char *name = metric_name_from_event(base, modifiers);

    assert_string_equal(name, expected);
    assert_true(metric_name_valid(name));
}

static void from_event__is_lower_case_with_single_underscores(void **state)
{
    static const struct event_code all = {0};

    (void)state;
    check("cycles", &all, "cycles");
    check("L1-dcache-load-misses", &all, "l1_dcache_load_misses");
    check("INST_RETIRED:ANY_P", &all, "inst_retired_any_p");
    check("skx::INST_RETIRED:ANY_P", &all, "skx_inst_retired_any_p");
    check("cpu/event=0xc0,umask=1/", &all, "cpu_event_0xc0_umask_1");
    check("a__b--c_-_d", &all, "a_b_c_d");
    check("AZaz09", &all, "azaz09");
    check("a@b[c`d{e", &all, "a_b_c_d_e");
    check("r01c0", &all, "r01c0");
}

static void from_event__has_no_underscore_at_its_ends(void **state)
{
    static const struct event_code all = {0};

    (void)state;
    check("-cycles-", &all, "cycles");
    check("__x__", &all, "x");
    check("/9/", &all, "event_9");
}

static void from_event__never_begins_with_a_digit(void **state)
{
    static const struct event_code all = {0};

    (void)state;
    check("4k-aliases", &all, "event_4k_aliases");
}

static void from_event__makes_a_name_of_anything(void **state)
{
    static const struct event_code all = {0};

    (void)state;
    check("", &all, "event");
    check(":::", &all, "event");
    check("\xc3\xa4\xff\n", &all, "event");
    check("a\xc3\xa4"
          "b",
          &all, "a_b");
    check("\xc3\x84", &(struct event_code){.exclude_kernel = true, .exclude_hypervisor = true},
          "event_user");
}

static void from_event__spells_the_modes_that_are_counted(void **state)
{
    (void)state;
    check("cycles", &(struct event_code){.exclude_kernel = true, .exclude_hypervisor = true},
          "cycles_user");
    check("cycles", &(struct event_code){.exclude_user = true, .exclude_hypervisor = true},
          "cycles_kernel");
    check("cycles", &(struct event_code){.exclude_user = true, .exclude_kernel = true},
          "cycles_hypervisor");
    check("cycles", &(struct event_code){.exclude_hypervisor = true}, "cycles_user_kernel");
    check("cycles", &(struct event_code){.exclude_user = true}, "cycles_kernel_hypervisor");
    check("cycles", &(struct event_code){.exclude_kernel = true}, "cycles_user_hypervisor");
    check("cycles", &(struct event_code){.exclude_host = true}, "cycles_guest");
    check("cycles", &(struct event_code){.exclude_guest = true, .exclude_idle = true},
          "cycles_host_not_idle");
    check("msr/tsc/",
          &(struct event_code){
              .exclude_kernel = true, .exclude_hypervisor = true, .exclude_host = true},
          "msr_tsc_user_guest");
}

static void valid__is_what_a_rename_may_give(void **state)
{
    (void)state;
    assert_true(metric_name_valid("a"));
    assert_true(metric_name_valid("_a9"));
    assert_true(metric_name_valid("instructions_retired"));
    assert_true(metric_name_valid("total"));
    assert_true(metric_name_valid("total_hits"));
    assert_false(metric_name_valid(""));
    assert_false(metric_name_valid("9a"));
    assert_false(metric_name_valid("A"));
    assert_false(metric_name_valid("a-b"));
    assert_false(metric_name_valid("a:b"));
    assert_false(metric_name_valid("a b"));
    assert_false(metric_name_valid("\xc3\xa4"));
    assert_false(metric_name_valid("hits_total"));
    assert_false(metric_name_valid("_total"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(from_event__is_lower_case_with_single_underscores),
        cmocka_unit_test(from_event__has_no_underscore_at_its_ends),
        cmocka_unit_test(from_event__never_begins_with_a_digit),
        cmocka_unit_test(from_event__makes_a_name_of_anything),
        cmocka_unit_test(from_event__spells_the_modes_that_are_counted),
        cmocka_unit_test(valid__is_what_a_rename_may_give),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
