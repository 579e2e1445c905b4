/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/user_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/slow_names.h"

#define NOBODY_HAS 4000000000U /* no user has this number, or one after it */

static const char *find(struct user_names *names, uid_t uid)
{
    const char *name = NULL;
    int r;

    do { /* on a busy machine it takes a while */
        r = user_names_find(names, uid, &name);
    } while (r == NAME_LATE);
    assert_int_equal(r, 0);
    return name;
}

static void names__root_has_one(void **state)
{
    AUTO(user_names) struct user_names *names = NULL;

    (void)state;
    assert_int_equal(user_names_new(name_service_of_machine(), &names), 0);
    assert_string_equal(find(names, 0), "root");
    assert_string_equal(find(names, 0), "root");
}

static void names__who_has_none_is_a_number(void **state)
{
    AUTO(user_names) struct user_names *names = NULL;

    (void)state;
    assert_int_equal(user_names_new(name_service_of_machine(), &names), 0);
    assert_string_equal(find(names, NOBODY_HAS), "4000000000");
}

static void names__an_answer_is_kept(void **state)
{
    AUTO(user_names) struct user_names *names = NULL;
    const char *first;

    (void)state;
    assert_int_equal(user_names_new(name_service_of_machine(), &names), 0);
    first = find(names, 0);
    (void)find(names, NOBODY_HAS);
    assert_ptr_equal(find(names, 0), first);
}

static void names__more_than_are_kept_have_their_own(void **state)
{
    AUTO(user_names) struct user_names *names = NULL;

    (void)state;
    assert_int_equal(user_names_new(name_service_of_machine(), &names), 0);
    for (unsigned uid = NOBODY_HAS; uid < NOBODY_HAS + 1500; uid++) {
        char digits[16];

        (void)snprintf(digits, sizeof(digits), "%u", uid);
        assert_string_equal(find(names, uid), digits);
    }
    assert_string_equal(find(names, 0), "root");
}

static void names__that_are_late_are_numbers_until_they_are_known(void **state)
{
    struct name_service *service = name_service_new(&slow_names);
    AUTO(user_names) struct user_names *names = NULL;
    const char *name;

    (void)state;
    assert_int_equal(user_names_new(service, &names), 0);
    slow_names_hang(true);
    for (unsigned i = 0; i < 100; i++) {
        assert_int_equal(user_names_find(names, 1234, &name), NAME_LATE);
        assert_string_equal(name, "1234");
    }
    slow_names_hang(false);
    assert_string_equal(find(names, 1234), "user1234");
    (void)name_service_free(service);
}

static void names__that_are_known_stand_while_nobody_answers(void **state)
{
    struct name_service *service = name_service_new(&slow_names);
    AUTO(user_names) struct user_names *names = NULL;
    const char *name;

    (void)state;
    assert_int_equal(user_names_new(service, &names), 0);
    assert_string_equal(find(names, 1234), "user1234");
    slow_names_hang(true);
    user_names_doubt(names);
    assert_int_equal(user_names_find(names, 1234, &name), 0);
    assert_string_equal(name, "user1234");
    slow_names_hang(false);
    assert_string_equal(find(names, 1234), "user1234");
    (void)name_service_free(service);
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
        cmocka_unit_test(names__that_are_late_are_numbers_until_they_are_known),
        cmocka_unit_test(names__that_are_known_stand_while_nobody_answers),
        cmocka_unit_test(free__takes_null),
    };

    return cmocka_run_group_tests_name("user_names", tests, NULL, NULL);
}
