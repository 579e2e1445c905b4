/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "event/pmu_unit.h"

static void check(const char *unit, const char *scale, const char *word, double value)
{
    struct pmu_unit parsed;

    if (!pmu_unit_parse(unit, scale, &parsed))
        fail_msg("%s, %s is not understood", unit ? unit : "-", scale ? scale : "-");
    assert_string_equal(parsed.word, word);
    if (parsed.scale != value)
        fail_msg("%s, %s: %.17g", unit ? unit : "-", scale ? scale : "-", parsed.scale);
}

static void units__become_base_units(void **state)
{
    (void)state;
    check("Joules", "2.3283064365386962890625e-10", "joules", 0x1p-32);
    check("MiB", "6.103515625e-5", "bytes", 64);
    check("MiB", NULL, "bytes", 1048576);
    check("KiB", "2", "bytes", 2048);
    check("ns", NULL, "seconds", 1e-9);
    check("Bytes", "32", "bytes", 32);
    check(NULL, NULL, "", 1);
    check(NULL, "4", "", 4);
}

/* The kernel writes 4 bytes as 3.814697266e-6 MiB, which are 4.0000000004. */
static void scales__that_the_kernel_rounded_are_whole_again(void **state)
{
    (void)state;
    check("MiB", "3.814697266e-6", "bytes", 4);
    check("MiB", "3.8147e-6", "bytes", 3.8147e-6 * 1048576); /* that is another number */
    check(NULL, "0.5", "", 0.5);
}

static void units__of_no_table_keep_their_names(void **state)
{
    (void)state;
    check("Packets", NULL, "packets", 1);
    check("C", "2", "c", 2);
}

static void parse__takes_no_other_text(void **state)
{
    static const struct {
        const char *unit, *scale;
    } wrong[] = {
        {"", NULL},
        {"a b", NULL},
        {"J/s", NULL},
        {"\x01", NULL},
        {NULL, ""},
        {NULL, "0"},
        {NULL, "-1"},
        {NULL, "x"},
        {NULL, "1x"},
        {NULL, "nan"},
        {NULL, "inf"},
        {NULL, "1e999"},
        {NULL, "0x10"},
        {NULL, " 1"},
        {NULL, "1e-400"},
        {"GiB", "1e308"},
        {"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz", NULL},
    };
    struct pmu_unit parsed;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
        if (pmu_unit_parse(wrong[i].unit, wrong[i].scale, &parsed))
            fail_msg("%zu is taken", i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units__become_base_units),
        cmocka_unit_test(scales__that_the_kernel_rounded_are_whole_again),
        cmocka_unit_test(units__of_no_table_keep_their_names),
        cmocka_unit_test(parse__takes_no_other_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
