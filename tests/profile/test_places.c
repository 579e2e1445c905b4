/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/store_fixture.h"

#include "profile/places.h"

static void add_leaf(struct profile_store *store, const char *cgroup, uint32_t leaf, uint32_t place,
                     size_t n)
{
    const uint32_t target = profile_store_target(store, PROFILE_CGROUP, cgroup);
    const uint32_t main = profile_store_function(store, PROFILE_USER, "program", "main");
    const uint32_t functions[] = {main, leaf};
    const struct profile_stack stack = {functions, ARRAY_SIZE(functions), place};

    for (size_t i = 0; i < n; i++)
        profile_store_add(store, target, BEGIN + SECOND, &stack);
}

static int ask(const struct profile_store *store, uint64_t from_ns, const char *owner,
               const char *name, struct profile_places **ret_places)
{
    const struct profile_range range = {
        .scope = PROFILE_CGROUP, .label = "/a", .from_ns = from_ns, .to_ns = BEGIN + 60 * SECOND};
    const struct profile_wanted_function wanted = {owner, name};

    return profile_store_places(store, &range, &wanted, ret_places);
}

static struct profile_places *places_of(const struct profile_store *store, const char *owner,
                                        const char *name)
{
    struct profile_places *places = NULL;

    assert_int_equal(ask(store, BEGIN, owner, name, &places), 0);
    return places;
}

static void samples__are_counted_by_place(void **state)
{
    AUTO(profile_store) struct profile_store *store = store_of(&roomy);
    AUTO(profile_places) struct profile_places *places = NULL;
    uint32_t work;

    (void)state;
    profile_store_tick(store, BEGIN);
    work = profile_store_function(store, PROFILE_USER, "program", "work");
    add_leaf(store, "/a", work, 0x1040, 3);
    add_leaf(store, "/a", work, 0x1010, 1);
    add_leaf(store, "/a/below", work, 0x1040, 4);
    add_leaf(store, "/b", work, 0x1040, 100);
    add_leaf(store, "/a", work, PROFILE_NO_PLACE, 2);
    add_leaf(store, "/a", profile_store_function(store, PROFILE_USER, "program", "other"), 1, 5);
    profile_store_tick(store, BEGIN + 5 * SECOND);
    places = places_of(store, NULL, "work");
    assert_int_equal(places->all, 15);
    assert_int_equal(places->samples, 10);
    assert_int_equal(places->elsewhere, 0);
    assert_int_equal(places->function, work);
    assert_string_equal(places->owner, "program");
    assert_int_equal(places->n, 2);
    assert_int_equal(places->places[0].place, 0x1010);
    assert_int_equal(places->places[0].samples, 1);
    assert_int_equal(places->places[1].place, 0x1040);
    assert_int_equal(places->places[1].samples, 7);
}

/* Two libraries, or two files of one name, may have functions of one name. */
static void of_one_name__the_one_with_most_samples_is_taken(void **state)
{
    AUTO(profile_store) struct profile_store *store = store_of(&roomy);
    AUTO(profile_places) struct profile_places *any = NULL;
    AUTO(profile_places) struct profile_places *one = NULL;
    uint32_t first, second, third;

    (void)state;
    profile_store_tick(store, BEGIN);
    first = profile_store_unnamed(store, PROFILE_USER, "one.so", "work");
    second = profile_store_unnamed(store, PROFILE_USER, "two.so", "work");
    third = profile_store_unnamed(store, PROFILE_USER, "one.so", "work");
    add_leaf(store, "/a", first, 0x10, 3);
    add_leaf(store, "/a", second, 0x20, 5);
    add_leaf(store, "/a", third, 0x30, 1);
    profile_store_tick(store, BEGIN + 5 * SECOND);
    any = places_of(store, NULL, "work");
    assert_int_equal(any->function, second);
    assert_int_equal(any->samples, 5);
    assert_int_equal(any->elsewhere, 4);
    one = places_of(store, "one.so", "work");
    assert_int_equal(one->function, first);
    assert_int_equal(one->samples, 3);
    assert_int_equal(one->elsewhere, 1);
}

