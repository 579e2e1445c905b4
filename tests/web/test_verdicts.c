/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <stdio.h>
#include <string.h>

#include "web/verdicts.h"

static void digest(const struct verdicts *verdicts, const char *name, const char *password,
                   const char *hash, uint8_t ret_digest[32])
{
    struct credentials credentials = {0};

    (void)snprintf(credentials.name, sizeof(credentials.name), "%s", name);
    (void)snprintf(credentials.password, sizeof(credentials.password), "%s", password);
    assert_int_equal(verdicts_digest(verdicts, &credentials, hash, ret_digest), 0);
}

static void verdicts__know_what_was_added_and_nothing_else(void **state)
{
    static const char *const others[][3] = {
        {"alice", "secret", "other hash"}, {"alice", "Secret", "hash"}, {"bob", "secret", "hash"},
        {"alices", "ecret", "hash"},       {"alice", "secrethash", ""},
    };
    struct verdicts verdicts;
    uint8_t known[32], other[32];

    (void)state;
    assert_int_equal(verdicts_init(&verdicts), 0);
    digest(&verdicts, "alice", "secret", "hash", known);
    assert_false(verdicts_know(&verdicts, known));
    verdicts_add(&verdicts, known);
    assert_true(verdicts_know(&verdicts, known));
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
        digest(&verdicts, others[i][0], others[i][1], others[i][2], other);
        assert_false(verdicts_know(&verdicts, other));
    }
}

static void verdicts__that_are_many__forget_the_oldest(void **state)
{
    struct verdicts verdicts;
    uint8_t digests[VERDICTS_KEPT + 1][32];

    (void)state;
    assert_int_equal(verdicts_init(&verdicts), 0);
    for (unsigned i = 0; i <= VERDICTS_KEPT; i++) {
        char name[16];

        (void)snprintf(name, sizeof(name), "user %u", i);
        digest(&verdicts, name, "secret", "hash", digests[i]);
        verdicts_add(&verdicts, digests[i]);
        verdicts_add(&verdicts, digests[i]); /* it is there already */
    }
    assert_false(verdicts_know(&verdicts, digests[0]));
    for (unsigned i = 1; i <= VERDICTS_KEPT; i++)
        assert_true(verdicts_know(&verdicts, digests[i]));
}

static void the_number_of_a_name__is_always_the_same_and_depends_on_the_key(void **state)
{
    struct verdicts one, two;

    (void)state;
    assert_int_equal(verdicts_init(&one), 0);
    assert_int_equal(verdicts_init(&two), 0);
    assert_true(verdicts_number(&one, "alice") == verdicts_number(&one, "alice"));
    assert_true(verdicts_number(&one, "alice") != verdicts_number(&one, "bob"));
    assert_true(verdicts_number(&one, "alice") != verdicts_number(&two, "alice"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts__know_what_was_added_and_nothing_else),
        cmocka_unit_test(verdicts__that_are_many__forget_the_oldest),
        cmocka_unit_test(the_number_of_a_name__is_always_the_same_and_depends_on_the_key),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
