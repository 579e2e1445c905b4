/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/array.h"
#include "support/too_much_memory.h"

static void array__keeps_its_items_when_it_grows(void **state)
{
    size_t capacity = 0;
    int *items = NULL;

    (void)state;
    for (size_t i = 0; i < 1000; i++) {
        items = array_reserve(items, sizeof(*items), &capacity, i + 1);
        assert_non_null(items);
        assert_true(capacity > i);
        items[i] = (int)i;
    }
    for (int i = 0; i < 1000; i++)
        assert_int_equal(items[i], i);
    free(items);
}

static void array__doubles_so_that_additions_cost_little(void **state)
{
    size_t capacity = 0, n_growths = 0;
    char *items = NULL;

    (void)state;
    for (size_t i = 0; i < 100000; i++) {
        const size_t before = capacity;

        items = array_reserve(items, 1, &capacity, i + 1);
        assert_non_null(items);
        n_growths += capacity != before;
    }
    assert_in_range(n_growths, 1, 17);
    free(items);
}

static void array__is_there_also_where_nothing_is_wanted(void **state)
{
    size_t capacity = 0;
    void *items = array_reserve(NULL, 8, &capacity, 0);

    (void)state;
    assert_non_null(items);
    assert_true(capacity > 0);
    free(items);
}

static void array__stays_as_it_was_where_there_is_no_memory(void **state)
{
    size_t capacity = 0, before;
    char *items = array_reserve(NULL, 1, &capacity, 1);

    (void)state;
    items[0] = 'a';
    before = capacity;
    assert_null(array_reserve(items, 8, &capacity, SIZE_MAX / 2));
    assert_null(array_reserve(items, 1, &capacity, SIZE_MAX));
    assert_int_equal(capacity, before);
    assert_int_equal(items[0], 'a');
    free(items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(array__keeps_its_items_when_it_grows),
        cmocka_unit_test(array__doubles_so_that_additions_cost_little),
        cmocka_unit_test(array__is_there_also_where_nothing_is_wanted),
        cmocka_unit_test(array__stays_as_it_was_where_there_is_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
