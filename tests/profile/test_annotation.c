/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include "profile/annotation.h"
#include "profile/disassembler.h"
#include "profile/share.h"

static struct code_row rows[] = {{.address = 0x100}, {.address = 0x103}, {.address = 0x108}};
static const struct code_listing three = {.rows = rows, .n = ARRAY_SIZE(rows)};

static void samples__belong_to_the_instruction_that_has_their_address(void **state)
{
    static const struct annotation_address addresses[] = {{0xff, 50}, {0x100, 1}, {0x102, 2},
                                                          {0x103, 4}, {0x108, 8}, {0x109, 16}};
    AUTO(annotation)
    struct annotation *annotation = annotation_new(&three, addresses, ARRAY_SIZE(addresses));

    (void)state;
    assert_non_null(annotation);
    assert_int_equal(annotation->samples[0], 3);
    assert_int_equal(annotation->samples[1], 4);
    assert_int_equal(annotation->samples[2], 24);
    assert_int_equal(annotation->placed, 31); /* what lies before the function is in no row */
}

static void a_listing_without_rows__places_nothing(void **state)
{
    static const struct code_listing none = {0};
    static const struct annotation_address address = {0x100, 1};
    AUTO(annotation) struct annotation *annotation = annotation_new(&none, &address, 1);

    (void)state;
    assert_non_null(annotation);
    assert_int_equal(annotation->placed, 0);
}

static void the_sigma_of_a_share__is_that_of_the_binomial_distribution(void **state)
{
    (void)state;
    assert_float_equal(profile_share_sigma(50, 100), 0.05, 1e-12);
    assert_float_equal(profile_share_sigma(0, 100), 0, 1e-12);
    assert_float_equal(profile_share_sigma(100, 100), 0, 1e-12);
    assert_float_equal(profile_share_sigma(0, 0), 0, 1e-12);
}

static void branches__tell_where_they_lead(void **state)
{
    static const struct {
        struct instruction instruction;
        bool has_target;
        uint64_t target;
    } cases[] = {
        {{0, "callq", "0x1040"}, true, 0x1040},
        {{0, "jne", "0x7fffffff1040"}, true, UINT64_C(0x7fffffff1040)},
        {{0, "bl", "#0x1040"}, true, 0x1040},
        {{0, "b.ne", "#0x1040"}, true, 0x1040},
        {{0, "cbz", "x0, #0x1040"}, true, 0x1040},
        {{0, "tbnz", "w0, #3, #0x1040"}, true, 0x1040},
        {{0, "callq", "*0x2fe2(%rip)"}, false, 0}, /* by what stands in memory */
        {{0, "jmpq", "*%rax"}, false, 0},
        {{0, "bl", ""}, false, 0},
        {{0, "retq", ""}, false, 0},
        {{0, "bfi", "w0, w1, #0x10, #0x8"},
         false,
         0}, /* no branches, though their names begin so */
        {{0, "bic", "x0, x1, #0x10"}, false, 0},
        {{0, "movq", "0x1040, %rax"}, false, 0},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        uint64_t target = 0;

        assert_int_equal(instruction_target(&cases[i].instruction, &target), cases[i].has_target);
        if (cases[i].has_target)
            assert_true(target == cases[i].target);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples__belong_to_the_instruction_that_has_their_address),
        cmocka_unit_test(a_listing_without_rows__places_nothing),
        cmocka_unit_test(the_sigma_of_a_share__is_that_of_the_binomial_distribution),
        cmocka_unit_test(branches__tell_where_they_lead),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
