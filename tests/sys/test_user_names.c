/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/user_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define NOBODY_HAS 4000000000U /* and those behind it */

static const char *find(struct user_names *names, uid_t uid)
{
    const char *name = NULL;

    assert_int_equal(user_names_find(names, uid, &name), 0);
    return name;
}

static void names__root_has_one(void **state)
{
    AUTO(user_names) struct user_names *names = NULL;

    (void)state;
    assert_int_equal(user_names_new(&names), 0);
    assert_string_equal(find(names, 0), "root");
    assert_string_equal(find(names, 0), "root");
}

static void names__who_has_none_is_a_number(void **state)
{
    AUTO(user_names) struct user_names *names = NULL;

    (void)state;
    assert_int_equal(user_names_new(&names), 0);
    assert_string_equal(find(names, NOBODY_HAS), "4000000000");
}

static void names__an_answer_is_kept(void **state)
{
    AUTO(user_names) struct user_names *names = NULL;
    const char *first;

    (void)state;
    assert_int_equal(user_names_new(&names), 0);
    first = find(names, 0);
    (void)find(names, NOBODY_HAS);
    assert_ptr_equal(find(names, 0), first);
}

static void names__more_than_are_kept_have_their_own(void **state)
{
    AUTO(user_names) struct user_names *names = NULL;

    (void)state;
    assert_int_equal(user_names_new(&names), 0);
    for (unsigned uid = NOBODY_HAS; uid < NOBODY_HAS + 1500; uid++) {
        char digits[16];

        (void)snprintf(digits, sizeof(digits), "%u", uid);
        assert_string_equal(find(names, uid), digits);
    }
    assert_string_equal(find(names, 0), "root");
}

static void free__takes_null(void **state)
{
    (void)state;
    assert_null(user_names_free(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names__root_has_one),
        cmocka_unit_test(names__who_has_none_is_a_number),
        cmocka_unit_test(names__an_answer_is_kept),
        cmocka_unit_test(names__more_than_are_kept_have_their_own),
        cmocka_unit_test(free__takes_null),
    };

    return cmocka_run_group_tests_name("user_names", tests, NULL, NULL);
}
