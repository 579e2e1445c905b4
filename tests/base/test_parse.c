/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/parse.h"

#define UNTOUCHED UINT64_C(0xfeedface)

struct parse_case {
    const char *text;
    int outcome;
    uint64_t value;
};

static void check(int (*parse)(const char *, uint64_t *), const struct parse_case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t value = UNTOUCHED, expected = cases[i].outcome ? UNTOUCHED : cases[i].value;
        int r = parse(cases[i].text, &value);

        if (r != cases[i].outcome || value != expected)
            fail_msg("\"%s\": outcome %d instead of %d, value %llu", cases[i].text, r,
                     cases[i].outcome, (unsigned long long)value);
    }
}

static void u64__takes_digits_and_nothing_else(void **state)
{
    static const struct parse_case cases[] = {
        {"0", 0, 0},          {"7", 0, 7},
        {"007", 0, 7},        {"18446744073709551615", 0, UINT64_MAX},
        {"", -EINVAL, 0},     {" 1", -EINVAL, 0},
        {"1 ", -EINVAL, 0},   {"1\n", -EINVAL, 0},
        {"+1", -EINVAL, 0},   {"-1", -EINVAL, 0},
        {"0x10", -EINVAL, 0}, {"1a", -EINVAL, 0},
        {"1.0", -EINVAL, 0},
    };

    (void)state;
    check(parse_u64, cases, ARRAY_SIZE(cases));
}

static void u64__does_not_wrap(void **state)
{
    static const struct parse_case cases[] = {
        {"18446744073709551616", -ERANGE, 0},
        {"18446744073709551620", -ERANGE, 0},
        {"99999999999999999999", -ERANGE, 0},
        {"184467440737095516150", -ERANGE, 0},
    };

    (void)state;
    check(parse_u64, cases, ARRAY_SIZE(cases));
}

static void hex__takes_both_cases_and_no_prefix(void **state)
{
    static const struct parse_case cases[] = {
        {"0", 0, 0},
        {"1a8", 0, 0x1a8},
        {"DEADbeef", 0, 0xdeadbeef},
        {"aAfF", 0, 0xaaff},
        {"@", -EINVAL, 0},
        {"G", -EINVAL, 0},
        {"ffffffffffffffff", 0, UINT64_MAX},
        {"0000000000000000001", 0, 1},
        {"10000000000000000", -ERANGE, 0},
        {"", -EINVAL, 0},
        {"0x1", -EINVAL, 0},
        {"g", -EINVAL, 0},
        {"-1", -EINVAL, 0},
    };

    (void)state;
    check(parse_hex, cases, ARRAY_SIZE(cases));
}

static void duration__takes_prometheus_units_in_falling_order(void **state)
{
    static const struct parse_case cases[] = {
        {"0", 0, 0},
        {"0s", 0, 0},
        {"1ms", 0, 1000000},
        {"1s", 0, NS_PER_SECOND},
        {"90s", 0, 90 * NS_PER_SECOND},
        {"1m", 0, 60 * NS_PER_SECOND},
        {"1h30m", 0, 5400 * NS_PER_SECOND},
        {"1d2h3m4s5ms", 0, 93784 * NS_PER_SECOND + 5000000},
        {"1m1ms", 0, 60 * NS_PER_SECOND + 1000000},
    };

    (void)state;
    check(parse_duration_ns, cases, ARRAY_SIZE(cases));
}

static void duration__refuses_other_forms(void **state)
{
    static const struct parse_case cases[] = {
        {"", -EINVAL, 0},     {"1", -EINVAL, 0},    {"00", -EINVAL, 0},    {"s", -EINVAL, 0},
        {"1m1h", -EINVAL, 0}, {"1s1s", -EINVAL, 0}, {"1ms1s", -EINVAL, 0}, {"1.5s", -EINVAL, 0},
        {"-1s", -EINVAL, 0},  {"1 s", -EINVAL, 0},  {"1s ", -EINVAL, 0},   {"1us", -EINVAL, 0},
        {"1s30", -EINVAL, 0}, {"1S", -EINVAL, 0},
    };

    (void)state;
    check(parse_duration_ns, cases, ARRAY_SIZE(cases));
}

static void duration__does_not_wrap(void **state)
{
    static const struct parse_case cases[] = {
        {"213503d", 0, UINT64_C(213503) * 24 * 3600 * NS_PER_SECOND},
        {"213504d", -ERANGE, 0},
        {"18446744073709551615s", -ERANGE, 0},
        {"18446744073709551616s", -ERANGE, 0},
        {"213503d24h", -ERANGE, 0}, /* the product fits, the sum does not */
    };

    (void)state;
    check(parse_duration_ns, cases, ARRAY_SIZE(cases));
}

static void bytes__takes_binary_units(void **state)
{
    static const struct parse_case cases[] = {
        {"0", 0, 0},
        {"1", 0, 1},
        {"512KiB", 0, 512 << 10},
        {"8MiB", 0, 8 << 20},
        {"3GiB", 0, UINT64_C(3) << 30},
        {"17179869183GiB", 0, UINT64_C(17179869183) << 30},
        {"17179869184GiB", -ERANGE, 0},
        {"18446744073709551616", -ERANGE, 0},
        {"", -EINVAL, 0},
        {"KiB", -EINVAL, 0},
        {"8MB", -EINVAL, 0},
        {"8M", -EINVAL, 0},
        {"8 MiB", -EINVAL, 0},
        {"8MiB ", -EINVAL, 0},
        {"8mib", -EINVAL, 0},
        {"-8MiB", -EINVAL, 0},
        {"1.5MiB", -EINVAL, 0},
    };

    (void)state;
    check(parse_bytes, cases, ARRAY_SIZE(cases));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(u64__takes_digits_and_nothing_else),
        cmocka_unit_test(u64__does_not_wrap),
        cmocka_unit_test(hex__takes_both_cases_and_no_prefix),
        cmocka_unit_test(duration__takes_prometheus_units_in_falling_order),
        cmocka_unit_test(duration__refuses_other_forms),
        cmocka_unit_test(duration__does_not_wrap),
        cmocka_unit_test(bytes__takes_binary_units),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
