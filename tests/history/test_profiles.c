/* SPDX-License-Identifier: Apache-2.0 */

/* Profiles as the historian keeps them; what is packed (profile/store.h) is a text here. */
#include "history/store_fixture.h"

#define NOW 1000000u /* minutes since 1970 */

static void add(struct store_fixture *f, uint32_t minute, uint32_t end, const char *data,
                uint32_t oldest)
{
    const struct history_profiles profiles = {
        .minute = minute, .end = end, .data = data, .bytes = strlen(data)};

    assert_int_equal(history_store_add_profiles(&f->store, &profiles, oldest), 0);
}

/* What is kept, in the order of numbers: "minute-end:data …". */
static void assert_kept(struct store_fixture *f, const char *expected)
{
    AUTO_TEXT struct text all = {0};
    AUTO_FREE char *text = NULL;
    uint64_t id = 0;
    int r;

    do {
        struct history_profiles profiles;
        AUTO_TEXT struct text bytes = {0};

        r = history_store_next_profiles(&f->store, &id, &profiles, &bytes);
        if (r == 0) {
            text_append_format(&all, "%u-%u:", profiles.minute - NOW, profiles.end - NOW);
            text_append(&all, bytes.data, bytes.length);
            text_append_char(&all, ' ');
        }
    } while (r == 0);
    assert_int_equal(r, -ENOENT);
    text = text_take(&all);
    assert_string_equal(text, expected);
}

static void what_is_kept__is_there_after_the_end(void **state)
{
    struct store_fixture *f = *state;

    add(f, NOW, NOW + 1, "a", 0);
    add(f, NOW + 1, NOW + 2, "b", 0);
    assert_kept(f, "0-1:a 1-2:b ");
    history_store_done(&f->store);
    assert_int_equal(history_store_init(&f->store, &f->options), 0);
    assert_kept(f, "0-1:a 1-2:b ");
    fixture_make_account(f, 8);
}

static void an_hour__replaces_its_minutes_and_no_others(void **state)
{
    struct store_fixture *f = *state;

    add(f, NOW, NOW + 1, "before", 0);
    add(f, NOW + 1, NOW + 2, "first", 0);
    add(f, NOW + 60, NOW + 61, "last", 0);
    add(f, NOW + 61, NOW + 62, "after", 0);
    add(f, NOW + 1, NOW + 61, "hour", 0);
    assert_kept(f, "0-1:before 61-62:after 1-61:hour ");
    add(f, NOW + 61, NOW + 62, "anew", 0);
    assert_kept(f, "0-1:before 1-61:hour 61-62:anew ");
}

static void what_is_too_old__goes(void **state)
{
    struct store_fixture *f = *state;

    add(f, NOW, NOW + 1, "a", 0);
    add(f, NOW + 1, NOW + 2, "b", 0);
    add(f, NOW + 5, NOW + 6, "c", NOW + 1);
    assert_kept(f, "1-2:b 5-6:c ");
}

static void what_is_too_much__goes_from_the_oldest_on(void **state)
{
    struct store_fixture *f = *state;
    char data[4096];
    uint64_t bytes = 0;
    uint32_t chance = 1;

    f->store.limits.bytes = (uint64_t)HISTORY_PROFILES_SHARE * 64 * 1024;
    for (uint32_t i = 0; i < 64; i++) {
        for (size_t j = 0; j + 1 < sizeof(data); j++) { /* what cannot be compressed by much */
            chance = chance * 1664525 + 1013904223;
            data[j] = (char)('!' + (chance >> 24) % 90);
        }
        data[sizeof(data) - 1] = '\0';
        add(f, NOW - i, NOW - i + 1, data, 0);
    }
    assert_int_equal(
        database_ask(&f->store.profiles.disk, "SELECT sum(length(data)) FROM profiles", &bytes), 0);
    assert_true(bytes <= 64 * 1024 && bytes > 32 * 1024);
    assert_int_equal(
        database_ask(&f->store.profiles.disk, "SELECT max(start) FROM profiles", &bytes), 0);
    assert_int_equal(bytes, NOW);
}

