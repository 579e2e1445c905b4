/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <string.h>

#include "cycle/turns.h"

/* Each thing is a letter; a small one of the first tenant, a capital one of the second. */
static char letters[] = "abcdefgABCDEFG0123";

static void add(struct turns *turns, const char *wanted)
{
    turns_clear(turns);
    for (; *wanted; wanted++) {
        char *letter = strchr(letters, *wanted);
        uint64_t tenant = 0;

        if (*wanted >= 'a')
            tenant = 1;
        else if (*wanted >= 'A')
            tenant = 2;
        assert_int_equal(turns_add(turns, letter, NULL, tenant), 0);
    }
    turns_sort(turns);
}

static void assert_order(const struct turns *turns, const char *wanted)
{
    assert_int_equal(turns->n, strlen(wanted));
    for (size_t i = 0; i < turns->n; i++)
        assert_int_equal(*(const char *)turns->turns[i].what, wanted[i]);
}

static void order__goes_from_tenant_to_tenant(void **state)
{
    struct turns turns = {0};

    (void)state;
    add(&turns, "abcdefgAB");
    assert_order(&turns, "aAbBcdefg");
    add(&turns, "ABabcdefg");
    assert_order(&turns, "aAbBcdefg");
    turns_done(&turns);
}

static void order__goes_on_behind_who_had_the_last_turn(void **state)
{
    struct turns turns = {0};

    (void)state;
    add(&turns, "abcA");
    turns_took(&turns, 0);
    add(&turns, "bcABC"); /* one was opened, and there was no time for more */
    assert_order(&turns, "AbBcC");
    turns_took(&turns, 0);
    add(&turns, "bcBC");
    assert_order(&turns, "bBcC");
    turns_done(&turns);
}

static void order__has_first_what_is_nobodys(void **state)
{
    struct turns turns = {0};

    (void)state;
    add(&turns, "ab0A12");
    assert_order(&turns, "012aAb");
    turns_took(&turns, 0);
    add(&turns, "bA3");
    assert_order(&turns, "3bA");
    turns_done(&turns);
}

static void order__of_one_tenant_is_as_it_was_added(void **state)
{
    struct turns turns = {0};

    (void)state;
    add(&turns, "gfabcde");
    assert_order(&turns, "gfabcde");
    add(&turns, "");
    assert_order(&turns, "");
    turns_done(&turns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order__goes_from_tenant_to_tenant),
        cmocka_unit_test(order__goes_on_behind_who_had_the_last_turn),
        cmocka_unit_test(order__has_first_what_is_nobodys),
        cmocka_unit_test(order__of_one_tenant_is_as_it_was_added),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
