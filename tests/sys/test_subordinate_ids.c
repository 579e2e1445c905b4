/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/subordinate_ids.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/fixture_tree.h"
#include "support/slow_names.h"

static void parse__a_line_is_an_account_and_its_numbers(void **state)
{
    struct subordinate_range range;

    (void)state;
    assert_true(subordinate_range_parse("lisa:100000:65536\n", &range));
    assert_int_equal(range.n_account, 4);
    assert_memory_equal(range.account, "lisa", 4);
    assert_int_equal(range.first, 100000);
    assert_int_equal(range.count, 65536);
}

static void parse__what_is_none_is_refused(void **state)
{
    static const char *const wrong[] = {
        "",
        "\n",
        "lisa",
        "lisa:1",
        ":1:2",
        "lisa::2",
        "lisa:1:",
        "lisa:1:0",
        "lisa:-1:2",
        "lisa:1:2:3",
        "lisa:x:2",
        "# a:1:2",
        "lisa: 1:2",
        "lisa:1:2 ",
        "lisa:4294967295:1",
        "lisa:1:4294967295",
        "lisa:99999999999999999999999999:1",
        "lisa:18446744073709551615:2",
    };
    struct subordinate_range range;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
        assert_false(subordinate_range_parse(wrong[i], &range));
}

static void owner__is_the_first_range_that_has_the_number(void **state)
{
    struct fixture_tree tree = fixture_tree_open();
    AUTO(subordinate_ids) struct subordinate_ids *ids = NULL;
    AUTO_FREE char *path = NULL;

    (void)state;
    assert_true(asprintf(&path, "%s/subuid", tree.path) > 0);
    assert_int_equal(subordinate_ids_new(path, name_service_of_machine(), &ids), 0);
    assert_int_equal(subordinate_ids_owner(ids, 100000), 100000);
    fixture_tree_write(&tree, "subuid",
                       "root:500:10\nrubbish\nno-such-account:600:10\n1234:700:10\n1235:705:10");
    subordinate_ids_refresh(ids);
    assert_int_equal(subordinate_ids_owner(ids, 499), 499);
    while (subordinate_ids_owner(ids, 500) == 500) /* the name service has not answered yet */
        ;
    assert_int_equal(subordinate_ids_owner(ids, 500), 0);
    assert_int_equal(subordinate_ids_owner(ids, 509), 0);
    assert_int_equal(subordinate_ids_owner(ids, 510), 510);
    assert_int_equal(subordinate_ids_owner(ids, 609), 600);
    while (subordinate_ids_owner(ids, 709) == 700 || subordinate_ids_owner(ids, 710) == 705)
        ;
    assert_int_equal(subordinate_ids_owner(ids, 709), 1234);
    assert_int_equal(subordinate_ids_owner(ids, 710), 1235);
    assert_int_equal(unlinkat(tree.fd, "subuid", 0), 0);
    subordinate_ids_refresh(ids);
    assert_int_equal(subordinate_ids_owner(ids, 709), 709);
    fixture_tree_close(&tree);
}

static void owner__that_nobody_tells_is_the_range_until_it_is_known(void **state)
{
    struct name_service *service = name_service_new(&slow_names);
    struct fixture_tree tree = fixture_tree_open();
    AUTO(subordinate_ids) struct subordinate_ids *ids = NULL;
    AUTO_FREE char *path = NULL;
    uid_t owner;

    (void)state;
    assert_true(asprintf(&path, "%s/subuid", tree.path) > 0);
    fixture_tree_write(&tree, "subuid", "user7:100000:65536\n");
    assert_int_equal(subordinate_ids_new(path, service, &ids), 0);
    slow_names_hang(true);
    assert_int_equal(subordinate_ids_owner(ids, 100005), 100000);
    assert_int_equal(subordinate_ids_owner(ids, 165535), 100000);
    slow_names_hang(false);
    do {
        owner = subordinate_ids_owner(ids, 100005);
    } while (owner == 100000);
    assert_int_equal(owner, 7);
    fixture_tree_close(&tree);
    (void)name_service_free(service);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parse__a_line_is_an_account_and_its_numbers),
        cmocka_unit_test(parse__what_is_none_is_refused),
        cmocka_unit_test(owner__is_the_first_range_that_has_the_number),
        cmocka_unit_test(owner__that_nobody_tells_is_the_range_until_it_is_known),
    };

    return cmocka_run_group_tests_name("subordinate_ids", tests, NULL, NULL);
}
