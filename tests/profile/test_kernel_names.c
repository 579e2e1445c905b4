/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include "profile/kernel_names.h"

static void assert_split(const char *symbol, const char *name, const char *owner)
{
    char is_name[24], is_owner[16];

    kernel_symbol_split(symbol, is_name, sizeof(is_name), is_owner, sizeof(is_owner));
    assert_string_equal(is_name, name);
    assert_string_equal(is_owner, owner);
}

static void symbol__of_the_kernel__is_the_kernels(void **state)
{
    (void)state;
    assert_split("do_syscall_64+0x12/0x1a0", "do_syscall_64", "[kernel]");
    assert_split("finish_task.isra.0+0x0/0x9", "finish_task.isra.0", "[kernel]");
}

static void symbol__of_a_module__is_the_modules(void **state)
{
    (void)state;
    assert_split("ext4_read+0x1/0x2 [ext4]", "ext4_read", "[ext4]");
    assert_split("ext4_read+0x1/0x2 [ext4 abcdef]", "ext4_read", "[ext4]");
    assert_split("f+0x1/0x2 [a_very_long_module]", "f", "[a_very_long_m]");
}

static void symbol__that_has_no_name__is_its_address(void **state)
{
    (void)state;
    assert_split("0xffffffff81000000", "0xffffffff81000000", "[kernel]");
}

static void symbol__that_is_unclean_or_long__is_made_clean_and_cut(void **state)
{
    (void)state;
    assert_split("a\033b\xff+0x1/0x2", "a?b?", "[kernel]");
    assert_split("a_very_long_name_of_a_function+0x1/0x2", "a_very_long_name_of_a_f", "[kernel]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symbol__of_the_kernel__is_the_kernels),
        cmocka_unit_test(symbol__of_a_module__is_the_modules),
        cmocka_unit_test(symbol__that_has_no_name__is_its_address),
        cmocka_unit_test(symbol__that_is_unclean_or_long__is_made_clean_and_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
