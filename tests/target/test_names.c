/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include "base/utf8.h"
#include "target/clean_text.h"
#include "target/names_check.h"

static void a_name__that_is_clean_stands_as_it_is(void **state)
{
    AUTO_NAMES struct names names = {0};

    (void)state;
    names_add_string(&names, NAME_POD, "web-0");
    names_add_string(&names, NAME_ROLE, "Größe \"A\", B\\C");
    assert_name(&names, NAME_POD, "web-0");
    assert_name(&names, NAME_ROLE, "Größe \"A\", B\\C");
    assert_n_names(&names, 2);
}

static void a_name__with_control_characters_or_no_utf8_is_encoded(void **state)
{
    AUTO_NAMES struct names names = {0};

    (void)state;
    names_add_string(&names, NAME_POD, "a\nb");
    names_add_string(&names, NAME_IMAGE, "\xff");
    names_add(&names, NAME_VM, "a\0b", 3);
    names_add_string(&names, NAME_NAME,
                     "\xe2\x80\xae"
                     "evil"); /* right-to-left override */
    names_add_string(&names, NAME_GROUP, "%/a");
    assert_name(&names, NAME_POD, "%/a%0Ab");
    assert_name(&names, NAME_IMAGE, "%/%FF");
    assert_name(&names, NAME_VM, "%/a%00b");
    assert_name(&names, NAME_NAME, "%/%E2%80%AEevil");
    assert_name(&names, NAME_GROUP, "%/%25/a");
}

static void a_name__that_is_too_long_is_cut_between_characters(void **state)
{
    AUTO_NAMES struct names names = {0};
    AUTO_FREE char *plain = repeated("a", 100000);
    AUTO_FREE char *wide = repeated("a€", 100000);
    AUTO_FREE char *just = repeated("a", NAME_MAX_BYTES);
    AUTO_FREE char *unclean = repeated("\x01", 100000);

    (void)state;
    names_add_string(&names, NAME_POD, plain);
    names_add_string(&names, NAME_VM, wide);
    names_add_string(&names, NAME_NAME, just);
    names_add_string(&names, NAME_ROLE, unclean);
    assert_int_equal(strlen(names.values[NAME_POD]), NAME_MAX_BYTES + strlen("…"));
    assert_int_equal(strlen(names.values[NAME_VM]), NAME_MAX_BYTES + strlen("…"));
    assert_true(text_is_clean(names.values[NAME_VM], strlen(names.values[NAME_VM])));
    assert_name(&names, NAME_NAME, just);
    assert_true(strlen(names.values[NAME_ROLE]) <= 1024);
}

static void the_first_source__of_a_name_wins(void **state)
{
    AUTO_NAMES struct names names = {0};
    AUTO_NAMES struct names others = {0};

    (void)state;
    names_add_string(&names, NAME_POD, "");
    names_add_string(&names, NAME_POD, NULL);
    names_add_string(&names, NAME_POD, "first");
    names_add_string(&names, NAME_POD, "second");
    names_add_string(&others, NAME_POD, "third");
    names_add_string(&others, NAME_VM, "vm");
    assert_false(names_are_same(&names, &others));
    names_add_all(&names, &others);
    assert_name(&names, NAME_POD, "first");
    assert_name(&names, NAME_VM, "vm");
    assert_true(names_are_same(&names, &names));
}

static void labels__are_in_a_fixed_order_without_what_is_not_known(void **state)
{
    AUTO_NAMES struct names names = {0};
    struct label labels[NAMES_];

    (void)state;
    names_add_string(&names, NAME_ROLE, "r");
    names_add_string(&names, NAME_POD, "p");
    assert_int_equal(names_to_labels(&names, labels), 2);
    assert_string_equal(labels[0].name, "pod");
    assert_string_equal(labels[0].value, "p");
    assert_string_equal(labels[1].name, "role");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name__that_is_clean_stands_as_it_is),
        cmocka_unit_test(a_name__with_control_characters_or_no_utf8_is_encoded),
        cmocka_unit_test(a_name__that_is_too_long_is_cut_between_characters),
        cmocka_unit_test(the_first_source__of_a_name_wins),
        cmocka_unit_test(labels__are_in_a_fixed_order_without_what_is_not_known),
    };

    return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
