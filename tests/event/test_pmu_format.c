/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "event/pmu_format.h"

static struct pmu_format parsed(const char *text)
{
    struct pmu_format format;

    if (pmu_format_parse(text, &format) != 0)
        fail_msg("\"%s\" is not understood", text);
    return format;
}

static void parse__knows_ranges_and_single_bits(void **state)
{
    (void)state;
    assert_int_equal(parsed("config:0-7").bits, 0xff);
    assert_int_equal(parsed("config:18").bits, 1 << 18);
    assert_int_equal(parsed("config:0-7,32-35").bits, 0xf000000ff);
    assert_int_equal(parsed("config:0-7,32-35,59-60").bits, 0x1800000f000000ff);
    assert_true(parsed("config1:0-63").bits == UINT64_MAX);
    assert_true(parsed("config:63").bits == UINT64_C(1) << 63);
    assert_int_equal(parsed("config:0").number, CODE_CONFIG);
    assert_int_equal(parsed("config1:0").number, CODE_CONFIG1);
    assert_int_equal(parsed("config2:0").number, CODE_CONFIG2);
    assert_int_equal(parsed("config3:0").number, CODE_CONFIG3);
}

static void parse__takes_no_other_text(void **state)
{
    static const char *const texts[] = {"",
                                        "config",
                                        "config:",
                                        "config:-",
                                        "config:7-0",
                                        "config:64",
                                        "config:0-64",
                                        "config:0-7,",
                                        "config:,0",
                                        "config:0--7",
                                        "config:0 ",
                                        "config4:0",
                                        "config11:0",
                                        "konfig:0",
                                        "config:0-7\n",
                                        "config:0-7;1",
                                        ":0-7",
                                        "config:99999999999999999999",
                                        "config:a",
                                        "config:0x1"};
    struct pmu_format format;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
        if (pmu_format_parse(texts[i], &format) != -EINVAL)
            fail_msg("\"%s\" is taken", texts[i]);
}

static void maximum__is_all_bits_of_the_field(void **state)
{
    struct pmu_format format;

    (void)state;
    format = parsed("config:0-7");
    assert_int_equal(pmu_format_maximum(&format), 0xff);
    format = parsed("config:5");
    assert_int_equal(pmu_format_maximum(&format), 1);
    format = parsed("config:0-7,32-35");
    assert_int_equal(pmu_format_maximum(&format), 0xfff);
    format = parsed("config1:0-63");
    assert_true(pmu_format_maximum(&format) == UINT64_MAX);
}

static void spread__puts_the_lowest_bit_into_the_lowest_place(void **state)
{
    struct pmu_format format;

    (void)state;
    format = parsed("config:8-15");
    assert_int_equal(pmu_format_spread(&format, 0x41), 0x4100);
    format = parsed("config:0-7,32-35");
    assert_true(pmu_format_spread(&format, 0x1a9) == 0x1000000a9);
    format = parsed("config:32-35,0-7"); /* the order of the ranges says nothing */
    assert_true(pmu_format_spread(&format, 0x1a9) == 0x1000000a9);
    format = parsed("config1:0-63");
    assert_true(pmu_format_spread(&format, UINT64_MAX) == UINT64_MAX);
    assert_int_equal(pmu_format_spread(&format, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parse__knows_ranges_and_single_bits),
        cmocka_unit_test(parse__takes_no_other_text),
        cmocka_unit_test(maximum__is_all_bits_of_the_field),
        cmocka_unit_test(spread__puts_the_lowest_bit_into_the_lowest_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
