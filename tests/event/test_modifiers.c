/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "event/modifiers.h"

/* counted: the modifiers of which something is excluded, as perf writes them. */
static void check(const char *name, size_t length, const char *counted)
{
    struct event_code code = {.type = 7, .exclude_user = true};
    char letters[MODIFIERS_SIZE];

    if (modifiers_split(name, &code) != length)
        fail_msg("\"%s\": %zu", name, modifiers_split(name, &code));
    assert_int_equal(code.type, 0);
    modifiers_letters(&code, letters);
    assert_string_equal(letters, counted);
}

static void split__knows_every_combination(void **state)
{
    (void)state;
    check("cycles", 6, "");
    check("cycles:u", 6, "u");
    check("cycles:k", 6, "k");
    check("cycles:h", 6, "h");
    check("cycles:uk", 6, "uk");
    check("cycles:ku", 6, "uk");
    check("cycles:hu", 6, "uh");
    check("cycles:kh", 6, "kh");
}

static void split__of_all_modes_excludes_nothing(void **state)
{
    (void)state;
    check("cycles:ukh", 6, "");
    check("cycles:hku", 6, "");
    check("cycles:u:k:h", 6, "");
}

static void split__takes_the_separate_letters_of_libpfm(void **state)
{
    (void)state;
    check("INST_RETIRED:ANY_P:u", 18, "u");
    check("INST_RETIRED:ANY_P:u:k", 18, "uk");
    check("INST_RETIRED:ANY_P:k:u", 18, "uk");
}

static void split__takes_guests_and_idle_time_as_perf_does(void **state)
{
    (void)state;
    check("cycles:G", 6, "G");
    check("cycles:H", 6, "H");
    check("cycles:GH", 6, "");
    check("cycles:I", 6, "I");
    check("cycles:S", 6, ""); /* it changes no count */
    check("cycles:uGS", 6, "uG");
    check("cycles:IHku", 6, "ukHI");
    check("L1-dcache-loads:G", 15, "G");
    check("r01C0:H", 5, "H");
    check("sched:sched_switch:I", 18, "I");
}

static void split__takes_letters_right_behind_the_last_slash(void **state)
{
    (void)state;
    check("msr/tsc/", 8, "");
    check("msr/tsc/u", 8, "u");
    check("msr/tsc/:u", 8, "u");
    check("cpu/event=0xc0/kG", 15, "kG");
    check("cpu/event=0xc0/uu", 17, "");
    check("msr/tsc/:", 9, "");
    check("msr/tsc/x", 9, "");
    check("msr/tsc:u", 7, "u"); /* no PMU's name, which ends in a slash */
}

/* Sandy Bridge has unit masks of these names. */
static void split__leaves_unit_masks_to_libpfm(void **state)
{
    (void)state;
    check("L2_LINES_IN:S", 13, "");
    check("L2_LINES_IN:I", 13, "");
    check("L2_LINES_IN:I:u", 13, "u");
    check("UNC_M_DRAM_REFRESH:HIGH", 23, "");
}

static void split__leaves_what_is_no_modifier(void **state)
{
    (void)state;
    check("", 0, "");
    check(":", 1, "");
    check(":u", 2, "");
    check("u", 1, "");
    check("cycles:", 7, "");
    check("cycles:U", 8, "");
    check("cycles:uu", 9, "");
    check("cycles:u:u", 8, "u"); /* then "cycles:u" is no event */
    check("cycles:up", 9, "");
    check("cycles:u:", 9, "");
    check("sched:sched_switch", 18, "");
    check("EVENT:u:MASK", 12, "");
    check("cycles:u ", 9, "");
}

static void split__excludes_what_is_not_named(void **state)
{
    struct event_code code;

    (void)state;
    (void)modifiers_split("cycles:u", &code);
    assert_false(code.exclude_user);
    assert_true(code.exclude_kernel);
    assert_true(code.exclude_hypervisor);
    (void)modifiers_split("cycles", &code);
    assert_false(code.exclude_user || code.exclude_kernel || code.exclude_hypervisor);
    (void)modifiers_split("cycles:kh", &code);
    assert_true(code.exclude_user);
    assert_false(code.exclude_kernel);
    assert_false(code.exclude_hypervisor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(split__knows_every_combination),
        cmocka_unit_test(split__of_all_modes_excludes_nothing),
        cmocka_unit_test(split__takes_the_separate_letters_of_libpfm),
        cmocka_unit_test(split__takes_guests_and_idle_time_as_perf_does),
        cmocka_unit_test(split__takes_letters_right_behind_the_last_slash),
        cmocka_unit_test(split__leaves_unit_masks_to_libpfm),
        cmocka_unit_test(split__leaves_what_is_no_modifier),
        cmocka_unit_test(split__excludes_what_is_not_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