static void what_is_damaged__is_counted_and_the_rest_is_read(void **state)
{
    struct store_fixture *f = *state;
    struct history_profiles profiles;
    struct text bytes = {0};
    uint64_t id = 0;

    add(f, NOW, NOW + 1, "a", 0);
    add(f, NOW + 1, NOW + 2, "b", 0);
    assert_int_equal(database_run(&f->store.profiles.disk,
                                  "UPDATE profiles SET data = x'00112233' WHERE id = 1"),
                     0);
    assert_int_equal(history_store_next_profiles(&f->store, &id, &profiles, &bytes), -EBADMSG);
    assert_int_equal(profiles.minute, NOW);
    assert_int_equal(f->store.n_damaged, 1);
    assert_int_equal(history_store_next_profiles(&f->store, &id, &profiles, &bytes), 0);
    assert_int_equal(profiles.minute, NOW + 1);
    text_done(&bytes);
}

/* Fails the disk, or brings it back. */
static void fail_disk(struct store_fixture *f, bool fails)
{
    if (fails)
        vault_failed(&f->store.profiles, &f->store.profiles.disk, -ENOSPC);
    f->store.profiles.next_try_ns = fails ? UINT64_MAX : 0;
    vault_check(&f->store.profiles);
    assert_int_equal(vault_is_in_memory(&f->store.profiles), fails);
}

static void what_is_kept_in_memory__is_on_the_disk_when_that_is_back(void **state)
{
    struct store_fixture *f = *state;

    add(f, NOW, NOW + 1, "before", 0);
    add(f, NOW + 1, NOW + 2, "minute", 0);
    fail_disk(f, true);
    add(f, NOW + 1, NOW + 61, "hour", 0);
    add(f, NOW + 61, NOW + 62, "after", 0);
    fail_disk(f, false);
    assert_kept(f, "0-1:before 1-61:hour 61-62:after "); /* no minute beside its hour */
    assert_null(f->store.profiles.memory.handle);
}

static void a_disk_that_fails_while_it_is_written__loses_nothing(void **state)
{
    struct store_fixture *f = *state;

    add(f, NOW, NOW + 1, "a", 0);
    assert_int_equal(database_run(&f->store.profiles.disk, "PRAGMA query_only=ON"), 0);
    add(f, NOW + 1, NOW + 2, "b", 0);
    assert_true(vault_is_in_memory(&f->store.profiles));
    fail_disk(f, false);
    assert_kept(f, "0-1:a 1-2:b ");
}

static void what_is_too_large__is_refused(void **state)
{
    struct store_fixture *f = *state;
    const struct history_profiles profiles = {
        .minute = NOW, .end = NOW + 1, .data = "", .bytes = HISTORY_PROFILES_BYTES_MAX + 1};

    assert_int_equal(history_store_add_profiles(&f->store, &profiles, 0), -EFBIG);
}

static void without_a_directory__nothing_is_kept(void **state)
{
    struct store_fixture *f = *state;
    struct history_options none = f->options;

    history_store_done(&f->store);
    none.directory = NULL;
    assert_int_equal(history_store_init(&f->store, &none), 0);
    add(f, NOW, NOW + 1, "a", 0);
    assert_kept(f, "");
    assert_null(f->store.profiles.memory.handle);
    fixture_make_account(f, 8);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_kept__is_there_after_the_end),
        TEST(an_hour__replaces_its_minutes_and_no_others),
        TEST(what_is_too_old__goes),
        TEST(what_is_too_much__goes_from_the_oldest_on),
        TEST(what_is_damaged__is_counted_and_the_rest_is_read),
        TEST(what_is_kept_in_memory__is_on_the_disk_when_that_is_back),
        TEST(a_disk_that_fails_while_it_is_written__loses_nothing),
        TEST(what_is_too_large__is_refused),
        TEST(without_a_directory__nothing_is_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
