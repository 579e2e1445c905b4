/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <unistd.h>

#include <cmocka.h>

#include "base/shared_text.h"

/* LeakSanitizer and AddressSanitizer judge whether it is freed once, and not before. */
static void unref__leaves_the_text_to_the_other_owners(void **state)
{
    char changing[] = "prev_prio < 100";
    struct shared_text *first = shared_text_new(changing), *second;

    (void)state;
    assert_non_null(first);
    changing[0] = 'X';
    second = shared_text_ref(first);
    first = shared_text_unref(first);
    assert_null(first);
    assert_string_equal(second->text, "prev_prio < 100");
    assert_null(shared_text_unref(second));
}

static void ref_and_unref__take_null(void **state)
{
    (void)state;
    assert_null(shared_text_ref(NULL));
    assert_null(shared_text_unref(NULL));
}

static void equal__compares_texts_and_not_addresses(void **state)
{
    AUTO(shared_text) struct shared_text *a = shared_text_new("same");
    AUTO(shared_text) struct shared_text *b = shared_text_new("same");
    AUTO(shared_text) struct shared_text *c = shared_text_new("other");

    (void)state;
    assert_true(shared_text_equal(a, b));
    assert_true(shared_text_equal(NULL, NULL));
    assert_false(shared_text_equal(a, c));
    assert_false(shared_text_equal(a, NULL));
    assert_false(shared_text_equal(NULL, a));
}

static void a_file_is_open_as_long_as_its_text_has_an_owner(void **state)
{
    const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    struct shared_text *shared = shared_text_new_file(fd, "/dev/null"), *owner;
    char target[32] = "";

    (void)state;
    assert_non_null(shared);
    assert_string_equal(shared->shown, "/dev/null");
    assert_true(readlink(shared->text, target, sizeof(target) - 1) > 0);
    assert_string_equal(target, "/dev/null");
    owner = shared_text_ref(shared);
    shared = shared_text_unref(shared);
    assert_true(fcntl(fd, F_GETFD) >= 0);
    owner = shared_text_unref(owner);
    assert_null(owner);
    assert_true(fcntl(fd, F_GETFD) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_open_as_long_as_its_text_has_an_owner),
        cmocka_unit_test(unref__leaves_the_text_to_the_other_owners),
        cmocka_unit_test(ref_and_unref__take_null),
        cmocka_unit_test(equal__compares_texts_and_not_addresses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
