/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "target/identity.h"

static void identity__keeps_labels_and_info_in_order(void **state)
{
    const struct label labels[] = {{"cgroup", "/a"}, {"b", ""}};
    const struct label info[] = {{"parent", ""}, {"unit", "a.service"}, {"slice", "s"}};
    AUTO(identity) struct identity *identity = identity_new(labels, 2, info, 3);
    const struct label *got;
    size_t n;

    (void)state;
    assert_non_null(identity);
    got = identity_labels(identity, &n);
    assert_int_equal(n, 2);
    assert_string_equal(got[0].name, "cgroup");
    assert_string_equal(got[0].value, "/a");
    assert_string_equal(got[1].value, "");
    got = identity_info(identity, &n);
    assert_int_equal(n, 3);
    assert_string_equal(got[1].name, "unit");
    assert_string_equal(got[1].value, "a.service");
    assert_string_equal(got[2].value, "s");
}

static void identity__copies_the_values(void **state)
{
    char value[] = "before";
    const struct label label = {"cgroup", value};
    AUTO(identity) struct identity *identity = identity_new(&label, 1, NULL, 0);
    size_t n;

    (void)state;
    strcpy(value, "after!");
    assert_string_equal(identity_labels(identity, &n)[0].value, "before");
}

static void identity__may_have_no_labels_at_all(void **state)
{
    AUTO(identity) struct identity *identity = identity_new(NULL, 0, NULL, 0);
    size_t n = 1;

    (void)state;
    assert_non_null(identity);
    (void)identity_labels(identity, &n);
    assert_int_equal(n, 0);
    n = 1;
    (void)identity_info(identity, &n);
    assert_int_equal(n, 0);
}

static void identity__outlives_the_first_that_lets_go(void **state)
{
    const struct label label = {"cgroup", "/a"};
    struct identity *identity = identity_new(&label, 1, NULL, 0), *other = identity_ref(identity);
    size_t n;

    (void)state;
    assert_ptr_equal(identity, other);
    assert_null(identity_unref(identity));
    assert_string_equal(identity_labels(other, &n)[0].value, "/a");
    assert_null(identity_unref(other));
    assert_null(identity_unref(NULL));
}

static void *take_and_drop(void *identity)
{
    for (int i = 0; i < 100000; i++) {
        size_t n;

        assert_string_equal(identity_labels(identity_ref(identity), &n)[0].value, "/a");
        (void)identity_unref(identity);
    }
    return identity_unref(identity);
}

static void identity__is_shared_between_threads(void **state)
{
    const struct label label = {"cgroup", "/a"};
    struct identity *identity = identity_new(&label, 1, NULL, 0);
    pthread_t thread;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, take_and_drop, identity_ref(identity)), 0);
    (void)take_and_drop(identity);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void identity__is_told_by_all_its_labels_in_any_order(void **state)
{
    const struct label labels[] = {{"pmu", "imc"}, {"socket", "0"}, {"pmu", "imc"}};
    const struct label other[] = {{"pmu", "imc"}, {"socket", "1"}};
    const struct label info = {"unit", "a.service"};
    AUTO(identity) struct identity *identity = identity_new(labels, 2, &info, 1);
    AUTO(identity) struct identity *machine = identity_new(NULL, 0, NULL, 0);

    (void)state;
    assert_true(identity_has_labels(identity, labels, 2));
    assert_true(identity_has_labels(identity, labels + 1, 2)); /* the socket first */
    assert_false(identity_has_labels(identity, other, 2));
    assert_false(identity_has_labels(identity, labels, 1));
    assert_false(identity_has_labels(identity, &info, 1));
    assert_true(identity_has_labels(machine, NULL, 0));
    assert_false(identity_has_labels(identity, NULL, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identity__keeps_labels_and_info_in_order),
        cmocka_unit_test(identity__copies_the_values),
        cmocka_unit_test(identity__may_have_no_labels_at_all),
        cmocka_unit_test(identity__is_told_by_all_its_labels_in_any_order),
        cmocka_unit_test(identity__outlives_the_first_that_lets_go),
        cmocka_unit_test(identity__is_shared_between_threads),
    };

    return cmocka_run_group_tests_name("identity", tests, NULL, NULL);
}
