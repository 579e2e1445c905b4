/* SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/text.h"

#define MOST_ROUNDS  2000000
#define TIME_A_TEST  (NS_PER_SECOND / 4)
#define SEED         UINT64_C(0x9e3779b97f4a7c15)
#define CHECKED_SIZE 400

/* A buffer for one number at a time. It is kept, so that millions of numbers are quick. */
static struct text out;

static const char *written(void)
{
    static char string[CHECKED_SIZE];

    assert_int_equal(text_error(&out), 0);
    assert_true(out.length < sizeof(string));
    memcpy(string, out.data, out.length);
    string[out.length] = '\0';
    text_clear(&out);
    return string;
}

static const char *from_double(double value)
{
    text_append_double(&out, value);
    return written();
}

static const char *from_u64(uint64_t value)
{
    text_append_u64(&out, value);
    return written();
}

static const char *from_seconds(uint64_t ns)
{
    text_append_seconds(&out, ns);
    return written();
}

static uint64_t bits_of(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static double double_of(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Counts the significant digits, from the first to the last that is not 0. */
static int significant_digits(const char *number)
{
    int digits = 0, trailing_zeros = 0;

    for (; *number && *number != 'e'; number++) {
        if (*number < '0' || *number > '9' || (digits == 0 && *number == '0'))
            continue;
        digits++;
        trailing_zeros = *number == '0' ? trailing_zeros + 1 : 0;
    }
    return digits - trailing_zeros;
}

static int fewest_digits(double value)
{
    char text[32];

    for (int digits = 1; digits < 17; digits++) {
        (void)snprintf(text, sizeof(text), "%.*e", digits - 1, value);
        if (strtod(text, NULL) == value)
            return digits;
    }
    return 17;
}

static void check_round_trip(double value)
{
    const char *number = from_double(value);
    char *end;

    if (bits_of(strtod(number, &end)) != bits_of(value) || *end)
        fail_msg("%a was written as \"%s\"", value, number);
}

static void check_shortest(double value)
{
    const char *number = from_double(value);

    check_round_trip(value);
    number = from_double(value);
    if (value != 0 && significant_digits(number) > fewest_digits(value))
        fail_msg("%a was written as \"%s\", %d digits would do", value, number,
                 fewest_digits(value));
}

static void check_many(double (*make)(uint64_t random), void (*check)(double value))
{
    uint64_t state = SEED, end = clock_monotonic_ns() + TIME_A_TEST;

    for (int i = 0; i < MOST_ROUNDS; i++) {
        double value = make(next_random(&state));

        if (isfinite(value))
            check(value);
        if (i % 1024 == 0 && clock_monotonic_ns() > end)
            break;
    }
}

static void u64__writes_every_length(void **state)
{
    char expected[32];
    uint64_t power = 1;

    (void)state;
    assert_string_equal(from_u64(0), "0");
    assert_string_equal(from_u64(UINT64_MAX), "18446744073709551615");
    for (int digits = 1; digits <= 20; digits++, power *= 10) {
        for (uint64_t value = power - 1; value <= power + 1; value++) {
            (void)snprintf(expected, sizeof(expected), "%" PRIu64, value);
            assert_string_equal(from_u64(value), expected);
        }
    }
}

static void u64__agrees_with_printf(void **state)
{
    uint64_t random = SEED;
    char expected[32];

    (void)state;
    for (int i = 0; i < 100000; i++) {
        uint64_t value = next_random(&random) >> (i % 64);

        (void)snprintf(expected, sizeof(expected), "%" PRIu64, value);
        assert_string_equal(from_u64(value), expected);
    }
}

static void seconds__are_exact_with_nine_decimals(void **state)
{
    (void)state;
    assert_string_equal(from_seconds(0), "0.000000000");
    assert_string_equal(from_seconds(1), "0.000000001");
    assert_string_equal(from_seconds(999999999), "0.999999999");
    assert_string_equal(from_seconds(1000000000), "1.000000000");
    assert_string_equal(from_seconds(1500000000), "1.500000000");
    assert_string_equal(from_seconds(UINT64_C(86400000000001)), "86400.000000001");
    assert_string_equal(from_seconds(UINT64_MAX), "18446744073.709551615");
}

static void double__writes_what_people_expect(void **state)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0, "0"},
        {-0.0, "-0"},
        {1, "1"},
        {-1, "-1"},
        {0.5, "0.5"},
        {0.1, "0.1"},
        {-0.25, "-0.25"},
        {1.5, "1.5"},
        {100, "100"},
        {123456.789, "123456.789"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1.0 / 3, "0.3333333333333333"},
        {2.0 / 3, "0.6666666666666666"},
        {1e-9, "0.000000001"},
        {9007199254740991, "9007199254740991"},
        {1e22, "1e+22"},
        {DBL_MAX, "1.7976931348623157e+308"},
        {DBL_MIN, "2.2250738585072014e-308"},
        {DBL_TRUE_MIN, "5e-324"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        assert_string_equal(from_double(cases[i].value), cases[i].text);
        check_shortest(cases[i].value);
    }
}

