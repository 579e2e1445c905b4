/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/keyed_hash.h"

/* The published answers are for the key 00 01 … 0f and the messages 00 01 …. */
static void hash__is_siphash_1_3(void **state)
{
    unsigned char bytes[16];
    struct hash_key key;

    (void)state;
    for (unsigned char i = 0; i < sizeof(bytes); i++)
        bytes[i] = i;
    memcpy(&key, bytes, sizeof(key));
    assert_true(keyed_hash(&key, bytes, 0) == UINT64_C(0xabac0158050fc4dc));
    assert_true(keyed_hash(&key, bytes, 1) == UINT64_C(0xc9f49bf37d57ca93));
}

static void hash__depends_on_each_byte_the_length_and_the_key(void **state)
{
    struct hash_key key = {{1, 2}}, other = {{1, 3}};
    char bytes[40] = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(bytes); i++) {
        uint64_t before = keyed_hash(&key, bytes, sizeof(bytes));

        assert_true(keyed_hash(&key, bytes, i) != before);
        bytes[i]++;
        assert_true(keyed_hash(&key, bytes, sizeof(bytes)) != before);
    }
    assert_true(keyed_hash(&key, bytes, 40) != keyed_hash(&other, bytes, 40));
}

static void hash__keys_differ_from_draw_to_draw(void **state)
{
    struct hash_key one, other;

    (void)state;
    hash_key_draw(&one);
    hash_key_draw(&other);
    assert_memory_not_equal(&one, &other, sizeof(one));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hash__is_siphash_1_3),
        cmocka_unit_test(hash__depends_on_each_byte_the_length_and_the_key),
        cmocka_unit_test(hash__keys_differ_from_draw_to_draw),
    };

    return cmocka_run_group_tests_name("keyed_hash", tests, NULL, NULL);
}
