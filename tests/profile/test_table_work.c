/* SPDX-License-Identifier: Apache-2.0 */

/* Tables of small files that were made for it, for both machines on either. */
#include <errno.h>

#include "support/check.h"

#include "profile/object_table.h"
#include "profile/object_work.h"

#define X86_64  "profile/fixtures/frames_x86_64.so"
#define AARCH64 "profile/fixtures/frames_aarch64.so"

static struct object_table *table;

static int set_up(const char *name)
{
    const int fd = open_fixture(name);

    table = table_of(fd);
    return close(fd);
}

static int set_up_x86_64(void **state)
{
    (void)state;
    return set_up(X86_64);
}

static int set_up_aarch64(void **state)
{
    (void)state;
    return set_up(AARCH64);
}

static int tear_down(void **state)
{
    (void)state;
    table = object_table_free(table);
    return 0;
}

/* The rule at an address of the file. */
static struct unwind_rule rule_at(uint64_t address)
{
    size_t i = table->n_rows;

    while (i > 0 && table->base + table->rows[i - 1].address > address)
        i--;
    assert_true(i > 0);
    return table->rules[table->rows[i - 1].rule];
}

static void assert_rule(uint64_t address, struct unwind_rule wanted)
{
    const struct unwind_rule rule = rule_at(address);

    assert_memory_equal(&rule, &wanted, sizeof(rule));
}

#define RULE(...) ((struct unwind_rule){__VA_ARGS__})

/* The return address of x86-64, which is always there. */
#define RETURN .ra = UNWIND_REGISTER_AT_CFA, .ra_offset = -1

static void a_function_with_a_frame_pointer__is_unwound_in_each_row(void **state)
{
    (void)state;
    assert_rule(0x7f0400, RULE(.cfa = UNWIND_CFA_SP, .cfa_offset = 1, RETURN));
    assert_rule(0x7f0401, RULE(.cfa = UNWIND_CFA_SP, .cfa_offset = 2, .fp = UNWIND_REGISTER_AT_CFA,
                               .fp_offset = -2, RETURN));
    assert_rule(0x7f0404, RULE(.cfa = UNWIND_CFA_FP, .cfa_offset = 2, .fp = UNWIND_REGISTER_AT_CFA,
                               .fp_offset = -2, RETURN));
}

static void a_cfa_in_memory__is_a_word_and_an_offset(void **state)
{
    (void)state;
    assert_rule(0x7f0420, RULE(.cfa = UNWIND_CFA_SP_DEREF, .cfa_offset = 2, .extra = 1, RETURN));
    assert_rule(0x7f0440, RULE(.cfa = UNWIND_CFA_FP_DEREF, .cfa_offset = -1, RETURN));
}

static void an_undefined_return_address__ends_the_stack(void **state)
{
    (void)state;
    assert_rule(0x7f0460, RULE(.cfa = UNWIND_CFA_END));
}

static void offsets__beyond_the_range_or_of_no_whole_word__have_no_rule(void **state)
{
    (void)state;
    assert_rule(0x7f0480, RULE(.cfa = UNWIND_CFA_SP, .cfa_offset = INT16_MAX, RETURN));
    assert_rule(0x7f0481, RULE(.cfa = UNWIND_CFA_NONE));
    assert_rule(0x7f0482, RULE(.cfa = UNWIND_CFA_NONE));
}

static void an_undefined_frame_pointer__is_lost(void **state)
{
    (void)state;
    assert_rule(0x7f04a0,
                RULE(.cfa = UNWIND_CFA_SP, .cfa_offset = 1, .fp = UNWIND_REGISTER_LOST, RETURN));
}

static void a_cfa_by_another_register__has_no_rule(void **state)
{
    (void)state;
    assert_rule(0x7f04a1, RULE(.cfa = UNWIND_CFA_NONE));
}

static void the_return_of_a_handler__is_a_signal_frame(void **state)
{
    (void)state;
    assert_rule(0x7f04c0, RULE(.cfa = UNWIND_CFA_SIGNAL));
}

static void an_entry_of_the_plt__is_known_by_its_expression(void **state)
{
    (void)state;
    assert_rule(0x7f04e0, RULE(.cfa = UNWIND_CFA_PLT, .extra = 11, RETURN));
}

static void a_gap_between_functions__has_no_rule(void **state)
{
    (void)state;
    assert_rule(0x7f0406, RULE(.cfa = UNWIND_CFA_NONE));
    assert_rule(0x7f0550, RULE(.cfa = UNWIND_CFA_NONE));
}

static void segments__are_told_with_the_base(void **state)
{
    (void)state;
    assert_int_equal(table->base, 0x7f0000);
    assert_int_equal(table->n_segments, 1);
    assert_int_equal(table->segments[0].offset, 0);
    assert_int_equal(table->segments[0].address, 0x7f0000);
    assert_true(table->has_unwind);
    assert_int_equal(table->n_build_id, 20);
}

static void a_function__has_its_addresses_up_to_the_gap(void **state)
{
    uint32_t start = 0;

    (void)state;
    assert_true(object_table_function(table, 0x400, &start));
    assert_int_equal(start, 0x400);
    assert_true(object_table_function(table, 0x405, &start));
    assert_int_equal(start, 0x400);
    assert_false(object_table_function(table, 0x406, &start));
    assert_false(object_table_function(table, 0x3ff, &start));
    assert_false(object_table_function(table, 0x10000, &start));
}

