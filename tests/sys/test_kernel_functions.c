/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/kernel_functions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"

/* Reads a list of functions, and expects these. */
static void expect(const char *text, size_t length, const char *const *names, size_t n)
{
    FILE *list = fmemopen((void *)(uintptr_t)text, length, "r");
    char name[KERNEL_FUNCTION_SIZE];

    assert_non_null(list);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(kernel_functions_next(list, name), 1);
        assert_string_equal(name, names[i]);
    }
    assert_int_equal(kernel_functions_next(list, name), 0);
    assert_int_equal(fclose(list), 0);
}

static void functions_are_told_from_data_and_have_the_name_of_their_module(void **state)
{
    static const char text[] = "0000000000000000 A fixed_percpu_data\n"
                               "0000000000000000 T vfs_read\n"
                               "ffffffff81000000 t helper.constprop.0\n"
                               "0000000000000000 D jiffies\n"
                               "0000000000000000 W weak_one\n"
                               "0000000000000000 t nf_ct_delete\t[nf_conntrack]\n";
    static const char *const names[] = {"vfs_read", "helper.constprop.0", "weak_one",
                                        "nf_conntrack:nf_ct_delete"};

    (void)state;
    expect(text, strlen(text), names, ARRAY_SIZE(names));
}

static void lines_of_another_form_are_left_out(void **state)
{
    static const char text[] = "\n \nt\n0 t\n0 t  \n0 tt name\n0 t f\t[open\n0 t f\t[two words\n"
                               "0 t after\n0 t no_newline";
    static const char *const names[] = {"after"};

    (void)state;
    expect(text, strlen(text), names, ARRAY_SIZE(names));
    expect("x", 1, NULL, 0);
}

static void a_line_without_an_end_is_left_out_as_a_whole(void **state)
{
    static char text[100000];
    static const char *const names[] = {"before", "after"};
    static const char first[] = "0 t before\n0 t ", last[] = "\n0 t after\n";

    (void)state;
    memset(text, 'x', sizeof(text));
    memcpy(text, first, strlen(first));
    memcpy(text + sizeof(text) - strlen(last), last, strlen(last));
    expect(text, sizeof(text), names, ARRAY_SIZE(names));
}

static void the_running_kernel_has_functions(void **state)
{
    FILE *list = kernel_functions_open();
    char name[KERNEL_FUNCTION_SIZE];
    bool is_there = false;

    (void)state;
    if (!list)
        skip();
    while (!is_there && kernel_functions_next(list, name) == 1)
        is_there = strcmp(name, "vfs_read") == 0;
    (void)fclose(list);
    assert_true(is_there);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_told_from_data_and_have_the_name_of_their_module),
        cmocka_unit_test(lines_of_another_form_are_left_out),
        cmocka_unit_test(a_line_without_an_end_is_left_out_as_a_whole),
        cmocka_unit_test(the_running_kernel_has_functions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
