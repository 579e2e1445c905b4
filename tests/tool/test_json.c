/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>

#include "tool/json.h"

static void any_text_becomes_a_string(void **state)
{
    AUTO_JSON json_t *plain = json_of_text("Größe"),
                     *broken = json_of_text("a\xff"
                                            "b\xc3"),
                     *empty = json_of_text(""), *none = json_of_text(NULL);

    (void)state;
    assert_string_equal(json_string_value(plain), "Größe");
    assert_string_equal(json_string_value(broken), "a\xef\xbf\xbd"
                                                   "b\xef\xbf\xbd");
    assert_string_equal(json_string_value(empty), "");
    assert_true(json_is_null(none));
}

static void what_is_no_number_is_null(void **state)
{
    AUTO_JSON json_t *number = json_of_double(0.25), *nan = json_of_double(NAN),
                     *infinite = json_of_double(INFINITY);

    (void)state;
    assert_true(json_real_value(number) == 0.25);
    assert_true(json_is_null(nan));
    assert_true(json_is_null(infinite));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_text_becomes_a_string),
        cmocka_unit_test(what_is_no_number_is_null),
    };

    return cmocka_run_group_tests_name("tool_json", tests, NULL, NULL);
}