static void a_function_without_frames__begins_at_its_symbol(void **state)
{
    uint32_t start = 0;

    (void)state;
    assert_true(object_table_function(table, 0x567, &start));
    assert_int_equal(start, 0x540);
    assert_false(object_table_function(table, 0x568, &start));
}

static void a_leaf_of_aarch64__returns_by_its_register(void **state)
{
    (void)state;
    assert_rule(0x300, RULE(.cfa = UNWIND_CFA_SP));
}

static void a_frame_of_aarch64__has_both_registers_in_memory(void **state)
{
    const struct unwind_rule by_sp = {.cfa = UNWIND_CFA_SP,
                                      .fp = UNWIND_REGISTER_AT_CFA,
                                      .ra = UNWIND_REGISTER_AT_CFA,
                                      .cfa_offset = 4,
                                      .fp_offset = -4,
                                      .ra_offset = -3};
    struct unwind_rule by_fp = by_sp;

    (void)state;
    by_fp.cfa = UNWIND_CFA_FP;
    assert_rule(0x324, by_sp);
    assert_rule(0x328, by_fp);
}

static void a_signed_return_address__is_unwound_like_others(void **state)
{
    (void)state;
    assert_rule(0x348, RULE(.cfa = UNWIND_CFA_SP, .fp = UNWIND_REGISTER_AT_CFA,
                            .ra = UNWIND_REGISTER_AT_CFA, .cfa_offset = 2, .fp_offset = -2,
                            .ra_offset = -1));
}

static void the_outermost_function_of_aarch64__ends_the_stack(void **state)
{
    (void)state;
    assert_rule(0x360, RULE(.cfa = UNWIND_CFA_END));
}

static void the_return_of_a_handler_of_aarch64__is_known_by_its_name(void **state)
{
    uint32_t start = 0;

    (void)state;
    assert_rule(0x380, RULE(.cfa = UNWIND_CFA_SIGNAL));
    assert_rule(0x38b, RULE(.cfa = UNWIND_CFA_SIGNAL));
    assert_rule(0x38c, RULE(.cfa = UNWIND_CFA_NONE));
    assert_true(object_table_function(table, 0x384, &start));
    assert_int_equal(start, 0x380);
}

static int work_on(const void *bytes, size_t n)
{
    const int fd = memory_file(bytes, n);
    const struct worker_job job = {.kind = OBJECT_JOB_TABLE, .fd = fd, .debug_fd = -1};
    struct work_result result = do_work(&job);

    (void)close(fd);
    free(result.bytes);
    return result.r;
}

static void what_is_no_program__is_refused(void **state)
{
    static const char text[4096] = "#!/bin/sh";

    (void)state;
    assert_int_equal(work_on("", 0), OBJECT_NO_PROGRAM);
    assert_int_equal(work_on(text, sizeof(text)), OBJECT_NO_PROGRAM);
    assert_int_equal(work_on("\x7f"
                             "ELF",
                             4),
                     OBJECT_NO_PROGRAM);
}

/* Each byte of a file is made wrong, and the file is cut off there. */
static void a_damaged_file__does_no_harm(void **state)
{
    char bytes[8192];
    const int fd = open_fixture(X86_64);
    const ssize_t n = read(fd, bytes, sizeof(bytes));

    (void)state;
    assert_in_range(n, 1, sizeof(bytes) - 1);
    for (ssize_t i = 0; i < n; i += 3) {
        const char byte = bytes[i];

        bytes[i] = (char)~byte;
        assert_in_range(work_on(bytes, (size_t)n), OBJECT_READ, OBJECT_TOO_LARGE);
        bytes[i] = byte;
        assert_in_range(work_on(bytes, (size_t)i), OBJECT_READ, OBJECT_TOO_LARGE);
    }
    (void)close(fd);
}

#define TEST_OF(machine, test) cmocka_unit_test_setup_teardown(test, set_up_##machine, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_OF(x86_64, a_function_with_a_frame_pointer__is_unwound_in_each_row),
        TEST_OF(x86_64, a_cfa_in_memory__is_a_word_and_an_offset),
        TEST_OF(x86_64, an_undefined_return_address__ends_the_stack),
        TEST_OF(x86_64, offsets__beyond_the_range_or_of_no_whole_word__have_no_rule),
        TEST_OF(x86_64, an_undefined_frame_pointer__is_lost),
        TEST_OF(x86_64, a_cfa_by_another_register__has_no_rule),
        TEST_OF(x86_64, the_return_of_a_handler__is_a_signal_frame),
        TEST_OF(x86_64, an_entry_of_the_plt__is_known_by_its_expression),
        TEST_OF(x86_64, a_gap_between_functions__has_no_rule),
        TEST_OF(x86_64, segments__are_told_with_the_base),
        TEST_OF(x86_64, a_function__has_its_addresses_up_to_the_gap),
        TEST_OF(x86_64, a_function_without_frames__begins_at_its_symbol),
        TEST_OF(aarch64, a_leaf_of_aarch64__returns_by_its_register),
        TEST_OF(aarch64, a_frame_of_aarch64__has_both_registers_in_memory),
        TEST_OF(aarch64, a_signed_return_address__is_unwound_like_others),
        TEST_OF(aarch64, the_outermost_function_of_aarch64__ends_the_stack),
        TEST_OF(aarch64, the_return_of_a_handler_of_aarch64__is_known_by_its_name),
        cmocka_unit_test(what_is_no_program__is_refused),
        cmocka_unit_test(a_damaged_file__does_no_harm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