static void what_only_calls__has_no_places(void **state)
{
    AUTO(profile_store) struct profile_store *store = store_of(&roomy);
    AUTO(profile_places) struct profile_places *places = NULL;

    (void)state;
    profile_store_tick(store, BEGIN);
    add_leaf(store, "/a", profile_store_function(store, PROFILE_USER, "program", "work"), 1, 5);
    profile_store_tick(store, BEGIN + 5 * SECOND);
    assert_int_equal(ask(store, BEGIN, NULL, "main", &places), -ESRCH);
    assert_int_equal(places->all, 5);
    assert_int_equal(places->samples, 0);
}

static void assert_likely(const struct profile_store *store, const char *wanted,
                          const char *expected)
{
    AUTO(profile_places) struct profile_places *places = NULL;

    assert_int_equal(ask(store, BEGIN, NULL, wanted, &places), -ESRCH);
    if (expected)
        assert_string_equal(places->likely, expected);
    else
        assert_null(places->likely);
}

static void a_name_without_samples__is_told_with_the_one_that_may_be_meant(void **state)
{
    static const char *const names[] = {"a::push_back(int)", "b::push_back(int)", "do_write"};
    AUTO(profile_store) struct profile_store *store = store_of(&roomy);

    (void)state;
    profile_store_tick(store, BEGIN);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        add_leaf(store, "/a", profile_store_function(store, PROFILE_USER, "program", names[i]), 1,
                 i == 1 ? 5 : 2);
    add_leaf(store, "/b", profile_store_function(store, PROFILE_USER, "program", "do_read"), 1, 5);
    profile_store_tick(store, BEGIN + 5 * SECOND);
    assert_likely(store, "Push_back",
                  "b::push_back(int)"); /* it has most of those that contain it */
    assert_likely(store, "do_wriet", "do_write");
    assert_likely(store, "do_reed", NULL); /* of another target */
    assert_likely(store, "", NULL);
}

static void a_target_without_samples__is_told(void **state)
{
    AUTO(profile_store) struct profile_store *store = store_of(&roomy);
    struct profile_places *places = NULL;

    (void)state;
    profile_store_tick(store, BEGIN);
    assert_int_equal(ask(store, BEGIN, NULL, "main", &places), -ENOENT);
}

/* What is not kept one by one has no places: the range says from when on there are some. */
static void the_range__is_what_is_kept_one_by_one(void **state)
{
    struct profile_limits few = roomy;
    AUTO(profile_store) struct profile_store *store = NULL;
    AUTO(profile_places) struct profile_places *places = NULL;
    uint32_t work;

    (void)state;
    few.recent = 4;
    store = store_of(&few);
    profile_store_tick(store, BEGIN);
    work = profile_store_function(store, PROFILE_USER, "program", "work");
    add_leaf(store, "/a", work, 1, 6);
    profile_store_tick(store, BEGIN + 5 * SECOND);
    assert_int_equal(ask(store, BEGIN, NULL, "work", &places), -ESRCH);
    assert_true(places->from_ns > BEGIN + SECOND);
}

static void a_store_that_keeps_none_one_by_one__has_no_places(void **state)
{
    struct profile_limits none = roomy;
    AUTO(profile_store) struct profile_store *store = NULL;
    AUTO(profile_places) struct profile_places *places = NULL;

    (void)state;
    none.recent = 0;
    store = store_of(&none);
    profile_store_tick(store, BEGIN);
    add_leaf(store, "/a", profile_store_function(store, PROFILE_USER, "program", "work"), 1, 6);
    assert_int_equal(ask(store, BEGIN, NULL, "work", &places), -ESRCH);
    assert_true(places->to_ns >= places->from_ns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples__are_counted_by_place),
        cmocka_unit_test(of_one_name__the_one_with_most_samples_is_taken),
        cmocka_unit_test(what_only_calls__has_no_places),
        cmocka_unit_test(a_name_without_samples__is_told_with_the_one_that_may_be_meant),
        cmocka_unit_test(a_target_without_samples__is_told),
        cmocka_unit_test(the_range__is_what_is_kept_one_by_one),
        cmocka_unit_test(a_store_that_keeps_none_one_by_one__has_no_places),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