static void double__writes_what_is_no_number_as_prometheus_reads_it(void **state)
{
    (void)state;
    assert_string_equal(from_double((double)INFINITY), "+Inf");
    assert_string_equal(from_double(-(double)INFINITY), "-Inf");
    assert_string_equal(from_double((double)NAN), "NaN");
    assert_string_equal(from_double(-(double)NAN), "NaN");
}

static void double__survives_around_every_power_of_two(void **state)
{
    (void)state;
    for (int exponent = -1074; exponent <= 1023; exponent++) {
        double power = ldexp(1, exponent);

        check_shortest(power);
        check_shortest(-power);
        check_shortest(nextafter(power, 0));
        if (exponent < 1023)
            check_shortest(nextafter(power, (double)INFINITY));
    }
}

static void double__survives_around_every_power_of_ten(void **state)
{
    char text[16];

    (void)state;
    for (int exponent = -323; exponent <= 308; exponent++) {
        double power;

        (void)snprintf(text, sizeof(text), "1e%d", exponent);
        power = strtod(text, NULL);
        check_shortest(power);
        check_shortest(nextafter(power, 0));
        check_shortest(nextafter(power, (double)INFINITY));
    }
}

static double any_bits(uint64_t random)
{
    return double_of(random);
}

static double subnormal(uint64_t random)
{
    return double_of(random & ~(UINT64_C(0x7ff) << 52));
}

/* Rates and ratios are such values: one count divided by another. */
static double quotient(uint64_t random)
{
    return (double)(random >> 40) / (double)((random & 0xffffff) + 1);
}

static double decimal(uint64_t random)
{
    static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};

    return (double)(random >> 16) / powers[random % ARRAY_SIZE(powers)];
}

static void double__of_any_bits_reads_back(void **state)
{
    (void)state;
    check_many(any_bits, check_round_trip);
}

static void double__that_is_subnormal_reads_back(void **state)
{
    (void)state;
    check_many(subnormal, check_round_trip);
}

static void double__that_is_a_quotient_reads_back(void **state)
{
    (void)state;
    check_many(quotient, check_round_trip);
}

static void double__that_is_a_decimal_reads_back(void **state)
{
    (void)state;
    check_many(decimal, check_round_trip);
}

static void double__has_no_digit_too_many(void **state)
{
    (void)state;
    check_many(any_bits, check_shortest);
    check_many(subnormal, check_shortest);
    check_many(quotient, check_shortest);
    check_many(decimal, check_shortest);
}

static int free_buffer(void **state)
{
    (void)state;
    text_done(&out);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(u64__writes_every_length),
        cmocka_unit_test(u64__agrees_with_printf),
        cmocka_unit_test(seconds__are_exact_with_nine_decimals),
        cmocka_unit_test(double__writes_what_people_expect),
        cmocka_unit_test(double__writes_what_is_no_number_as_prometheus_reads_it),
        cmocka_unit_test(double__survives_around_every_power_of_two),
        cmocka_unit_test(double__survives_around_every_power_of_ten),
        cmocka_unit_test(double__of_any_bits_reads_back),
        cmocka_unit_test(double__that_is_subnormal_reads_back),
        cmocka_unit_test(double__that_is_a_quotient_reads_back),
        cmocka_unit_test(double__that_is_a_decimal_reads_back),
        cmocka_unit_test(double__has_no_digit_too_many),
    };

    return cmocka_run_group_tests(tests, NULL, free_buffer);
}
