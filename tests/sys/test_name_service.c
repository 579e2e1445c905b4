/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/name_service.h"

#include <sys/resource.h>

#include "support/slow_names.h"

/* The service hangs: a test that waited for an answer would never end. */

static int set_up(void **state)
{
    slow_asked = 0;
    *state = name_service_new(&slow_names);
    return *state ? 0 : -1;
}

static int tear_down(void **state)
{
    slow_names_hang(false);
    *state = name_service_free(*state);
    return 0;
}

/* Asks until there is an answer, however busy the machine is. */
static enum name_outcome insist(struct name_service *service, uid_t uid, char *ret_name)
{
    enum name_outcome outcome;

    do {
        outcome = name_service_name_of(service, uid, ret_name);
    } while (outcome == NAME_LATE);
    return outcome;
}

static void service__answers_for_names_and_numbers(void **state)
{
    char name[ACCOUNT_NAME_SIZE];
    enum name_outcome outcome;
    uid_t uid;

    assert_int_equal(insist(*state, 1234, name), NAME_FOUND);
    assert_string_equal(name, "user1234");
    assert_int_equal(insist(*state, 12, name), NAME_UNKNOWN);
    do {
        outcome = name_service_number_of(*state, "user77", &uid);
    } while (outcome == NAME_LATE);
    assert_int_equal(outcome, NAME_FOUND);
    assert_int_equal(uid, 77);
}

static void service__that_hangs_keeps_nobody_and_its_answers_come_later(void **state)
{
    char name[ACCOUNT_NAME_SIZE];
    uid_t uid;

    slow_names_hang(true);
    for (uid_t user = 2000; user < 2020; user++)
        assert_int_equal(name_service_name_of(*state, user, name), NAME_LATE);
    assert_int_equal(name_service_number_of(*state, "user5", &uid), NAME_LATE);
    slow_names_hang(false);
    for (uid_t user = 2000; user < 2020; user++) {
        char expected[32];

        (void)snprintf(expected, sizeof(expected), "user%u", user);
        assert_int_equal(insist(*state, user, name), NAME_FOUND);
        assert_string_equal(name, expected);
    }
    assert_int_equal(slow_asked <= 21, true); /* each question was asked once */
}

static void service__that_hangs_is_not_asked_without_bound(void **state)
{
    char name[ACCOUNT_NAME_SIZE];

    slow_names_hang(true);
    for (uid_t user = 2000; user < 12000; user++)
        assert_int_equal(name_service_name_of(*state, user, name), NAME_LATE);
    slow_names_hang(false);
    assert_int_equal(insist(*state, 2000, name), NAME_FOUND);
    assert_int_equal(insist(*state, 11999, name), NAME_FOUND); /* there is room again */
    assert_true(slow_asked <= 65);
}

static void number__of_a_name_that_is_too_long_is_unknown(void **state)
{
    char name[ACCOUNT_NAME_SIZE + 1];
    uid_t uid;

    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    assert_int_equal(name_service_number_of(*state, name, &uid), NAME_UNKNOWN);
}

static void machine__knows_root(void **state)
{
    char name[ACCOUNT_NAME_SIZE];

    (void)state;
    assert_int_equal(insist(name_service_of_machine(), 0, name), NAME_FOUND);
    assert_string_equal(name, "root");
}

/* The accounts are in a file, which cannot be opened without descriptors. */
static void machine__without_descriptors_is_asked_again(void **state)
{
    struct name_service *service = name_service_of_machine();
    char name[ACCOUNT_NAME_SIZE];
    struct rlimit limit, none;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    none = (struct rlimit){0, limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    for (int i = 0; i < 200; i++)
        assert_int_equal(name_service_name_of(service, 0, name), NAME_LATE);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_int_equal(insist(service, 0, name), NAME_FOUND);
    assert_string_equal(name, "root");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(service__answers_for_names_and_numbers),
        TEST(service__that_hangs_keeps_nobody_and_its_answers_come_later),
        TEST(service__that_hangs_is_not_asked_without_bound),
        TEST(number__of_a_name_that_is_too_long_is_unknown),
        TEST(machine__knows_root),
        TEST(machine__without_descriptors_is_asked_again),
    };

    return cmocka_run_group_tests_name("name_service", tests, NULL, NULL);
}
