/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "support/check.h"

#include "profile/function_name.h"
#include "profile/object_table.h"
#include "profile/object_work.h"

#define X86_64  "profile/fixtures/frames_x86_64.so"
#define AARCH64 "profile/fixtures/frames_aarch64.so"

/* Asks for the names of these starts. */
static struct object_names names_of(const char *file, const char *debug, const uint32_t *starts,
                                    size_t n)
{
    const struct worker_job job = {.kind = OBJECT_JOB_NAMES,
                                   .fd = open_fixture(file),
                                   .debug_fd = debug ? open_fixture(debug) : -1,
                                   .starts = starts,
                                   .n_starts = n};
    struct work_result result = do_work(&job);
    struct object_names names = {0};

    assert_int_equal(result.r, OBJECT_READ);
    assert_int_equal(object_names_parse(result.bytes, result.n, n, &names), 0);
    assert_int_equal(names.n, n);
    free(result.bytes);
    (void)close(job.fd);
    if (debug)
        (void)close(job.debug_fd);
    return names;
}

static void names__come_in_the_order_of_the_question(void **state)
{
    const uint32_t starts[] = {0x460, 0x400, 0x5a0, 0x400};
    struct object_names names = names_of(X86_64, NULL, starts, 4);

    (void)state;
    assert_string_equal(names.names[0], "last");
    assert_string_equal(names.names[1], "plain");
    assert_string_equal(names.names[2], "foo::bar<int>");
    assert_string_equal(names.names[3], "plain");
    object_names_done(&names);
}

static void of_several_names__the_one_without_an_underscore_is_taken(void **state)
{
    const uint32_t start = 0x500;
    struct object_names names = names_of(X86_64, NULL, &start, 1);

    (void)state;
    assert_string_equal(names.names[0], "named");
    object_names_done(&names);
}

static void a_start_that_no_symbol_covers__has_no_name(void **state)
{
    const uint32_t starts[] = {0x406, 0x568, 0, UINT32_MAX};
    struct object_names names = names_of(X86_64, NULL, starts, 4);

    (void)state;
    for (size_t i = 0; i < names.n; i++)
        assert_null(names.names[i]);
    object_names_done(&names);
}

static void a_start_within_a_symbol__has_its_name(void **state)
{
    const uint32_t start = 0x550;
    struct object_names names = names_of(X86_64, NULL, &start, 1);

    (void)state;
    assert_string_equal(names.names[0], "bare");
    object_names_done(&names);
}

static void the_return_of_handlers__has_a_name_also_before_its_first_instruction(void **state)
{
    const uint32_t start = 0x380;
    struct object_names names = names_of(AARCH64, NULL, &start, 1);

    (void)state;
    assert_string_equal(names.names[0], "__kernel_rt_sigreturn");
    object_names_done(&names);
}

static void a_debug_file_of_another_build__is_not_heeded(void **state)
{
    const uint32_t start = 0x300; /* a leaf of the other file */
    struct object_names names = names_of(X86_64, AARCH64, &start, 1);

    (void)state;
    assert_null(names.names[0]);
    object_names_done(&names);
}

static void nothing_asked__is_answered(void **state)
{
    struct object_names names = names_of(X86_64, NULL, NULL, 0);

    (void)state;
    object_names_done(&names);
}

static void assert_name(const char *symbol, const char *wanted)
{
    struct text text = {0};
    char *name;

    function_name_append(&text, symbol, strlen(symbol));
    text_append_char(&text, '\0');
    name = text_take(&text);
    assert_non_null(name);
    assert_string_equal(name, wanted);
    free(name);
}

static void symbols__are_names_as_in_the_source(void **state)
{
    (void)state;
    assert_name("main", "main");
    assert_name("memcpy@@GLIBC_2.14", "memcpy");
    assert_name("_ZNSt6vectorIiSaIiEE9push_backERKi",
                "std::vector<int, std::allocator<int> >::push_back");
    assert_name("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt");
    assert_name("_RNvC6_123foo3bar", "123foo::bar");
    assert_name("_Znotmangled", "_Znotmangled");
    assert_name("runtime.gopark", "runtime.gopark");
}

static void what_steers_terminals__is_replaced(void **state)
{
    (void)state;
    assert_name("a\x1b[31m\xff<b>\n", "a\xef\xbf\xbd[31m\xef\xbf\xbd<b>\xef\xbf\xbd");
}

static void a_long_name__is_cut_between_characters(void **state)
{
    char symbol[2048];
    struct text text = {0};

    (void)state;
    symbol[0] = 'x';
    for (size_t i = 1; i < sizeof(symbol) - 1; i += 2)
        memcpy(symbol + i, "\xc3\xa9", 2);
    function_name_append(&text, symbol, sizeof(symbol) - 1);
    assert_int_equal(text.length, OBJECT_NAME_MOST - 1);
    text_done(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names__come_in_the_order_of_the_question),
        cmocka_unit_test(of_several_names__the_one_without_an_underscore_is_taken),
        cmocka_unit_test(a_start_that_no_symbol_covers__has_no_name),
        cmocka_unit_test(a_start_within_a_symbol__has_its_name),
        cmocka_unit_test(the_return_of_handlers__has_a_name_also_before_its_first_instruction),
        cmocka_unit_test(a_debug_file_of_another_build__is_not_heeded),
        cmocka_unit_test(nothing_asked__is_answered),
        cmocka_unit_test(symbols__are_names_as_in_the_source),
        cmocka_unit_test(what_steers_terminals__is_replaced),
        cmocka_unit_test(a_long_name__is_cut_between_characters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
